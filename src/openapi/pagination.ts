// How to request the next page: which argument selects the page, which one sets its size, and where the answer has the next cursor.
import { NEXT_FIELD, PAGING_OBJECT, type PagingRole, pagingRole } from '../endpoint/conventions/pagination-words.ts';
import type { Pagination } from '../endpoint/model.ts';
import { nodeAt } from '../endpoint/untrusted.ts';
import { flattenAllOf } from './schema/schema-refs.ts';
import type { SourceDocument } from './source/documents.ts';
import type { DocumentPlace, Follow, Resolver } from './source/resolve.ts';

/**
 * `keys`: public arguments. `reads`: whether the method is a read. Operations with other methods, such as searches by POST, only
 * count as paged if they have a cursor and a size.
 */
export type DetectPagination = (
  keys: readonly string[],
  reads: boolean,
  answer: DocumentPlace | undefined,
) => Pagination | undefined;

export function createPaginationDetector(resolver: Resolver): DetectPagination {
  const roles = new Map<string, PagingRole | undefined>();
  const cursors = new Map<unknown, string | undefined>();
  const nextOf = (answer: DocumentPlace | undefined): string | undefined => {
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
    const sizes = size === undefined ? {} : { sizeArg: size };
    // GitHub has `after` beside `page`: a cursor is better, but only if the answer contains the next one.
    const next = cursor === undefined ? undefined : nextOf(answer);
    if (cursor !== undefined && (next !== undefined || (page === undefined && offset === undefined))) {
      return { kind: 'cursor', arg: cursor, ...sizes, ...(next === undefined ? {} : { nextFrom: next }) };
    }
    if (page !== undefined) return { kind: 'page', arg: page, ...sizes };
    return offset === undefined ? undefined : { kind: 'offset', arg: offset, ...sizes };
  };
}

function nextCursor(answer: DocumentPlace, { followAll }: Resolver): string | undefined {
  const top = propertiesOf(answer.document, answer.value, followAll);
  for (const { name } of top) if (NEXT_FIELD.test(name)) return name;
  for (const { name, document, schema } of top) {
    if (!PAGING_OBJECT.test(name)) continue;
    for (const below of propertiesOf(document, schema, followAll)) {
      if (NEXT_FIELD.test(below.name)) return `${name}.${below.name}`;
    }
  }
  return undefined;
}

interface Property {
  readonly name: string;
  readonly document: SourceDocument;
  readonly schema: unknown;
}

function propertiesOf(document: SourceDocument, schema: unknown, follow: Follow): Property[] {
  const list: Property[] = [];
  for (const part of flattenAllOf(document, schema, follow)) {
    const properties = nodeAt(part?.node, 'properties') ?? {};
    for (const name of Object.keys(properties)) list.push({ name, document: part!.document, schema: properties[name] });
  }
  return list;
}
