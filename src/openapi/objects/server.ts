// Server Object: where requests go.
// https://spec.openapis.org/oas/v3.2.0.html#server-object
//
// The servers of the operation, else of the path, else of the document, with variables filled in and relative URLs resolved; in
// 2.0, host and basePath. Only the document and the operator's configuration ever decide the origin.
import { isPrivateHost, isWebUrl } from '../../endpoint/address.ts';
import { isRoot } from '../../endpoint/environment.ts';
import { isObject } from '../../endpoint/is-object.ts';
import { toPlainText, trimEnd, trimStart } from '../../endpoint/plain-text.ts';
import { listAt, type Node, nodeAt, own, textAt, textsAt } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';
import type { ImportOptions } from '../import-options.ts';
import { type SourceDocument, STDIN_URI } from '../source/documents.ts';

export interface Server {
  /** Origin plus base path, no trailing slash; empty if none is known. */
  readonly url: string;
  /** Why `url` is empty. */
  readonly problem?: string;
  /** Where it comes from, for `explain`. */
  readonly from: string;
  /** Chosen by a document from the network: must not lead to a private address. */
  readonly publicOnly?: boolean;
}

export interface Servers {
  /** The document's own server: the origin credentials are bound to. */
  readonly main: Server;
  readonly forOperation: (pathItem: unknown, operation: unknown) => Server;
  /** Which server was chosen for the operator, and how to choose another. */
  readonly notes: () => readonly string[];
}

export function readServers(root: SourceDocument, options: ImportOptions): Servers {
  const base = options.baseUrl === undefined ? undefined : checkBaseUrl(options.baseUrl);
  if (base?.hasPath) {
    const main: Server = { url: base.url, from: BASE_URL };
    return { main, forOperation: () => main, notes: () => [] };
  }
  if (root.dialect.major === 2) {
    const read = (operation: unknown) =>
      base === undefined ? swaggerServer(root, operation) : below(base.url, basePathOf(root), BASE_URL);
    const main = read(undefined);
    return {
      main,
      // In 2.0, an operation may have schemes of its own.
      forOperation: (_, operation) =>
        textsAt(operation, 'schemes').length > 0 && base === undefined ? read(operation) : main,
      notes: () => [],
    };
  }
  const servers = new Map<unknown, Server>();
  const notes = new Set<string>();
  const read = (owner: unknown, from: string): Server | undefined => {
    const list = listAt(owner, 'servers').filter(isObject);
    if (list.length === 0) return undefined;
    const first = list[0]!;
    let server = servers.get(first);
    if (server === undefined) {
      const choice = chooseServer(list, root, options, base?.url, from);
      server = choice.server;
      servers.set(first, server);
      if (base === undefined) for (const note of noteChoice(choice, list, options, from)) notes.add(note);
    }
    return server;
  };
  refuseUnknownServer(root, options);
  // OAS 3: without servers, there is one with the URL `/`.
  const ofDocument =
    read(root.value, OF_DOCUMENT) ??
    (base === undefined ? toServer('/', root, 'the address of the document') : { url: base.url, from: BASE_URL });
  const main = ofDocument.url === '' ? (onlyServer(root.value, read) ?? ofDocument) : ofDocument;
  return {
    main,
    forOperation: (pathItem, operation) =>
      read(operation, 'servers of the operation') ?? read(pathItem, 'servers of the path') ?? ofDocument,
    notes: () => [...notes],
  };
}

const OF_DOCUMENT = 'servers of the document';
const BASE_URL = 'base URL given by the caller';

/** Some documents have their server on every path instead of once. If all of these have the same origin, it is the document's. */
function onlyServer(root: unknown, read: (owner: unknown, from: string) => Server | undefined): Server | undefined {
  const byOrigin = new Map<string, Server>();
  const paths = nodeAt(root, 'paths') ?? {};
  for (const path of Object.keys(paths)) {
    const item = nodeAt(paths, path);
    for (const owner of [item, ...Object.values(item ?? {}).filter(isObject)]) {
      const server = read(owner, 'servers of the paths');
      if (server === undefined || server.url === '') continue;
      const { origin } = new URL(server.url);
      if (!byOrigin.has(origin)) byOrigin.set(origin, { ...server, url: origin });
      if (byOrigin.size > 1) return undefined;
    }
  }
  return [...byOrigin.values()][0];
}

/**
 * Throws BAD_CONFIG unless it is an absolute http(s) URL without query, fragment or user info. If it ends with its host, with or
 * without a slash, the path of the document's server is appended.
 */
function checkBaseUrl(text: string): { url: string; hasPath: boolean } {
  const wrong = (why: string) =>
    new GatewayError('BAD_CONFIG', `The base URL ${why}; write it like https://api.example.com/v1.`, {
      baseUrl: URL.canParse(text) ? new URL(text).origin : '',
    });
  if (!URL.canParse(text)) throw wrong('is not an absolute URL');
  const url = new URL(text);
  if (!isWebUrl(url)) throw wrong(`must begin with http:// or https://, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '') throw wrong('must not hold a user name or password; use credentials');
  if (url.search !== '' || url.hash !== '') throw wrong('must not have a query string or fragment');
  return { url: trim(url), hasPath: url.pathname !== '/' || isRoot(text) };
}

function trim(url: URL, origin = url.origin): string {
  return origin + trimEnd(url.pathname, '/');
}

/** The operator's origin with a path of the document. Only a real path is accepted, because `/\\host` would be another host. */
function below(origin: string, path: string, from: string): Server {
  const url = URL.canParse(path, `${origin}/`) ? new URL(path, `${origin}/`) : undefined;
  if (url === undefined || url.origin !== new URL(origin).origin)
    return unknown(
      from,
      `the path of its server, ${path}, is not a valid path; give a base URL with a path, or ${origin}/. for the root`,
    );
  return { url: trim(url, origin), from };
}

/** `ws://`, `sftp://`: servers that HTTP requests cannot be sent to. */
const OTHER_SCHEME = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i;

/** The server chosen from a list, and the variables for which the document's defaults were used. */
interface ServerChoice {
  readonly server: Server;
  readonly node: Node;
  readonly defaults: readonly string[];
}

/**
 * The first server that requests can be sent to. Values of its variables may be missing; then it has a problem instead of a URL.
 */
function chooseServer(
  list: readonly Node[],
  root: SourceDocument,
  options: ImportOptions,
  origin: string | undefined,
  from: string,
): ServerChoice {
  let first: ServerChoice | undefined;
  for (const node of candidates(list, options)) {
    const raw = textAt(node, 'url') ?? '/';
    const template = origin === undefined || OTHER_SCHEME.test(raw) ? raw : pathOf(raw, node, root, options);
    const { text, missing, defaults } = fillVariables(template, node, options);
    const server: Server =
      missing.length > 0
        ? unknown(from, `the server ${raw} needs a value for {${missing.join('}, {')}}`)
        : origin === undefined || OTHER_SCHEME.test(raw)
          ? toServer(text, root, from)
          : below(origin, text, `${BASE_URL}, with the path of the document's server`);
    const choice = { server, node, defaults };
    // With ws://, sftp:// and the like, the next server may be http.
    if (server.url !== '' || missing.length > 0) return choice;
    first ??= choice;
  }
  return first!;
}

/** The server that the operator named, or the whole list in its order. */
function candidates(list: readonly Node[], options: ImportOptions): readonly Node[] {
  const same = list.filter((node) => isNamed([node], options));
  return same.length > 0 ? same : withTls(list);
}

/** Whether the operator named one of these, by its URL, name or description. */
function isNamed(list: readonly Node[], { server }: ImportOptions): boolean {
  const texts = list.flatMap((node) => ['url', 'name', 'description'].map((key) => textAt(node, key)));
  return server !== undefined && texts.some((text) => text?.trim().toLowerCase() === server.toLowerCase());
}

/** If the first server is also in the list with https, that one comes first. */
function withTls(list: readonly Node[]): readonly Node[] {
  const first = textAt(list[0], 'url') ?? '';
  if (!first.startsWith('http:')) return list;
  const secure = list.find((node) => textAt(node, 'url') === first.replace('http:', 'https:'));
  return secure === undefined ? list : [secure, ...list.filter((node) => node !== secure)];
}

/** Refuses an unknown name, which would otherwise silently select the first server. */
function refuseUnknownServer(root: SourceDocument, options: ImportOptions): void {
  const list = listAt(root.value, 'servers').filter(isObject);
  if (options.server === undefined || isNamed(list, options)) return;
  const names = some(list.map((node) => textAt(node, 'description') ?? textAt(node, 'url') ?? '/'));
  const message = `there is no server ${JSON.stringify(options.server)}; the document has ${names || 'none'}`;
  throw new GatewayError('BAD_CONFIG', message, { field: 'server' });
}

/**
 * The path of a server's URL template. Scheme and host may be variables, and one variable may be both. A path without a leading
 * slash is relative to the address of the document.
 */
function pathOf(raw: string, node: Node, { uri }: SourceDocument, options: ImportOptions): string {
  const { text } = fillVariables(raw, node, options);
  if (/^[\w.-]+(?:\/|$)/.test(text) && uri.startsWith('http') && URL.canParse(text, uri))
    return new URL(text, uri).pathname;
  const path = text.replace(/^(?:(?:[a-z][a-z0-9+.-]*|\{[^{}]*\}):)?\/\/[^/]*|^\{[^{}]*\}(?=\/|$)/i, '');
  return `/${trimStart(path, '/')}`;
}

function fillVariables(raw: string, node: Node, options: ImportOptions) {
  const missing: string[] = [];
  const defaults: string[] = [];
  const text = raw.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = nodeAt(nodeAt(node, 'variables'), name);
    const value = own(options.serverVariables, name) ?? own(variable, 'default') ?? listAt(variable, 'enum')[0];
    if (!['string', 'number', 'boolean'].includes(typeof value)) {
      missing.push(name);
      return whole;
    }
    if (own(options.serverVariables, name) === undefined) defaults.push(name);
    return String(value);
  });
  return { text, missing, defaults };
}

const MAX_NAMED = 5;

function some(texts: readonly string[]): string {
  const rest = texts.length - MAX_NAMED;
  return texts.slice(0, MAX_NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** Reports what the operator did not choose: one server of several, or default values of variables. */
function noteChoice(
  { server, node, defaults }: ServerChoice,
  list: readonly Node[],
  options: ImportOptions,
  from: string,
): string[] {
  const label = (one: Node) => {
    const about = oneLine(textAt(one, 'name') ?? textAt(one, 'description') ?? '');
    return `${textAt(one, 'url') ?? '/'}${about === '' ? '' : ` (${about})`}`;
  };
  const others = list.filter((one) => one !== node && textAt(one, 'url') !== textAt(node, 'url'));
  const notes: string[] = [];
  const who = from === OF_DOCUMENT ? 'Requests go' : 'Some requests go';
  if (others.length > 0 && !isNamed(list, options)) {
    const what =
      server.url === ''
        ? `${label(node)} is the first of`
        : `${who} to ${label(node)}, ${node === list[0] ? 'the first of' : 'one of'}`;
    notes.push(
      `${what} ${list.length} ${from}; the others: ${some(others.map(label))}. Choose with --base-url, or server: in the domain file.`,
    );
  }
  if (defaults.length > 0 && server.url !== '') {
    const values = defaults.map((name) => {
      const variable = nodeAt(nodeAt(node, 'variables'), name);
      const value = String(own(variable, 'default') ?? listAt(variable, 'enum')[0]);
      const rest = listAt(variable, 'enum')
        .map(String)
        .filter((other) => other !== value);
      return `{${name}} = "${value}"${rest.length === 0 ? '' : ` (or ${some(rest)})`}`;
    });
    notes.push(
      `${who} to ${server.url}: the document has variables in ${textAt(node, 'url')}, and their defaults are ${values.join(', ')}. To change them, set serverVariables: in the domain file, or use --base-url.`,
    );
  }
  return notes;
}

function oneLine(text: string): string {
  return toPlainText(text).slice(0, 60);
}

function toServer(text: string, root: SourceDocument, from: string): Server {
  const base = root.uri.startsWith('http') ? root.uri : text.startsWith('//') ? 'https://server' : undefined;
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text) && base === undefined) {
    const where = root.uri === STDIN_URI ? 'read from standard input' : 'read from a file';
    return unknown(
      from,
      text === '/' ? 'the document lists no server' : `its server ${text} is relative, and the document was ${where}`,
    );
  }
  if (!URL.canParse(text, base)) return unknown(from, `its server ${text} is not a URL`);
  const url = new URL(text, base);
  if (!isWebUrl(url)) return unknown(from, `its server ${text} is not http(s)`);
  return admitServer(url, root, from);
}

/** Whether a document may have requests sent to an address that it chose. */
export type AddressAdmission = { readonly problem: string } | { readonly problem?: never; readonly publicOnly?: true };

/**
 * A fetched document may have requests sent to the host it came from, or to any public address; one that came from a private
 * address also to other private addresses. Everything else needs the operator's base URL.
 */
export function admitAddress(url: URL, { uri }: SourceDocument): AddressAdmission {
  if (!uri.startsWith('http')) return {};
  const home = new URL(uri);
  if (home.hostname === url.hostname || isPrivateHost(home.hostname)) return {};
  if (isPrivateHost(url.hostname))
    return { problem: `is a private address, and a document from ${home.host} may not send requests there` };
  return { publicOnly: true };
}

function admitServer(url: URL, root: SourceDocument, from: string): Server {
  const { problem, ...admission } = admitAddress(url, root);
  return problem === undefined
    ? { url: trim(url), from, ...admission }
    : unknown(from, `its server ${url.origin} ${problem}`);
}

function unknown(from: string, problem: string): Server {
  return { url: '', problem, from };
}

function basePathOf(root: SourceDocument): string {
  return `/${trimStart(textAt(root.value, 'basePath') ?? '', '/')}`;
}

function swaggerServer(root: SourceDocument, operation: unknown): Server {
  const base = root.uri.startsWith('http') ? new URL(root.uri) : undefined;
  const host = textAt(root.value, 'host')?.replace(/^https?:\/\//i, '') ?? base?.host;
  if (!host) return unknown('host of the document', 'the document lists no host');
  const own = textsAt(operation, 'schemes');
  const schemes = (own.length > 0 ? own : textsAt(root.value, 'schemes')).map((scheme) => scheme.toLowerCase());
  const scheme = schemes.includes('https')
    ? 'https'
    : (schemes.find((name) => name === 'http') ?? base?.protocol.slice(0, -1) ?? 'https');
  if (schemes.length > 0 && !schemes.some((name) => name === 'http' || name === 'https')) {
    return unknown('schemes of the document', `the document offers ${schemes.join(', ')} but not http(s)`);
  }
  const path = basePathOf(root);
  if (!URL.canParse(`${scheme}://${host}${path}`))
    return unknown('host of the document', `its host ${host} is not a valid host name`);
  return admitServer(new URL(`${scheme}://${host}${path}`), root, 'host and basePath of the document');
}
