// Finds schemas that refer back to themselves for the same value (`Cat: allOf [Pet]`, `Pet: oneOf [Cat]`), not for a part of it. A
// validator would follow such a cycle forever, so the conversion breaks it.
import { isObject } from '../../endpoint/is-object.ts';
import { CONDITIONS, NAMED_CONDITIONS, UNIONS } from '../../schema/keywords.ts';
import type { SourceDocument } from '../source/documents.ts';
import { type DocumentPlace, type Follow, orUndefined } from '../source/resolve.ts';
import { ignoresRefSiblings, refOf } from './schema-refs.ts';

/** How one schema applies another to the same value. */
export type Via = 'all' | 'union' | 'not';

interface Edge {
  readonly via: Via;
  readonly target: DocumentPlace;
}

/** Whether two schemas are in the same cycle; with `unionsOnly`, in a cycle of unions only. */
export type InSameCycle = (from: DocumentPlace, to: DocumentPlace, unionsOnly: boolean) => boolean;

/** The keywords whose schemas apply to the same value. */
const KEYWORDS: readonly (readonly [string, Via])[] = [
  ['allOf', 'all'],
  ...UNIONS.map((keyword) => [keyword, 'union'] as const),
  ...[...CONDITIONS, ...NAMED_CONDITIONS].map((keyword) => [keyword, 'not'] as const),
];

export function createCycleCheck(follow: Follow): InSameCycle {
  const edges = new Map<unknown, readonly Edge[]>();
  const edgesOf = ({ document, value }: DocumentPlace): readonly Edge[] => {
    let outgoing = edges.get(value);
    if (!outgoing) {
      const list: Edge[] = [];
      collect(document, value, 'all', list, follow, 0);
      edges.set(value, list);
      outgoing = list;
    }
    return outgoing;
  };
  const all = createComponents((place) => edgesOf(place).map(({ target }) => target));
  const unions = createComponents((place) =>
    edgesOf(place).flatMap(({ via, target }) => (via === 'union' ? [target] : [])),
  );
  return (from, to, unionsOnly) => (unionsOnly ? unions : all)(from, to);
}

interface Visit {
  readonly node: object;
  readonly next: readonly DocumentPlace[];
  at: number;
  low: number;
  readonly index: number;
}

/**
 * Tarjan's strongly connected components, each schema visited once. Iterative, because chains in a document can be longer than the
 * call stack is deep.
 */
function createComponents(
  nextOf: (place: DocumentPlace) => readonly DocumentPlace[],
): (from: DocumentPlace, to: DocumentPlace) => boolean {
  const component = new Map<object, number>();
  const indices = new Map<object, number>();
  const open: object[] = [];
  let components = 0;

  const enter = (place: DocumentPlace): Visit => {
    const index = indices.size;
    const node = place.value as object;
    indices.set(node, index);
    open.push(node);
    return { node, next: nextOf(place), at: 0, low: index, index };
  };

  const explore = (start: DocumentPlace): void => {
    const stack = [enter(start)];
    for (let visit = stack[stack.length - 1]; visit; visit = stack[stack.length - 1]) {
      const target = visit.next[visit.at++];
      if (target !== undefined) {
        const targetIndex = indices.get(target.value as object);
        if (targetIndex === undefined) stack.push(enter(target));
        else if (!component.has(target.value as object)) visit.low = Math.min(visit.low, targetIndex);
        continue;
      }
      stack.pop();
      const parent = stack[stack.length - 1];
      if (parent) parent.low = Math.min(parent.low, visit.low);
      if (visit.low !== visit.index) continue;
      components++;
      for (let node = open.pop(); node; node = open.pop()) {
        component.set(node, components);
        if (node === visit.node) break;
      }
    }
  };

  return (from, to) => {
    if (!indices.has(from.value as object)) explore(from);
    if (!indices.has(to.value as object)) explore(to);
    return component.get(from.value as object) === component.get(to.value as object);
  };
}

function collect(
  document: SourceDocument,
  schema: unknown,
  via: Via,
  into: Edge[],
  follow: Follow,
  depth: number,
): void {
  if (!isObject(schema) || depth > 64) return;
  const ref = refOf(schema);
  if (ref !== undefined) {
    const target = orUndefined(() => follow(document, ref));
    if (target && isObject(target.value)) into.push({ via, target });
    if (ignoresRefSiblings(document)) return;
  }
  for (const [keyword, way] of KEYWORDS) {
    const value = schema[keyword];
    if (value === undefined) continue;
    const inner = via === 'all' || way === 'not' ? way : via;
    const isMap = NAMED_CONDITIONS.includes(keyword) && isObject(value);
    for (const item of Array.isArray(value) ? value : isMap ? Object.values(value) : [value])
      collect(document, item, inner, into, follow, depth + 1);
  }
}
