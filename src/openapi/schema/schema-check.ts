// The early check: visits the schemas of a request at the start, before they are built, for `$ref`s that cannot be resolved, and
// for too much nesting or size. Each `$ref` target is checked once, however many operations use it.
import { isObject } from '../../endpoint/is-object.ts';
import { type Node, pointerSegment } from '../../endpoint/untrusted.ts';
import { DEFINITION_KEYWORDS, subschemas } from '../../schema/keywords.ts';
import type { DocumentLimits } from '../source/limits.ts';
import { type DocumentPlace, OperationProblem, pointerOf, RefError, type Resolver } from '../source/resolve.ts';
import { ignoresRefSiblings, refOf } from './schema-refs.ts';

interface Findings {
  readonly targets: readonly DocumentPlace[];
  readonly schemas: number;
}

/** Throws OperationProblem if a request with these schemas cannot be described. */
export type CheckSchemas = (roots: readonly DocumentPlace[]) => void;

export function createSchemaCheck(resolver: Resolver, limits: DocumentLimits): CheckSchemas {
  const findings = new Map<unknown, Findings | OperationProblem>();
  /** `$ref` targets that passed the check together with everything they refer to. */
  const clean = new Set<object>();
  let total = 0;

  const findingsAt = (place: DocumentPlace): Findings => {
    let finding = findings.get(place.value);
    if (!finding) {
      finding = visit(place, resolver, limits);
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
      const finding = findingsAt(place);
      schemas += finding.schemas;
      if (schemas > limits.maxSchemas) {
        throw new OperationProblem(pointerOf(place), `its request is made of more than ${limits.maxSchemas} schemas`);
      }
      for (const target of finding.targets) {
        const key = target.value as object;
        // While all schemas visited so far are within the limit together, no single request can exceed it.
        if (visits.has(key) || (total <= limits.maxSchemas && clean.has(key))) continue;
        visits.add(key);
        queue.push(target);
      }
    }
    for (const key of visits) clean.add(key);
  };
}

/** `{type: string, maxLength: 5}`: the schemas of most parameters have nothing inside. */
function isLeaf(schema: Node): boolean {
  for (const key in schema) {
    if (key === '$ref' || key === '$dynamicRef' || key === '$recursiveRef') return false;
    if (typeof schema[key] === 'object' && key !== 'enum') return false;
  }
  return true;
}

/** A schema and the one around it. The pointer is only built if something is wrong. */
interface Step {
  readonly schema: unknown;
  readonly depth: number;
  readonly from?: Step;
  readonly keyword?: string;
  readonly key?: string | number | undefined;
}

function pointerTo({ from, keyword, key }: Step, root: DocumentPlace): string {
  if (from === undefined || keyword === undefined) return pointerOf(root);
  return pointerTo(from, root) + pointerSegment(keyword) + (key === undefined ? '' : pointerSegment(key));
}

function visit(root: DocumentPlace, resolver: Resolver, limits: DocumentLimits): Findings | OperationProblem {
  const targets: DocumentPlace[] = [];
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
    // The inside of a readOnly schema is not used, so it is not checked.
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
      if (ignoresRefSiblings(root.document)) continue;
    }
    for (const [keyword, key, inner] of subschemas(schema)) {
      if (DEFINITION_KEYWORDS.has(keyword)) continue;
      stack.push({ schema: inner, depth: depth + 1, from: item, keyword, key });
    }
  }
  return { targets, schemas };
}
