// References between schemas: what stands behind one, and what holds together through them.
import { isObject } from '../../endpoint/is-object.ts';
import { listAt, type Node } from '../../endpoint/untrusted.ts';
import type { SourceDocument } from '../source/documents.ts';
import { type Follow, orNothing, type Place, RefError, type Resolver } from '../source/resolve.ts';

export interface SchemaNode {
  readonly document: SourceDocument;
  readonly node: Node;
}

const MAX_HOPS = 64;
const MAX_CONJUNCTS = 500;

/** `$dynamicRef` and `$recursiveRef` without the dynamic scope: the definition they name by default. */
export function refOf(schema: Node): string | undefined {
  for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const value = schema[keyword];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

/** Whether only the `$ref` of a schema counts: 2.0 and 3.0 ignore what stands beside it. */
export function hidesSiblings({ dialect }: SourceDocument): boolean {
  return dialect.schema !== '3.1';
}

/** Follows a `$ref`, and on through places that are nothing but another `$ref`. */
export function followSchema(resolver: Resolver): Follow {
  return (document, ref) => {
    let place = resolver.follow(document, ref);
    let hops = 0;
    while (isObject(place.value) && typeof place.value.$ref === 'string' && isBare(place.document, place.value)) {
      if (++hops > MAX_HOPS) throw new RefError(`$ref "${ref}" leads back to itself`);
      place = resolver.follow(place.document, place.value.$ref);
    }
    return place;
  };
}

/** In 2.0 and 3.0 nothing beside a `$ref` counts, except that it may be null. */
function isBare(document: SourceDocument, node: Node): boolean {
  const all = !hidesSiblings(document);
  for (const key in node) if (key !== '$ref' && (all || key === 'nullable' || key === 'x-nullable')) return false;
  return true;
}

/** A schema, or what its `$ref` names; undefined where that leads nowhere. */
export function behindRef(document: SourceDocument, schema: unknown, follow: Follow): SchemaNode | undefined {
  if (!isObject(schema)) return undefined;
  const ref = refOf(schema);
  if (ref === undefined) return { document, node: schema };
  const target = orNothing(() => follow(document, ref));
  return isObject(target?.value) ? { document: target.document, node: target.value } : undefined;
}

/** The schema at the end of all its `$ref`s, for a look at its type; undefined where there is none. */
export function nodeBehind(place: Place | undefined, resolver: Resolver): SchemaNode | undefined {
  return place && behindRef(place.document, place.value, resolver.followAll);
}

/**
 * The schemas that hold at once: this one, what its `$ref` names and the branches of its allOf, each once and depth first.
 * Undefined stands for what cannot be read, or is too much.
 */
export function* conjuncts(
  document: SourceDocument,
  schema: unknown,
  follow: Follow,
  visits: Set<Node> = new Set(),
): Generator<SchemaNode | undefined> {
  if (!isObject(schema) || visits.size === MAX_CONJUNCTS) return yield undefined;
  if (visits.has(schema)) return;
  visits.add(schema);
  const ref = refOf(schema);
  if (ref !== undefined) {
    const target = orNothing(() => follow(document, ref));
    if (target) yield* conjuncts(target.document, target.value, follow, visits);
    else yield undefined;
    if (hidesSiblings(document)) return;
  }
  yield { document, node: schema };
  for (const branch of listAt(schema, 'allOf')) yield* conjuncts(document, branch, follow, visits);
}
