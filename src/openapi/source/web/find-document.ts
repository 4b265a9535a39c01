// From an address that is no document (a documentation page, the root of an API) to the document it belongs to: what the page
// names, what its scripts name or hold, then the places where servers usually keep it. On one origin, and within limits of
// requests, bytes and time.
import { isWebUrl, originOf } from '../../../endpoint/address.ts';
import { bad } from '../document-problem.ts';
import type { Limits } from '../limits.ts';
import { showUrl } from '../read-document.ts';
import { type Fetched, type Fields, fetchAnswer } from './fetch.ts';
import { looksLikeDocument } from './inline-document.ts';
import { type PageLinks, readLinks } from './page-links.ts';
import { usualPages, wellKnownPlaces } from './well-known-places.ts';

const MAX_REQUESTS = 80;
const MAX_AT_ONCE = 6;
const MAX_REQUEST_MS = 5_000;
const MAX_SEARCH_MS = 20_000;

export interface FoundDocument {
  /** What relative addresses in it count from. */
  readonly url: string;
  readonly text: string;
  /** Where it was found, for the operator, who named another address. */
  readonly note: string;
}

/** Whether this answer is the document itself, as far as can be told without parsing it. */
export function isDocument({ status, text }: Fetched): boolean {
  return status >= 200 && status < 300 && !isHtml({ text }) && looksLikeDocument(text);
}

const OTHER_KIND = /(?:^|[{,\n"'])(?:asyncapi|arazzo|overlay|swaggerVersion)["']?\s{0,5}:/;

/**
 * Whether to search further. Pages: always. For an address with a file name, and for other kinds of documents, the error says
 * what is wrong with them instead.
 */
export function isWorthSearching(answer: Fetched): boolean {
  const { url, status, text } = answer;
  const { pathname } = new URL(url);
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && isHtml(answer)) return true;
  if (/\.(?:json|ya?ml)$/i.test(pathname)) return false;
  if (isSuccess) return !OTHER_KIND.test(text.slice(0, 2_000));
  return status === 404 || status === 405 || (pathname === '/' && (status === 401 || status === 403));
}

/** Decided by the first character, because servers also send documents as text/html. */
function isHtml({ text }: Pick<Fetched, 'text'>): boolean {
  return /^[\uFEFF\s]*</.test(text.slice(0, 500));
}

/** Throws BAD_DOCUMENT, with the places that were tried, where there is none. */
export async function findDocument(page: Fetched, limits: Limits, headers: Fields): Promise<FoundDocument> {
  const search = createSearch(page.url, limits, headers);
  const label = showUrl(page.url);
  const what =
    page.status >= 400 ? `answered ${page.status}` : isHtml(page) ? 'is a page' : 'is not an OpenAPI document';
  const document = await readPage(page, `${label} ${what}; its document`, search);
  if (document !== undefined) return document;
  const usual = await search.firstOf(wellKnownPlaces(page.url));
  if (usual !== undefined) return withNote(usual, `${label} ${what}; a document was found at ${showUrl(usual.url)}`);
  // Where the document has a place of its own, one of the usual pages names or holds it.
  await search.firstOf(usualPages(page.url));
  for (const other of search.pages()) {
    const document = await readPage(other, `${label} ${what}; the document of ${showUrl(other.url)}`, search);
    if (document !== undefined) return document;
  }
  throw bad(label, `${what}, and no OpenAPI document was found on ${originOf(page.url)}. ${search.report()}`, {
    tried: search.tried(),
  });
}

/** What a page names, itself or in its scripts, or holds. `subject` begins the note. */
async function readPage(page: Fetched, subject: string, search: Search): Promise<FoundDocument | undefined> {
  const links = readLinks(page.text, isHtml(page));
  const document = await search.followAll([...ownQuery(page.url), ...linksOf(page), ...links.documents], page.url);
  if (document !== undefined) return withNote(document, `${subject} is ${showUrl(document.url)}`);
  if (links.inline !== undefined)
    return { url: page.url, text: links.inline, note: `${subject} is in the page itself.` };
  for (const script of links.scripts) {
    const answer = await search.visit(script, page.url);
    if (answer === undefined) continue;
    const inScript: PageLinks = readLinks(answer.text, false);
    const fromScript = await search.followAll(inScript.documents, page.url);
    if (fromScript !== undefined) return withNote(fromScript, `${subject} is ${showUrl(fromScript.url)}`);
    if (inScript.inline !== undefined)
      return { url: page.url, text: inScript.inline, note: `${subject} is in ${showUrl(answer.url)}.` };
  }
  return undefined;
}

function withNote({ url, text, others }: Followed, note: string): FoundDocument {
  const more = others.length === 0 ? '' : ` The page also links to: ${others.map(showUrl).join(', ')}.`;
  return { url, text, note: `${note}.${more}` };
}

/** Swagger UI takes its document from its own address: `index.html?configUrl=/v3/api-docs/swagger-config`. */
function ownQuery(url: string): string[] {
  const { searchParams } = new URL(url);
  return ['url', 'configUrl'].flatMap((name) => searchParams.getAll(name));
}

/** `Link: </openapi.json>; rel="service-desc"`, RFC 8631. */
function linksOf({ link = '' }: Fetched): string[] {
  const targets = link.slice(0, 2_000).matchAll(/<([^<>]{1,500})>([^<>]{0,300})/g);
  return [...targets].flatMap(([, target, parameters]) => (/\bservice-desc\b/i.test(parameters!) ? [target!] : []));
}

/** A document, and what else the same page offered. */
interface Followed extends Fetched {
  readonly others: readonly string[];
}

interface Search {
  /** The answer of an address on this origin, as `page` names it; undefined where it is not asked, or gives none. */
  readonly visit: (name: string, page: string) => Promise<Fetched | undefined>;
  /** The first document among these names, or among what a configuration they lead to names. */
  readonly followAll: (names: readonly string[], page: string) => Promise<Followed | undefined>;
  /** The first document among these addresses; several are asked at once. */
  readonly firstOf: (urls: readonly string[]) => Promise<Followed | undefined>;
  /** The pages among what `firstOf` was answered, each text once. */
  readonly pages: () => readonly Fetched[];
  readonly tried: () => readonly string[];
  readonly report: () => string;
}

function createSearch(start: string, limits: Limits, headers: Fields): Search {
  const origin = originOf(start);
  const outcomes = new Map<string, string>([[start, '']]);
  const pages = new Map<string, Fetched>();
  const elsewhere = new Set<string>();
  const deadline = Date.now() + Math.min(MAX_SEARCH_MS, limits.fetchTimeoutMs);
  let bytes = 0;

  const ask = async (url: string): Promise<Fetched | undefined> => {
    const leftMs = deadline - Date.now();
    if (outcomes.has(url) || outcomes.size > MAX_REQUESTS || leftMs <= 0 || bytes > limits.maxTotalBytes)
      return undefined;
    outcomes.set(url, 'no answer');
    const shortly = { ...limits, fetchTimeoutMs: Math.min(MAX_REQUEST_MS, leftMs) };
    const answer = await fetchAnswer(url, shortly, headers).catch(() => undefined);
    if (answer === undefined) return undefined;
    bytes += answer.text.length;
    const isSuccess = answer.status >= 200 && answer.status < 300;
    outcomes.set(url, isSuccess ? (isHtml(answer) ? 'a page' : 'no document') : String(answer.status));
    return isSuccess ? answer : undefined;
  };
  /** Relative names count from the page; some scripts count them from the page as a folder. */
  const toUrls = (name: string, page: string): string[] => {
    const bases = /^(?:[a-z]+:|\/)/i.test(name) ? [page] : [page, `${page.split(/[?#]/, 1)[0]}/`];
    const urls = bases.filter((base) => URL.canParse(name, base)).map((base) => new URL(name, base));
    return [...new Set(urls.filter((url) => isHere(url)).map((url) => url.href))];
  };
  const isHere = (url: URL): boolean => {
    url.hash = '';
    url.username = '';
    url.password = '';
    if (url.origin === origin) return true;
    if (isWebUrl(url)) elsewhere.add(showUrl(url.href));
    return false;
  };
  const askAny = async (urls: readonly string[]): Promise<Fetched | undefined> => {
    for (const url of urls) {
      const answer = await ask(url);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };
  const remaining = (places: readonly (readonly string[])[]) => [
    ...new Set(places.flatMap((urls) => urls.slice(0, 1)).filter((url) => !outcomes.has(url))),
  ];
  const follow = async (names: readonly string[], page: string, depth: number): Promise<Followed | undefined> => {
    const places = names.map((name) => toUrls(name, page));
    for (const [position, urls] of places.entries()) {
      const answer = await askAny(urls);
      if (answer === undefined) continue;
      if (isDocument(answer)) return { ...answer, others: remaining(places.slice(position + 1)) };
      // swagger-config of springdoc, swagger-resources of springfox: a list of documents.
      const inner = depth > 0 ? readLinks(answer.text, isHtml(answer)).documents : [];
      const document = inner.length > 0 ? await follow(inner, page, depth - 1) : undefined;
      if (document !== undefined) return document;
    }
    return undefined;
  };
  return {
    visit: (name, page) => askAny(toUrls(name, page)),
    followAll: (names, page) => follow(names, page, 1),
    firstOf: async (urls) => {
      for (let from = 0; from < urls.length; from += MAX_AT_ONCE) {
        const answers = await Promise.all(urls.slice(from, from + MAX_AT_ONCE).map(ask));
        const document = answers.find((answer) => answer !== undefined && isDocument(answer));
        if (document !== undefined) return { ...document, others: [] };
        for (const answer of answers) if (answer !== undefined && isHtml(answer)) pages.set(answer.text, answer);
      }
      return undefined;
    },
    pages: () => [...pages.values()],
    tried: () => [...outcomes.keys()].slice(1),
    report: () => renderReport([...outcomes].slice(1), [...elsewhere]),
  };
}

const MAX_SHOWN = 12;

function renderReport(
  outcomes: readonly (readonly [url: string, outcome: string])[],
  elsewhere: readonly string[],
): string {
  const byOutcome = new Map<string, string[]>();
  for (const [url, outcome] of outcomes) {
    const { pathname } = new URL(url);
    const same = byOutcome.get(outcome);
    if (same) same.push(pathname);
    else byOutcome.set(outcome, [pathname]);
  }
  const groups = [...byOutcome].map(([outcome, paths]) => {
    const more = paths.length - MAX_SHOWN;
    return `${paths.slice(0, MAX_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''} (${outcome})`;
  });
  const wantsLogin = byOutcome.has('401') || byOutcome.has('403');
  return [
    `Tried: ${groups.join('; ') || 'nothing'}.`,
    ...(elsewhere.length === 0
      ? []
      : [
          `The page links to ${elsewhere.slice(0, 3).join(', ')} on another origin; give that address itself if you trust it.`,
        ]),
    wantsLogin
      ? 'Some need credentials: pass --header.'
      : 'Give the address of the document itself, or download it and give the file.',
  ].join(' ');
}
