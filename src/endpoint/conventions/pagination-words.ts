// The words APIs use for pages: the names of arguments, which are in the lexicon, and of the fields of an answer that lead to the
// next page. The importer looks for them in documents, the executor in answers.
import { type PagingRole, pagingWords } from './lexicon.ts';

export type { PagingRole } from './lexicon.ts';

/** `page_size` in the lexicon matches `pageSize` as well. */
const ROLES = (['page', 'offset', 'cursor', 'size'] as const).map((role) => {
  const names = [...pagingWords(role)].map((word) => word.replaceAll('_', '_?'));
  return [role, new RegExp(`^(?:${names.join('|')})$`, 'i')] as const;
});

/** What an argument of this name does for paging. */
export function pagingRole(name: string): PagingRole | undefined {
  return ROLES.find(([, pattern]) => pattern.test(name))?.[0];
}

/** A field of a documented answer that holds the next cursor. */
export const NEXT_FIELD =
  /^(?:next_?(?:cursor|page_?token|token|page|marker|page_?cursor)?|continuation_?token|continue|end_?cursor|cursor|next_?starting_?after)$/i;

/** An object of an answer that may hold it. */
export const PAGING_OBJECT =
  /^(?:meta|metadata|_?pagination|paging|page_?info|response_?metadata|cursors?|links|_links|page)$/i;

/** Where answers that no document describes have the next cursor, page or URL; the likeliest first. */
export const NEXT_PATHS = wordsOf(`
  next_cursor nextCursor next_page_token nextPageToken next_token nextToken NextToken continuation_token
  continuationToken next_page nextPage next next_url nextLink @odata.nextLink links.next _links.next.href
  _links.next paging.next.after paging.cursors.after paging.next pagination.next_cursor pagination.next
  pagination.next_page meta.next_cursor meta.next meta.next_page response_metadata.next_cursor page_info.end_cursor
  pageInfo.endCursor
`);

/** Arguments that accept such a value, for operations whose document does not name any; the likeliest first. */
export const NEXT_ARGUMENTS = wordsOf(`
  cursor next_cursor page_token pageToken next_token nextToken NextToken continuation_token continuationToken
  start_cursor starting_after after page offset
`);

/** A path of NEXT_PATHS that holds the number of a page, which goes to PAGE_ARGUMENT, and not a cursor. */
export const NEXT_PAGE_PATH = /(?:next_page|nextPage)$/;
export const PAGE_ARGUMENT = 'page';

/** The argument for the id of the last item, if an answer only shows that there is more. */
export const LAST_ID_ARGUMENT = 'starting_after';

/** Fields in which answers show whether there is more. */
export const MORE_FIELDS = wordsOf('has_more hasMore has_next_page');

/** Where answers have the total number of items. */
export const TOTAL_PATHS = wordsOf(`
  total total_count totalCount total_results totalResults totalItems meta.total pagination.total page.totalElements
`);

/** Headers with that number, for answers that are only a list. */
export const TOTAL_HEADERS = ['x-total-count', 'x-total'] as const;

/**
 * As property names, which V8 interns: every answer is searched for these words, and strings that are cut from a text are looked up
 * more slowly.
 */
function wordsOf(text: string): readonly string[] {
  return Object.keys(Object.fromEntries(text.split(/\s+/).map((word) => [word, true]))).filter(Boolean);
}
