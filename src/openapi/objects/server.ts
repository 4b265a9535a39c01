// Server Object: where requests go.
// https://spec.openapis.org/oas/v3.2.0.html#server-object
//
// operation > path > document servers, variables filled in, relative URLs resolved; 2.0 host and
// basePath. Nothing but the document and the caller's configuration ever decides an origin.
import { isPrivateHost } from '../../endpoint/address.ts';
import { isObject } from '../../endpoint/is-object.ts';
import { trimEnd } from '../../endpoint/plain-text.ts';
import { listAt, type Node, nodeAt, own, textAt, textsAt } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';
import type { ImportOptions } from '../import-options.ts';
import { type SourceDocument, STDIN_URI } from '../source/documents.ts';

export interface Server {
  /** Origin plus base path, no trailing slash; empty where none is known. */
  readonly url: string;
  /** Why `url` is empty. */
  readonly problem?: string;
  /** Where it was said, for `explain`. */
  readonly from: string;
  /** Chosen by a document from the network: must not lead to a private address. */
  readonly publicOnly?: boolean;
}

export interface Servers {
  /** The document's own server: the origin credentials are bound to. */
  readonly main: Server;
  readonly forOperation: (pathItem: unknown, operation: unknown) => Server;
}

export function readServers(root: SourceDocument, options: ImportOptions): Servers {
  if (options.baseUrl !== undefined) {
    const main: Server = { url: checkBaseUrl(options.baseUrl), from: 'base URL given by the caller' };
    return { main, forOperation: () => main };
  }
  if (root.dialect.major === 2) {
    const main = swaggerServer(root, undefined);
    return {
      main,
      // 2.0 lets an operation say its own schemes.
      forOperation: (_, operation) =>
        textsAt(operation, 'schemes').length > 0 ? swaggerServer(root, operation) : main,
    };
  }
  const servers = new Map<unknown, Server>();
  const read = (owner: unknown, from: string): Server | undefined => {
    const list = listAt(owner, 'servers').filter(isObject);
    if (list.length === 0) return undefined;
    const first = list[0]!;
    const server = servers.get(first) ?? pick(list, root, options, from);
    servers.set(first, server);
    return server;
  };
  // OAS 3: no servers means one with the URL `/`.
  const ofDocument =
    read(root.value, 'servers of the document') ?? toServer('/', root, 'the place the document came from');
  const main = ofDocument.url === '' ? (onlyServer(root.value, read) ?? ofDocument) : ofDocument;
  return {
    main,
    forOperation: (pathItem, operation) =>
      read(operation, 'servers of the operation') ?? read(pathItem, 'servers of the path') ?? ofDocument,
  };
}

/** A document may name its server on every path instead of once: if all of them share an origin, that is its own. */
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

/** Throws BAD_CONFIG unless it is an absolute http(s) URL without query, fragment or user info. */
function checkBaseUrl(text: string): string {
  const wrong = (why: string) =>
    new GatewayError('BAD_CONFIG', `The base URL ${why}; write it like https://api.example.com/v1.`, {
      baseUrl: URL.canParse(text) ? new URL(text).origin : '',
    });
  if (!URL.canParse(text)) throw wrong('is not an absolute URL');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw wrong(`must begin with http:// or https://, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '') throw wrong('must not hold a user name or password; use credentials');
  if (url.search !== '' || url.hash !== '') throw wrong('must not have a query string or fragment');
  return trim(url);
}

function trim(url: URL): string {
  return url.origin + trimEnd(url.pathname, '/');
}

/** The first server a request can be sent to; its variables may still be missing, and then it says so. */
function pick(list: readonly Node[], root: SourceDocument, options: ImportOptions, from: string): Server {
  let first: Server | undefined;
  for (const node of list) {
    const raw = textAt(node, 'url') ?? '/';
    const { text, missing } = fillVariables(raw, node, options);
    const server: Server =
      missing.length > 0
        ? unknown(from, `the server ${raw} needs a value for {${missing.join('}, {')}}`)
        : toServer(text, root, from);
    // ws://, sftp:// and the like are other ways in; the next one may be http.
    if (server.url !== '' || missing.length > 0) return server;
    first ??= server;
  }
  return first!;
}

function fillVariables(raw: string, node: Node, options: ImportOptions): { text: string; missing: string[] } {
  const missing: string[] = [];
  const text = raw.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const variable = nodeAt(nodeAt(node, 'variables'), name);
    const value = own(options.serverVariables, name) ?? own(variable, 'default') ?? listAt(variable, 'enum')[0];
    if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
    missing.push(name);
    return whole;
  });
  return { text, missing };
}

function toServer(text: string, root: SourceDocument, from: string): Server {
  const base = root.uri.startsWith('http') ? root.uri : undefined;
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text) && base === undefined) {
    const where = root.uri === STDIN_URI ? 'read from standard input' : 'read from a file';
    return unknown(
      from,
      text === '/' ? 'the document names no server' : `its server ${text} is relative, and the document was ${where}`,
    );
  }
  if (!URL.canParse(text, base)) return unknown(from, `its server ${text} is not a URL`);
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return unknown(from, `its server ${text} is not http(s)`);
  return admitServer(url, root, from);
}

/** Whether a document may have requests sent to an address it chose. */
export type Admission = { readonly problem: string } | { readonly problem?: never; readonly publicOnly?: true };

/**
 * A document that was fetched may send requests to where it came from, or to anywhere public; who fetches a document
 * from a private address trusts it with others. Everything else takes somebody who says so.
 */
export function admitAddress(url: URL, { uri }: SourceDocument): Admission {
  if (!uri.startsWith('http')) return {};
  const home = new URL(uri);
  if (home.hostname === url.hostname || isPrivateHost(home.hostname)) return {};
  if (isPrivateHost(url.hostname)) return { problem: `is a private address, and the document came from ${home.host}` };
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

function swaggerServer(root: SourceDocument, operation: unknown): Server {
  const base = root.uri.startsWith('http') ? new URL(root.uri) : undefined;
  const host = textAt(root.value, 'host')?.replace(/^https?:\/\//i, '') ?? base?.host;
  if (!host) return unknown('host of the document', 'the document names no host');
  const own = textsAt(operation, 'schemes');
  const schemes = (own.length > 0 ? own : textsAt(root.value, 'schemes')).map((scheme) => scheme.toLowerCase());
  const scheme = schemes.includes('https')
    ? 'https'
    : (schemes.find((name) => name === 'http') ?? base?.protocol.slice(0, -1) ?? 'https');
  if (schemes.length > 0 && !schemes.some((name) => name === 'http' || name === 'https')) {
    return unknown('schemes of the document', `the document offers ${schemes.join(', ')} but not http(s)`);
  }
  const path = `/${(textAt(root.value, 'basePath') ?? '').replace(/^\/+/, '')}`;
  if (!URL.canParse(`${scheme}://${host}${path}`))
    return unknown('host of the document', `its host ${host} is not a host`);
  return admitServer(new URL(`${scheme}://${host}${path}`), root, 'host and basePath of the document');
}
