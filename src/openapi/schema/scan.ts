// Looks through what an operation's request needs before its schemas are built: `$ref`s that lead nowhere, nesting and
// size beyond reason. Each `$ref` target is looked at once, however many operations use it.

import { isObject } from '../../endpoint/is-object.ts';
import { type Node, step } from '../../endpoint/untrusted.ts';
import { DEFINITION_KEYWORDS, subschemas } from '../../schema/keywords.ts';
import type { Limits } from '../source/limits.ts';
import { OperationProblem, type Place, pointerOf, RefError, type Resolver } from '../source/resolve.ts';
import { hidesSiblings, refOf } from './schema-refs.ts';

interface Findings {
  readonly targets: readonly Place[];
  readonly schemas: number;
}

/** Throws OperationProblem when a request with these schemas cannot be described. */
export type ScanRequest = (roots: readonly Place[]) => void;

export function createScan(resolver: Resolver, limits: Limits): ScanRequest {
  const findings = new Map<unknown, Findings | OperationProblem>();
  /** Targets known to be fine together with all they lead to. */
  const clean = new Set<object>();
  let total = 0;

  const lookAt = (place: Place): Findings => {
    let finding = findings.get(place.value);
    if (!finding) {
      finding = look(place, resolver, limits);
      if (!(finding instanceof OperationProblem)) total += finding.schemas;
      findings.set(place.value, finding);
    }
    if (finding instanceof OperationProblem) throw finding;
    return finding;
  };

  return (roots) => {
    const queue = roots.filter((place) => isObject(place.value) && !isLeaf(place.value));
    const visits = new Set<object>(queue.map((place) => place.value as object));
    let schemas = 0;
    for (let next = 0; next < queue.length; next++) {
      const place = queue[next]!;
      const finding = lookAt(place);
      schemas += finding.schemas;
      if (schemas > limits.maxSchemas) {
        throw new OperationProblem(pointerOf(place), `its request is made of more than ${limits.maxSchemas} schemas`);
      }
      for (const target of finding.targets) {
        const key = target.value as object;
        // While everything seen so far fits the limit together, no single request can pass it.
        if (visits.has(key) || (total <= limits.maxSchemas && clean.has(key))) continue;
        visits.add(key);
        queue.push(target);
      }
    }
    for (const key of visits) clean.add(key);
  };
}

/** `{type: string, maxLength: 5}`: most parameters lead nowhere. */
function isLeaf(schema: Node): boolean {
  for (const key in schema) {
    if (key === '$ref' || key === '$dynamicRef' || key === '$recursiveRef') return false;
    if (typeof schema[key] === 'object' && key !== 'enum') return false;
  }
  return true;
}

/** A schema on the way, and the one it stands in: the pointer is written only where something is wrong. */
interface Step {
  readonly schema: unknown;
  readonly depth: number;
  readonly from?: Step;
  readonly keyword?: string;
  readonly key?: string | number | undefined;
}

function pointerTo({ from, keyword, key }: Step, root: Place): string {
  if (from === undefined || keyword === undefined) return pointerOf(root);
  return pointerTo(from, root) + step(keyword) + (key === undefined ? '' : step(key));
}

function look(root: Place, resolver: Resolver, limits: Limits): Findings | OperationProblem {
  const targets: Place[] = [];
  const stack: Step[] = [{ schema: root.value, depth: 0 }];
  let schemas = 0;
  for (let item = stack.pop(); item; item = stack.pop()) {
    const { schema, depth } = item;
    if (!isObject(schema)) continue;
    schemas++;
    if (depth > limits.maxSchemaDepth) {
      const problem = `its schemas are nested more than ${limits.maxSchemaDepth} levels deep`;
      return new OperationProblem(pointerOf(root), problem);
    }
    // Nothing inside a readOnly part is looked at, here or when schemas are built.
    if (schema.readOnly === true) continue;
    const ref = refOf(schema);
    if (ref !== undefined) {
      try {
        const target = resolver.followAll(root.document, ref);
        if (isObject(target.value)) targets.push(target);
      } catch (error) {
        if (error instanceof RefError) return new OperationProblem(`${pointerTo(item, root)}/$ref`, error.message);
        throw error;
      }
      if (hidesSiblings(root.document)) continue;
    }
    for (const [keyword, key, inner] of subschemas(schema)) {
      if (DEFINITION_KEYWORDS.has(keyword)) continue;
      stack.push({ schema: inner, depth: depth + 1, from: item, keyword, key });
    }
  }
  return { targets, schemas };
}
