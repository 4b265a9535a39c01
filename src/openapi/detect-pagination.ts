// How to ask for the next page: which argument moves on, which sets the size, and where the answer holds the next cursor.
import { NEXT_FIELD, PAGING_OBJECT, type PagingRole, pagingRole } from '../endpoint/conventions/pagination-words.ts';
import type { Pagination } from '../endpoint/model.ts';
import { listAt, type Node, nodeAt } from '../endpoint/untrusted.ts';
import { nodeBehind } from './schema/schema-shape.ts';
import type { Place, Resolver } from './source/resolve.ts';

/** `keys`: public arguments. `reads`: the method reads; others page only by a cursor, as searches by POST do. */
export type DetectPagination = (
  keys: readonly string[],
  reads: boolean,
  answer: Place | undefined,
) => Pagination | undefined;

export function createPagination(resolver: Resolver): DetectPagination {
  const roles = new Map<string, PagingRole | undefined>();
  const cursors = new Map<unknown, string | undefined>();
  const nextOf = (answer: Place | undefined): string | undefined => {
    if (!answer) return undefined;
    if (!cursors.has(answer.value)) cursors.set(answer.value, nextCursor(answer, resolver));
    return cursors.get(answer.value);
  };
  return (keys, reads, answer) => {
    const first: Partial<Record<PagingRole, string>> = {};
    for (const key of keys) {
      if (!roles.has(key)) roles.set(key, pagingRole(key));
      const role = roles.get(key);
      if (role !== undefined) first[role] ??= key;
    }
    const { cursor, page, offset, size } = first;
    if (cursor === undefined && page === undefined && offset === undefined) return undefined;
    if (!reads && (cursor === undefined || size === undefined)) return undefined;
    const sized = size === undefined ? {} : { sizeArg: size };
    // GitHub has `after` beside `page`: a cursor is the better way, but only where the answer really names the next one.
    const next = cursor === undefined ? undefined : nextOf(answer);
    if (cursor !== undefined && (next !== undefined || (page === undefined && offset === undefined))) {
      return { kind: 'cursor', arg: cursor, ...sized, ...(next === undefined ? {} : { nextFrom: next }) };
    }
    if (page !== undefined) return { kind: 'page', arg: page, ...sized };
    return offset === undefined ? undefined : { kind: 'offset', arg: offset, ...sized };
  };
}

function nextCursor(answer: Place, resolver: Resolver): string | undefined {
  const root = nodeBehind(answer.document, answer.value, resolver);
  if (!root) return undefined;
  const top = propertiesOf(root, resolver);
  for (const [name] of top) if (NEXT_FIELD.test(name)) return name;
  for (const [name, inner] of top) {
    if (!PAGING_OBJECT.test(name)) continue;
    const holder = nodeBehind(inner.document, inner.value, resolver);
    if (!holder) continue;
    for (const [below] of propertiesOf(holder, resolver)) if (NEXT_FIELD.test(below)) return `${name}.${below}`;
  }
  return undefined;
}

/** Own properties and those of the branches of an allOf, each schema once. */
function propertiesOf(
  { document, node }: { document: Place['document']; node: Node },
  resolver: Resolver,
  visits = new Set<Node>(),
): [string, Place][] {
  if (visits.has(node) || visits.size > 50) return [];
  visits.add(node);
  const entries: [string, Place][] = [];
  const properties = nodeAt(node, 'properties') ?? {};
  for (const name of Object.keys(properties)) entries.push([name, { document, pointer: '', value: properties[name] }]);
  for (const branch of listAt(node, 'allOf')) {
    const inner = nodeBehind(document, branch, resolver);
    if (inner) entries.push(...propertiesOf(inner, resolver, visits));
  }
  return entries;
}
