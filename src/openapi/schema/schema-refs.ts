// References between schemas: what a `$ref` leads to, and which schemas apply together.
import { isObject } from '../../endpoint/is-object.ts';
import { listAt, type Node } from '../../endpoint/untrusted.ts';
import type { SourceDocument } from '../source/documents.ts';
import { type DocumentPlace, type Follow, orUndefined, RefError, type Resolver } from '../source/resolve.ts';

export interface SchemaNode {
  readonly document: SourceDocument;
  readonly node: Node;
}

const MAX_HOPS = 64;
const MAX_SCHEMAS = 500;

/** `$dynamicRef` and `$recursiveRef` are read without the dynamic scope, as the definition they name by default. */
export function refOf(schema: Node): string | undefined {
  for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const value = schema[keyword];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

/** Whether keywords beside a `$ref` are ignored, as in 2.0 and 3.0. */
export function ignoresRefSiblings({ dialect }: SourceDocument): boolean {
  return dialect.schema !== '3.1';
}

/** Follows a `$ref`, and further ones as long as they lead to nothing but another `$ref`. */
export function createSchemaFollow(resolver: Resolver): Follow {
  return (document, ref) => {
    let place = resolver.follow(document, ref);
    let hops = 0;
    while (isObject(place.value) && typeof place.value.$ref === 'string' && isOnlyRef(place.document, place.value)) {
      if (++hops > MAX_HOPS) throw new RefError(`$ref "${ref}" leads back to itself`);
      place = resolver.follow(place.document, place.value.$ref);
    }
    return place;
  };
}

/** In 2.0 and 3.0 everything beside a `$ref` is ignored, except that it may be nullable. */
function isOnlyRef(document: SourceDocument, node: Node): boolean {
  const all = !ignoresRefSiblings(document);
  for (const key in node) if (key !== '$ref' && (all || key === 'nullable' || key === 'x-nullable')) return false;
  return true;
}

/** A schema, or what its `$ref` leads to; undefined if it cannot be resolved. */
export function behindRef(document: SourceDocument, schema: unknown, follow: Follow): SchemaNode | undefined {
  if (!isObject(schema)) return undefined;
  const ref = refOf(schema);
  if (ref === undefined) return { document, node: schema };
  const target = orUndefined(() => follow(document, ref));
  return isObject(target?.value) ? { document: target.document, node: target.value } : undefined;
}

/** The schema that all its `$ref`s lead to; undefined if there is none. */
export function dereferencedNode(place: DocumentPlace | undefined, resolver: Resolver): SchemaNode | undefined {
  return place && behindRef(place.document, place.value, resolver.followAll);
}

/**
 * The schemas that apply together: this one, what its `$ref` leads to and the branches of its allOf, each once and depth first.
 * Undefined stands for one that cannot be resolved, or for too many.
 */
export function* flattenAllOf(
  document: SourceDocument,
  schema: unknown,
  follow: Follow,
  visits: Set<Node> = new Set(),
): Generator<SchemaNode | undefined> {
  if (!isObject(schema) || visits.size === MAX_SCHEMAS) return yield undefined;
  if (visits.has(schema)) return;
  visits.add(schema);
  const ref = refOf(schema);
  if (ref !== undefined) {
    const target = orUndefined(() => follow(document, ref));
    if (target) yield* flattenAllOf(target.document, target.value, follow, visits);
    else yield undefined;
    if (ignoresRefSiblings(document)) return;
  }
  yield { document, node: schema };
  for (const branch of listAt(schema, 'allOf')) yield* flattenAllOf(document, branch, follow, visits);
}
