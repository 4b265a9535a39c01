// Finds the document that belongs to an address that is not a document itself (a documentation page, the root of an API): in what
// the page refers to, in its scripts, then at the addresses where servers usually publish it. Stays on one origin, with limits for
// requests, bytes and time.
import { isWebUrl, originOf } from '../../endpoint/address.ts';
import { badDocument } from './document-problem.ts';
import { type FetchResult, fetchAnswer, type HeaderFields } from './fetch.ts';
import type { DocumentLimits } from './limits.ts';
import { looksLikeDocument, type PageLinks, readLinks } from './page-links.ts';
import { showUrl } from './read-document.ts';

const MAX_REQUESTS = 80;
const MAX_AT_ONCE = 6;
const MAX_REQUEST_MS = 5_000;
const MAX_SEARCH_MS = 20_000;

export interface FoundDocument {
  /** The base of relative addresses in it. */
  readonly url: string;
  readonly text: string;
  /** Where it was found; for the operator, who gave another address. */
  readonly note: string;
}

/** Whether this answer looks like the document itself; it is not parsed. */
export function isDocument({ status, text }: FetchResult): boolean {
  return status >= 200 && status < 300 && !isHtml({ text }) && looksLikeDocument(text);
}

const OTHER_KIND = /(?:^|[{,\n"'])(?:asyncapi|arazzo|overlay|swaggerVersion)["']?\s{0,5}:/;

/**
 * Whether to search further: always from pages. For an address with a file name, and for other kinds of documents, an error that
 * explains what is wrong helps more.
 */
export function isWorthSearching(answer: FetchResult): boolean {
  const { url, status, text } = answer;
  const { pathname } = new URL(url);
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && isHtml(answer)) return true;
  if (/\.(?:json|ya?ml)$/i.test(pathname)) return false;
  if (isSuccess) return !OTHER_KIND.test(text.slice(0, 2_000));
  return status === 404 || status === 405 || (pathname === '/' && (status === 401 || status === 403));
}

/** Decided by the first character, because some servers send documents as text/html. */
function isHtml({ text }: Pick<FetchResult, 'text'>): boolean {
  return /^[\uFEFF\s]*</.test(text.slice(0, 500));
}

/** Throws BAD_DOCUMENT, with the addresses that were tried, if there is no document. */
export async function findDocument(
  page: FetchResult,
  limits: DocumentLimits,
  headers: HeaderFields,
): Promise<FoundDocument> {
  const search = new DocumentSearch(page.url, limits, headers);
  const label = showUrl(page.url);
  const what =
    page.status >= 400 ? `answered ${page.status}` : isHtml(page) ? 'is a page' : 'is not an OpenAPI document';
  const document = await readPage(page, `${label} ${what}; its document`, search);
  if (document !== undefined) return document;
  const usual = await search.firstOf(wellKnownPlaces(page.url));
  if (usual !== undefined) return withNote(usual, `${label} ${what}; a document was found at ${showUrl(usual.url)}`);
  // If the document has an unusual address, one of the usual pages may refer to it or contain it.
  await search.firstOf(usualPages(page.url));
  for (const other of search.pages) {
    const document = await readPage(other, `${label} ${what}; the document of ${showUrl(other.url)}`, search);
    if (document !== undefined) return document;
  }
  throw badDocument(label, `${what}, and no OpenAPI document was found on ${originOf(page.url)}. ${search.report()}`, {
    tried: search.tried,
  });
}

/** The document that a page or one of its scripts refers to or contains. `subject` begins the note. */
async function readPage(
  page: FetchResult,
  subject: string,
  search: DocumentSearch,
): Promise<FoundDocument | undefined> {
  const links = readLinks(page.text, isHtml(page));
  const document = await search.follow([...ownQuery(page.url), ...linksOf(page), ...links.documents], page.url);
  if (document !== undefined) return withNote(document, `${subject} is ${showUrl(document.url)}`);
  if (links.inline !== undefined)
    return { url: page.url, text: links.inline, note: `${subject} is in the page itself.` };
  for (const script of links.scripts) {
    const answer = await search.visit(script, page.url);
    if (answer === undefined) continue;
    const inScript: PageLinks = readLinks(answer.text, false);
    const fromScript = await search.follow(inScript.documents, page.url);
    if (fromScript !== undefined) return withNote(fromScript, `${subject} is ${showUrl(fromScript.url)}`);
    if (inScript.inline !== undefined)
      return { url: page.url, text: inScript.inline, note: `${subject} is in ${showUrl(answer.url)}.` };
  }
  return undefined;
}

function withNote({ url, text, others }: FoundAnswer, note: string): FoundDocument {
  const more = others.length === 0 ? '' : ` The page also links to: ${others.map(showUrl).join(', ')}.`;
  return { url, text, note: `${note}.${more}` };
}

/** Swagger UI reads the address of its document from its own query: `index.html?configUrl=/v3/api-docs/swagger-config`. */
function ownQuery(url: string): string[] {
  const { searchParams } = new URL(url);
  return ['url', 'configUrl'].flatMap((name) => searchParams.getAll(name));
}

/** `Link: </openapi.json>; rel="service-desc"`, RFC 8631. */
function linksOf({ link = '' }: FetchResult): string[] {
  const targets = link.slice(0, 2_000).matchAll(/<([^<>]{1,500})>([^<>]{0,300})/g);
  return [...targets].flatMap(([, target, parameters]) => (/\bservice-desc\b/i.test(parameters!) ? [target!] : []));
}

/** A document, and what else the same page refers to. */
interface FoundAnswer extends FetchResult {
  readonly others: readonly string[];
}

class DocumentSearch {
  readonly #origin: string | undefined;
  readonly #limits: DocumentLimits;
  readonly #headers: HeaderFields;
  readonly #deadline: number;
  /** What each address answered; the first is the page itself. */
  readonly #outcomes: Map<string, string>;
  /** The HTML pages that `firstOf` met, each text once. */
  readonly #pages = new Map<string, FetchResult>();
  /** Addresses on other origins, which are never requested. */
  readonly #foreignUrls = new Set<string>();
  #bytes = 0;

  constructor(start: string, limits: DocumentLimits, headers: HeaderFields) {
    this.#origin = originOf(start);
    this.#limits = limits;
    this.#headers = headers;
    this.#deadline = Date.now() + Math.min(MAX_SEARCH_MS, limits.fetchTimeoutMs);
    this.#outcomes = new Map([[start, '']]);
  }

  get pages(): readonly FetchResult[] {
    return [...this.#pages.values()];
  }

  get tried(): readonly string[] {
    return [...this.#outcomes.keys()].slice(1);
  }

  report(): string {
    return renderReport([...this.#outcomes].slice(1), [...this.#foreignUrls]);
  }

  /** The answer of an address written in `page`; undefined if it has another origin, was requested before or does not answer. */
  visit(address: string, page: string): Promise<FetchResult | undefined> {
    return this.#fetchFirst(this.#toUrls(address, page));
  }

  /**
   * The first document among addresses written in `page`, or among those in a configuration at one of them, to which `depth` more levels
   * are followed.
   */
  async follow(addresses: readonly string[], page: string, depth = 1): Promise<FoundAnswer | undefined> {
    const places = addresses.map((address) => this.#toUrls(address, page));
    for (const [position, urls] of places.entries()) {
      const answer = await this.#fetchFirst(urls);
      if (answer === undefined) continue;
      if (isDocument(answer)) return { ...answer, others: this.#firstNew(places.slice(position + 1)) };
      // swagger-config of springdoc, swagger-resources of springfox: a list of documents.
      const inner = depth > 0 ? readLinks(answer.text, isHtml(answer)).documents : [];
      const document = inner.length > 0 ? await this.follow(inner, page, depth - 1) : undefined;
      if (document !== undefined) return document;
    }
    return undefined;
  }

  /** The first document among these addresses, several of which are requested at once. */
  async firstOf(urls: readonly string[]): Promise<FoundAnswer | undefined> {
    for (let from = 0; from < urls.length; from += MAX_AT_ONCE) {
      const answers = await Promise.all(urls.slice(from, from + MAX_AT_ONCE).map((url) => this.#fetch(url)));
      const document = answers.find((answer) => answer !== undefined && isDocument(answer));
      if (document !== undefined) return { ...document, others: [] };
      for (const answer of answers) if (answer !== undefined && isHtml(answer)) this.#pages.set(answer.text, answer);
    }
    return undefined;
  }

  async #fetch(url: string): Promise<FetchResult | undefined> {
    const leftMs = this.#deadline - Date.now();
    const outcomes = this.#outcomes;
    if (outcomes.has(url) || outcomes.size > MAX_REQUESTS || leftMs <= 0 || this.#bytes > this.#limits.maxTotalBytes)
      return undefined;
    outcomes.set(url, 'no answer');
    const limits = { ...this.#limits, fetchTimeoutMs: Math.min(MAX_REQUEST_MS, leftMs) };
    const answer = await fetchAnswer(url, limits, this.#headers).catch(() => undefined);
    if (answer === undefined) return undefined;
    this.#bytes += answer.text.length;
    const isSuccess = answer.status >= 200 && answer.status < 300;
    outcomes.set(url, isSuccess ? (isHtml(answer) ? 'a page' : 'no document') : String(answer.status));
    return isSuccess ? answer : undefined;
  }

  async #fetchFirst(urls: readonly string[]): Promise<FetchResult | undefined> {
    for (const url of urls) {
      const answer = await this.#fetch(url);
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  /** The URLs that an address may mean, on this origin: relative to the page or, in some scripts, to the page as a folder. */
  #toUrls(address: string, page: string): string[] {
    const bases = /^(?:[a-z]+:|\/)/i.test(address) ? [page] : [page, `${page.split(/[?#]/, 1)[0]}/`];
    const urls = bases.filter((base) => URL.canParse(address, base)).map((base) => new URL(address, base));
    return [...new Set(urls.filter((url) => this.#isOnOrigin(url)).map(bareUrl))];
  }

  #isOnOrigin(url: URL): boolean {
    if (url.origin === this.#origin) return true;
    if (isWebUrl(url)) this.#foreignUrls.add(showUrl(url.href));
    return false;
  }

  /** The first URL of each place, if it was not requested yet. */
  #firstNew(places: readonly (readonly string[])[]): string[] {
    return [...new Set(places.flatMap((urls) => urls.slice(0, 1)).filter((url) => !this.#outcomes.has(url)))];
  }
}

/** Without user info and fragment. */
function bareUrl(url: URL): string {
  const bare = new URL(url);
  bare.hash = '';
  bare.username = '';
  bare.password = '';
  return bare.href;
}

const MAX_PATHS_SHOWN = 12;

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
    const more = paths.length - MAX_PATHS_SHOWN;
    return `${paths.slice(0, MAX_PATHS_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''} (${outcome})`;
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

// Where servers usually publish their document: the defaults of common frameworks and products.

/** In the folder of the page, and in the folders above it. */
const NEAR_PAGE = 'openapi.json openapi.yaml swagger.json v3/api-docs swagger.yaml json api-docs api-json'.split(' ');

/** From the root: FastAPI, Spring, ASP.NET, NestJS, Fastify, Hono, Elysia, Litestar, Quarkus, Django, Laravel, Symfony, Rails … */
const AT_ROOT = `
  openapi.json openapi.yaml openapi.yml swagger.json swagger.yaml v3/api-docs api-json api/openapi.json
  documentation/json swagger/v1/swagger.json openapi/v1.json doc openapi docs/openapi.json docs-json
  api-docs api/docs api/schema/ v2/api-docs swagger/json openapi/json schema/openapi.json q/openapi
  api/swagger.json api/v1/openapi.json api/v3/openapi.json v1/openapi.json docs/json docs/swagger.json
  api-docs/swagger.json api-docs/v1/swagger.yaml api-docs/openapi.json api/docs.json docs/api-docs.json apispec_1.json
  swagger.v1.json server/specs/oas .well-known/openapi.json`
  .trim()
  .split(/\s+/);

/** Where documentation pages usually are. */
const USUAL_PAGES = 'docs swagger api-docs/ documentation ui swagger-ui/index.html redoc reference scalar api'.split(
  ' ',
);

/** Pages that may refer to a document that is at none of the usual addresses. */
function usualPages(page: string): string[] {
  return USUAL_PAGES.map((name) => `${new URL(page).origin}/${name}`);
}

const MAX_FOLDERS = 3;

/** Absolute addresses on the origin of `page`, the likeliest first. */
function wellKnownPlaces(page: string): string[] {
  const { origin, pathname } = new URL(page);
  const path = pathname.replace(/\/$/, '');
  const segments = path.split('/').filter((segment) => segment !== '');
  const isFile = /\.[a-z]{2,5}$/i.test(path);
  // The document of /api is at /api-json (NestJS), of /docs at /docs.json, of /swagger at /swagger/?format=openapi (Django).
  const ofPage = path === '' || isFile ? [] : ['-json', '-yaml', '.json', '.yaml', '/?format=openapi'];
  const folders = segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}/`);
  if (isFile) folders.pop();
  const near = folders.reverse().slice(0, MAX_FOLDERS);
  return [
    ...new Set([
      ...ofPage.map((end) => origin + path + end),
      ...near.flatMap((folder) => NEAR_PAGE.map((name) => origin + folder + name)),
      ...AT_ROOT.map((name) => `${origin}/${name}`),
    ]),
  ];
}
