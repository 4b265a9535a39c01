// Schemas that lead back to themselves without going down into the data (`Cat: allOf [Pet]`, `Pet: oneOf [Cat]`) would
// make a validator run in circles. This finds such circles, so that the conversion can open them.
import type { SourceDocument } from './documents.ts';
import { isNode, type Node } from './node.ts';
import { type Place, RefError, type Resolver } from './resolve.ts';
import { refOf } from './schema-parts.ts';

/** How one schema applies another to the same value. */
export type Via = 'all' | 'union' | 'not';

interface Edge {
  readonly via: Via;
  readonly target: Place;
}

export interface InPlace {
  /** Whether a `$ref` from `within` to `target` closes a circle that should be opened here. */
  readonly closes: (within: object, target: Place, via: Via) => boolean;
}

const LISTS: readonly (readonly [string, Via])[] = [
  ['allOf', 'all'],
  ['anyOf', 'union'],
  ['oneOf', 'union'],
];
const SINGLES = ['not', 'if', 'then', 'else'];

export function createInPlace(follow: (document: SourceDocument, ref: string) => Place): InPlace {
  const edges = new Map<object, readonly Edge[]>();

  const edgesOf = (place: Place): readonly Edge[] => {
    const key = place.value as object;
    let found = edges.get(key);
    if (!found) {
      const list: Edge[] = [];
      collect(place.document, place.value, 'all', list, follow, 0);
      edges.set(key, list);
      found = list;
    }
    return found;
  };

  const reaches = (from: Place, goal: object, unionsOnly: boolean): boolean => {
    const seen = new Set<object>([from.value as object]);
    const stack = [from];
    for (let place = stack.pop(); place; place = stack.pop()) {
      if (place.value === goal) return true;
      for (const { via, target } of edgesOf(place)) {
        if ((unionsOnly && via !== 'union') || seen.has(target.value as object)) continue;
        seen.add(target.value as object);
        stack.push(target);
      }
    }
    return false;
  };

  return {
    // A circle with an allOf in it is opened there: the union that lists the variants is worth more.
    closes: (within, target, via) => reaches(target, within, via === 'union'),
  };
}

function collect(
  document: SourceDocument,
  schema: unknown,
  via: Via,
  into: Edge[],
  follow: (document: SourceDocument, ref: string) => Place,
  depth: number,
): void {
  if (!isNode(schema) || depth > 64) return;
  const ref = refOf(schema);
  if (ref !== undefined) {
    const target = tryFollow(document, ref, follow);
    if (target && isNode(target.value)) into.push({ via, target });
    if (document.dialect.schema !== '3.1') return;
  }
  for (const [keyword, how] of LISTS) {
    const list = schema[keyword];
    if (!Array.isArray(list)) continue;
    for (const item of list) collect(document, item, via === 'all' ? how : via, into, follow, depth + 1);
  }
  for (const keyword of SINGLES) collect(document, schema[keyword], 'not', into, follow, depth + 1);
  const dependent = schema.dependentSchemas;
  if (isNode(dependent))
    for (const key of Object.keys(dependent)) collect(document, dependent[key], 'not', into, follow, depth + 1);
}

function tryFollow(
  document: SourceDocument,
  ref: string,
  follow: (document: SourceDocument, ref: string) => Place,
): Place | undefined {
  try {
    return follow(document, ref);
  } catch (error) {
    if (error instanceof RefError) return undefined;
    throw error;
  }
}

/** Follows a `$ref`, and on through places that are nothing but another `$ref`. */
export function followSchema(resolver: Resolver): (document: SourceDocument, ref: string) => Place {
  return (document, ref) => {
    let place = resolver.follow(document, ref);
    for (
      let hops = 0;
      isNode(place.value) && typeof place.value.$ref === 'string' && isBare(place.document, place.value);
      hops++
    ) {
      if (hops === 64) throw new RefError(`$ref "${ref}" leads back to itself`);
      place = resolver.follow(place.document, place.value.$ref);
    }
    return place;
  };
}

/** In 2.0 and 3.0 nothing beside a `$ref` counts, except that it may be null. */
function isBare(document: SourceDocument, node: Node): boolean {
  for (const key of Object.keys(node)) {
    if (key === '$ref') continue;
    if (document.dialect.schema === '3.1' || key === 'nullable' || key === 'x-nullable') return false;
  }
  return true;
}
