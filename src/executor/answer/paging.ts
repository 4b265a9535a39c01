// How to get the next page: from the Link header, from the cursor in the answer, or by increasing the page or offset.
import {
  LAST_ID_ARGUMENT,
  MORE_FIELDS,
  NEXT_ARGUMENTS,
  NEXT_PAGE_PATH,
  NEXT_PATHS,
  PAGE_ARGUMENT,
  TOTAL_HEADERS,
  TOTAL_PATHS,
} from '../../endpoint/conventions/pagination-words.ts';
import type { Args, Endpoint, Pagination } from '../../endpoint/model.ts';
import { valueAtPath } from '../../endpoint/untrusted.ts';
import { argumentOf } from '../request/parameter-styles.ts';
import type { RawResponse } from '../send.ts';
import { mainList } from './character-budget.ts';

export interface PagingPlan {
  /** Wire name of a query parameter → public argument. */
  readonly byWireName: ReadonlyMap<string, string>;
  readonly pagination: Endpoint['pagination'];
}

export function compilePaging(endpoint: Endpoint): PagingPlan {
  const byWireName = new Map<string, string>();
  for (const arg of endpoint.args) {
    for (const target of arg.to) if (target.in === 'query') byWireName.set(target.name, arg.key);
  }
  return { byWireName, pagination: endpoint.pagination };
}

/** The arguments that paging reads. */
export function pagingArgs({ byWireName, pagination }: PagingPlan, args: Args): Args {
  const keys = new Set([...byWireName.values(), pagination?.arg, pagination?.sizeArg]);
  return Object.fromEntries(Object.entries(args).filter(([key]) => keys.has(key)));
}

/** The call whose answer is read. */
export interface PagedCall {
  readonly plan: PagingPlan;
  readonly args: Args;
  readonly headers: RawResponse['headers'];
}

/** The arguments that bring the next page, as `page=3`; undefined when there is none or the answer does not say. */
export function nextPage(call: PagedCall, value: unknown): string | undefined {
  return fromLinkHeader(call) ?? (typeof value === 'object' && value !== null ? fromBody(call, value) : undefined);
}

/** The arguments to pass when items of this page were cut away. */
export function afterCut({ plan: { pagination }, args }: PagedCall, count: number): string | undefined {
  if (pagination === undefined) return undefined;
  const current = positionOf(pagination, args);
  if (pagination.kind === 'offset' && Number.isInteger(current)) return `${pagination.arg}=${current + count}`;
  if (pagination.sizeArg === undefined) return undefined;
  const first = pagination.kind === 'page' && current === 1;
  return first ? `${pagination.sizeArg}=${count}, ${pagination.arg}=2` : `${pagination.sizeArg}=${count}`;
}

/** The page or offset that was asked for. */
function positionOf({ kind, arg }: Pagination, args: Args): number {
  return Number(argumentOf(args, arg) ?? (kind === 'page' ? 1 : 0));
}

function fromLinkHeader(call: PagedCall): string | undefined {
  const { link } = call.headers;
  if (link === undefined) return undefined;
  // RFC 8288: <uri>; rel="next", …
  const links = String(link).slice(0, 8_192);
  for (const [, url, parameters] of links.matchAll(/<([^<>]*)>([^<]*)/g)) {
    if (leadsToNext(parameters as string)) return fromUrl(call, url as string);
  }
  return undefined;
}

/** Whether `next` is among the relations in `; title=x; rel="last next"`. */
function leadsToNext(parameters: string): boolean {
  const [, ...pairs] = parameters.toLowerCase().split(';');
  return pairs
    .map((pair) => pair.split('='))
    .some(([name = '', value = '']) => name.trim() === 'rel' && value.split(/[\s",]/).includes('next'));
}

/** The public arguments in which the next page's URL differs from this call. */
function fromUrl({ plan, args }: PagedCall, url: string): string | undefined {
  const base = 'http://relative.invalid';
  if (!URL.canParse(url, base)) return undefined;
  const changes: string[] = [];
  for (const [name, text] of new URL(url, base).searchParams) {
    const key = plan.byWireName.get(name);
    const now = key === undefined ? undefined : argumentOf(args, key);
    if (key !== undefined && typeof now !== 'object' && String(now) !== text) {
      changes.push(`${key}=${text}`);
    }
  }
  return changes.length === 0 ? undefined : changes.join(', ');
}

/** The first keys of all paths and fields below: an object without any of them is not searched for three dozen paths. */
const PAGING_KEYS: ReadonlySet<string> = new Set(
  [...NEXT_PATHS, ...MORE_FIELDS].flatMap((path) => [path, path.split('.', 1)[0]!]),
);
/** Objects with more keys are searched for the paths instead. */
const MAX_KEYS_LISTED = 32;

function mayHaveNext(value: object): boolean {
  if (Array.isArray(value)) return false;
  let count = 0;
  for (const key in value) if (PAGING_KEYS.has(key) || ++count > MAX_KEYS_LISTED) return true;
  return false;
}

function fromBody(call: PagedCall, value: object): string | undefined {
  const { pagination } = call.plan;
  const usual = mayHaveNext(value) ? NEXT_PATHS : NO_PATHS;
  const paths = pagination?.nextFrom === undefined ? usual : [pagination.nextFrom, ...usual];
  const more = usual === NO_PATHS ? undefined : moreOf(value);
  if (more === false) return undefined;
  for (const path of paths) {
    const next = valueAtPath(value, path);
    if ((typeof next !== 'string' || next === '') && typeof next !== 'number') continue;
    if (typeof next === 'string' && /^(https?:\/\/|\/|\?)/.test(next)) {
      const change = fromUrl(call, next);
      if (change !== undefined) return change;
      continue;
    }
    const key = pagination?.arg ?? argumentFor(call.plan, NEXT_PAGE_PATH.test(path));
    if (key !== undefined) return `${key}=${next}`;
  }
  return byCounting(call, value, more === true);
}

const NO_PATHS: readonly string[] = [];

/** Whether the answer says that there is more: the first of several fields that is set. */
function moreOf(value: object): unknown {
  for (const field of MORE_FIELDS) {
    const more = valueAtPath(value, field);
    if (more !== undefined && more !== null) return more;
  }
  return undefined;
}

function argumentFor(plan: PagingPlan, pageNumber: boolean): string | undefined {
  if (pageNumber && plan.byWireName.has(PAGE_ARGUMENT)) return plan.byWireName.get(PAGE_ARGUMENT);
  for (const name of NEXT_ARGUMENTS) if (plan.byWireName.has(name)) return plan.byWireName.get(name);
  return undefined;
}

function byCounting({ plan, args, headers }: PagedCall, value: object, more: boolean): string | undefined {
  const items = mainList(value)?.items ?? [];
  if (items.length === 0) return undefined;
  const after = plan.byWireName.get(LAST_ID_ARGUMENT);
  const lastId = valueAtPath(items.at(-1), 'id');
  if (more && after !== undefined && (typeof lastId === 'string' || typeof lastId === 'number'))
    return `${after}=${lastId}`;
  const { pagination } = plan;
  if (pagination === undefined || pagination.kind === 'cursor') return undefined;
  const size = pagination.sizeArg === undefined ? undefined : Number(argumentOf(args, pagination.sizeArg));
  const current = positionOf(pagination, args);
  if (!Number.isInteger(current)) return undefined;
  const byOffset = pagination.kind === 'offset';
  const position = (byOffset ? current : (current - 1) * (size || items.length)) + items.length;
  const total = totalOf(value, headers);
  const remains =
    more || (total !== undefined ? position < total : size !== undefined && size > 0 && items.length >= size);
  if (!remains) return undefined;
  return `${pagination.arg}=${byOffset ? position : current + 1}`;
}

function totalOf(value: object, headers: RawResponse['headers']): number | undefined {
  for (const path of TOTAL_PATHS) {
    const total = valueAtPath(value, path);
    if (typeof total === 'number') return total;
  }
  for (const name of TOTAL_HEADERS) {
    const header = headers[name];
    if (header !== undefined) return /^\d{1,15}$/.test(String(header)) ? Number(header) : undefined;
  }
  return undefined;
}
