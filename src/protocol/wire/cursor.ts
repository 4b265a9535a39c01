// Pages of a list. A cursor is opaque to clients and checked here: one we did not issue is refused.
import { createHash } from 'node:crypto';
import { GatewayError } from '../../errors.ts';

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | undefined;
}

/** Cuts a fixed list into pages, each findable by its cursor; the first one has none. */
export function paginate<Item>(
  kind: string,
  items: readonly Item[],
  pageSize: number,
): ReadonlyMap<string | undefined, Page<Item>> {
  const pages = new Map<string | undefined, Page<Item>>();
  let cursor: string | undefined;
  for (let start = 0; start === 0 || start < items.length; start += pageSize) {
    const end = start + pageSize;
    const nextCursor = end < items.length ? toCursor(kind, end, items.length) : undefined;
    pages.set(cursor, { items: items.slice(start, end), nextCursor });
    cursor = nextCursor;
  }
  return pages;
}

export function findPage<Entry>(pages: ReadonlyMap<string | undefined, Entry>, cursor: unknown): Entry {
  const page = pages.get(cursor as string | undefined);
  if (page === undefined) {
    throw new GatewayError('INVALID_PARAMS', 'Invalid cursor. Start again without one and follow nextCursor.');
  }
  return page;
}

/** Bound to the list's kind and length, so that a cursor from before a restart with other tools is noticed. */
function toCursor(kind: string, offset: number, length: number): string {
  const text = `${kind}:${offset}:${length}`;
  return `${Buffer.from(text).toString('base64url')}.${createHash('sha256').update(text).digest('base64url').slice(0, 8)}`;
}
