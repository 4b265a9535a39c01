// Looks through what an operation's request needs before its schemas are built: `$ref`s that lead nowhere, nesting and
// size beyond reason. Each `$ref` target is looked at once, however many operations use it.

import { isObject } from '../../endpoint/is-object.ts';
import { type Node, step } from '../../endpoint/untrusted.ts';
import { DEFINITION_KEYWORDS, subschemas } from '../../schema/keywords.ts';
import type { SourceDocument } from '../source/documents.ts';
import type { Limits } from '../source/limits.ts';
import { type Place, pointerOf, RefError, type Resolver } from '../source/resolve.ts';
import { refOf } from './schema-parts.ts';

/** Why an operation cannot be imported, and where. */
export class OperationProblem extends Error {
  override readonly name = 'OperationProblem';
  /** JSON pointer inside the document. */
  readonly pointer: string;

  constructor(pointer: string, reason: string) {
    super(reason);
    this.pointer = pointer;
  }
}

interface Findings {
  readonly targets: readonly Place[];
  readonly schemas: number;
  readonly problem?: OperationProblem;
}

/** Throws OperationProblem when a request with these schemas cannot be described. */
export type ScanRequest = (roots: readonly Place[]) => void;

export function createScan(resolver: Resolver, limits: Limits): ScanRequest {
  const findings = new Map<object, Findings>();
  /** Targets known to be fine together with all they lead to. */
  const clean = new Set<object>();
  let total = 0;

  const lookAt = (place: Place): Findings => {
    const key = place.value as object;
    let finding = findings.get(key);
    if (!finding) {
      finding = look(place, resolver, limits);
      total += finding.schemas;
      findings.set(key, finding);
    }
    return finding;
  };

  return (roots) => {
    const queue = roots.filter((place) => isObject(place.value) && !isLeaf(place.value));
    const visits = new Set<object>(queue.map((place) => place.value as object));
    let schemas = 0;
    for (let next = 0; next < queue.length; next++) {
      const place = queue[next]!;
      const finding = lookAt(place);
      if (finding.problem) throw finding.problem;
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

function look(root: Place, resolver: Resolver, limits: Limits): Findings {
  const targets: Place[] = [];
  const stack: { schema: unknown; pointer: string; depth: number }[] = [
    { schema: root.value, pointer: pointerOf(root), depth: 0 },
  ];
  let schemas = 0;
  for (let item = stack.pop(); item; item = stack.pop()) {
    const { schema, pointer, depth } = item;
    if (!isObject(schema)) continue;
    schemas++;
    if (depth > limits.maxSchemaDepth) {
      return {
        targets,
        schemas,
        problem: new OperationProblem(
          pointerOf(root),
          `its schemas are nested more than ${limits.maxSchemaDepth} levels deep`,
        ),
      };
    }
    // A readOnly part is never sent.
    if (schema.readOnly === true) continue;
    const ref = refOf(schema);
    if (ref !== undefined) {
      const target = followed(root.document, ref, resolver);
      if (target instanceof RefError) {
        return { targets, schemas, problem: new OperationProblem(pointer + step('$ref'), target.message) };
      }
      if (isObject(target.value)) targets.push(target);
      if (root.document.dialect.schema !== '3.1') continue;
    }
    for (const [keyword, key, inner] of subschemas(schema)) {
      if (DEFINITION_KEYWORDS.has(keyword)) continue;
      stack.push({
        schema: inner,
        pointer: pointer + step(keyword) + (key === undefined ? '' : step(key)),
        depth: depth + 1,
      });
    }
  }
  return { targets, schemas };
}

function followed(document: SourceDocument, ref: string, resolver: Resolver): Place | RefError {
  try {
    return resolver.settle(resolver.follow(document, ref));
  } catch (error) {
    if (error instanceof RefError) return error;
    throw error;
  }
}
