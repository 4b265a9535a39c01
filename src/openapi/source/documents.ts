// The document and the other files that its `$ref`s name. All are read in advance, because schemas are built synchronously, on
// demand. For a file that cannot be read, the reason is kept; only operations that need the file fail.
import { realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isWebUrl } from '../../endpoint/address.ts';
import { isObject } from '../../endpoint/is-object.ts';
import { decodePercent, own, textAt } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';
import type { ImportOptions } from '../import-options.ts';
import { badDocument } from './document-problem.ts';
import type { ExternalRefs, OneWayKeywords } from './document-scan.ts';
import { fetchText } from './fetch.ts';
import type { DocumentLimits } from './limits.ts';
import { type ParsedText, parseText } from './parse.ts';
import { readFileText, type SourceText, showUrl } from './read-document.ts';

export interface SourceDocument {
  /** Absolute URI without fragment; relative `$ref`s inside resolve against it. */
  readonly uri: string;
  /** The name used in messages. */
  readonly label: string;
  readonly value: unknown;
  readonly dialect: Dialect;
  readonly isRoot: boolean;
}

export interface DocumentSet {
  readonly root: SourceDocument;
  /** The document at an absolute URI, or why there is none. */
  readonly find: (uri: string) => SourceDocument | string;
  /** The keywords of all documents together. */
  readonly oneWay: OneWayKeywords;
  readonly warnings: readonly string[];
}

export const STDIN_URI = 'stdin:///document';

export function uriOf(source: SourceText): string {
  if (source.kind === 'file') return pathToFileURL(source.location).href;
  return source.kind === 'url' ? source.location : STDIN_URI;
}

/** Reads, within limits, every file that can be reached from the root. document-scan.ts decides what counts as a reference. */
export async function collectDocuments(
  source: SourceText,
  { value, external, oneWay }: ParsedText,
  options: ImportOptions,
  limits: DocumentLimits,
): Promise<DocumentSet> {
  const { label } = source;
  const root: SourceDocument = { uri: uriOf(source), isRoot: true, label, value, dialect: dialectOf(value, label) };
  if (options.onFile !== undefined) options.onFile(root.uri, source.text);
  const byUri = new Map<string, SourceDocument | string>([[root.uri, root]]);
  // OAS 3.2 `$self`: a name the document gives itself; never a place to fetch from.
  const self = textAt(value, '$self');
  if (self !== undefined && URL.canParse(self, root.uri))
    byUri.set(withoutFragment(new URL(self, root.uri).href), root);

  const warnings: string[] = [];
  let { readOnly, writeOnly } = oneWay;
  let files = 1;
  let tries = 0;
  const deadline = Date.now() + limits.fetchTimeoutMs * 4;
  let bytes = source.bytes ?? source.text.length;
  const queue: [SourceDocument, string][] = [];
  /** References of extensions: read last, and only when a `$ref` leads into an extension. */
  const fromExtensions: [SourceDocument, string][] = [];
  let entersExtensions = false;
  const enqueue = (from: SourceDocument, { refs, extensionRefs, ...more }: ExternalRefs) => {
    for (const ref of refs) queue.push([from, ref]);
    for (const ref of extensionRefs) fromExtensions.push([from, ref]);
    entersExtensions ||= more.entersExtensions;
  };
  enqueue(root, external);
  for (let next = 0; ; next++) {
    if (next === queue.length && entersExtensions) for (const entry of fromExtensions.splice(0)) queue.push(entry);
    const [from, ref] = queue[next] ?? [];
    if (from === undefined || ref === undefined) break;
    const uri = resolveUri(ref, from.uri);
    if (uri === undefined || byUri.has(uri)) continue;
    const file =
      ++tries > limits.maxFiles || bytes >= limits.maxTotalBytes
        ? `was not read: a document may have at most ${limits.maxFiles} files and ${limits.maxTotalBytes} bytes in all`
        : Date.now() > deadline
          ? 'was not read: the other files of the document took too long'
          : await readReferencedFile(uri, source, options, limits);
    if (typeof file === 'string') {
      byUri.set(uri, file);
      continue;
    }
    files++;
    bytes += file.bytes ?? file.text.length;
    options.onProgress?.(`read ${file.label} (${files} files)`);
    if (options.onFile !== undefined) options.onFile(uri, file.text);
    try {
      const content = await parseText(file, file.label, limits);
      readOnly ||= content.oneWay.readOnly;
      writeOnly ||= content.oneWay.writeOnly;
      const isDocument = textAt(content.value, 'openapi') || textAt(content.value, 'swagger');
      const dialect = isDocument ? dialectOf(content.value, file.label) : root.dialect;
      const document: SourceDocument = { uri, isRoot: false, label: file.label, value: content.value, dialect };
      byUri.set(uri, document);
      warnings.push(...content.warnings);
      enqueue(document, content.external);
    } catch (error) {
      byUri.set(uri, `names a file that cannot be used: ${(error as Error).message}`);
    }
  }
  return {
    root,
    warnings,
    oneWay: { readOnly, writeOnly },
    find: (uri) => byUri.get(uri) ?? 'names a document that was not loaded',
  };
}

/** The absolute URI a `$ref` names, without its fragment; undefined if the reference is not a URI. */
export function resolveUri(ref: string, base: string): string | undefined {
  const bare = withoutFragment(ref);
  return URL.canParse(bare, base) ? withoutFragment(new URL(bare, base).href) : undefined;
}

function withoutFragment(uri: string): string {
  const hash = uri.indexOf('#');
  return hash < 0 ? uri : uri.slice(0, hash);
}

type ReferencedFile = Pick<SourceText, 'label' | 'text' | 'bytes' | 'json'>;

/** The file, or why it is not read. */
async function readReferencedFile(
  uri: string,
  root: SourceText,
  options: ImportOptions,
  limits: DocumentLimits,
): Promise<ReferencedFile | string> {
  const url = new URL(uri);
  if (root.kind === 'stdin')
    return 'points outside of a document read from standard input; give the document as a file';
  if (root.kind === 'url') {
    if (url.origin !== new URL(root.location).origin || !isWebUrl(url)) {
      return `points to ${url.origin === 'null' ? url.protocol : url.origin}, another origin than the document's; references to other origins are never fetched`;
    }
    // If the document needs a header, so do its other files; they are on the same origin.
    return fetchText(uri, limits, root.headers).then(
      ({ text }) => ({ label: showUrl(uri), text }),
      (error) => `cannot be fetched: ${(error as Error).message}`,
    );
  }
  if (url.protocol !== 'file:') {
    return `points to ${url.protocol}//${url.host}, but a local document may only use files in its own folder`;
  }
  if (url.host !== '')
    return `points to the host ${url.host}, but a local document may only use files in its own folder`;
  return readConfinedFile(url, dirname(root.location), options.refsRoot, limits);
}

async function readConfinedFile(
  url: URL,
  folder: string,
  refsRoot: string | undefined,
  limits: DocumentLimits,
): Promise<ReferencedFile | string> {
  const path = decodePercent(url.pathname);
  if (path.includes('\0')) return 'names a file that does not exist';
  const target = await confine(path, folder, refsRoot);
  if (!target.ok) return target.reason;
  const label = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path.split('/').slice(-2).join('/');
  try {
    return Object.assign(await readFileText(target.path, label, limits.maxBytes), { label });
  } catch (error) {
    if (error instanceof GatewayError) return `names a file that cannot be used: ${error.message}`;
    throw error;
  }
}

type ConfinedPath = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

/**
 * Which files a `$ref` may reach. A document is untrusted: the files it names must lie in its own folder (symbolic links followed),
 * or below the one other folder that the operator allowed. `path` is as written in a `$ref`, `folder` the real path of the
 * document's folder, `refsRoot` as the operator gave it.
 */
async function confine(path: string, folder: string, refsRoot: string | undefined): Promise<ConfinedPath> {
  const extra = refsRoot === undefined ? [] : [resolve(refsRoot)];
  const real = await Promise.all(extra.map((root) => realpath(root).catch(() => root)));
  const roots = [folder, ...extra, ...real];
  // Refuse by name before touching the disk, so that a document cannot probe for files.
  if (!isInsideAny(path, roots)) return refusePath(path);
  try {
    const target = await realpath(path);
    return isInsideAny(target, [folder, ...real]) ? { ok: true, path: target } : refusePath(target);
  } catch {
    return { ok: false, reason: 'names a file that does not exist' };
  }
}

function isInsideAny(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const way = relative(folder, path);
    return way !== '' && !way.startsWith(`..${sep}`) && way !== '..' && join(folder, way) === path;
  });
}

function refusePath(path: string): ConfinedPath {
  const folder = dirname(path);
  const near = relative('.', folder);
  const suggestion = near !== '' && near.length < folder.length ? near : folder;
  return {
    ok: false,
    reason: `leaves the document's folder; if you trust what is there, allow it with --refs-root ${suggestion} (in a domain file: refsRoot)`,
  };
}

/** The version of OpenAPI. */
export interface Dialect {
  /** `3.1` stands for 3.1 and 3.2: both use JSON Schema 2020-12. */
  readonly schema: '2.0' | '3.0' | '3.1';
  readonly major: 2 | 3;
  readonly minor: number;
}

/** Throws BAD_DOCUMENT for anything that is not OpenAPI 2.0 or 3.x. */
function dialectOf(value: unknown, label: string): Dialect {
  if (!isObject(value)) throw badDocument(label, 'is not an OpenAPI document: its top level must be an object');
  const swagger = own(value, 'swagger');
  const openapi = own(value, 'openapi');
  // YAML reads an unquoted 2.0 as the number 2, and 3.0 as 3.
  const version = String(openapi ?? swagger ?? '');
  const match = /^(\d+)(?:\.(\d+))?/.exec(version);
  const major = Number(match?.[1]);
  const minor = Number(match?.[2] ?? 0);
  if (major === 2 && openapi === undefined) return { schema: '2.0', major: 2, minor: 0 };
  if (major === 3) return { schema: minor === 0 ? '3.0' : '3.1', major: 3, minor };
  if (match) {
    throw badDocument(
      label,
      `says version ${version}; Landbridge reads Swagger 2.0 and OpenAPI 3.x, so convert it first`,
    );
  }
  throw badDocument(label, `is not an OpenAPI document: ${describeOther(value)}`);
}

/** What a document without a version of OpenAPI seems to be instead. */
function describeOther(value: object): string {
  const has = (key: string) => Object.hasOwn(value, key);
  if (has('asyncapi')) return 'it is an AsyncAPI document';
  if (has('arazzo')) return 'it is an Arazzo document';
  if (has('overlay')) return 'it is an Overlay; give the OpenAPI document and pass this one as an overlay';
  if (has('swaggerVersion')) return 'it is Swagger 1.x; convert it to OpenAPI 3 first';
  if (has('info') && has('item')) return 'it is a Postman collection; export it as OpenAPI first';
  if (has('openapi') || has('swagger')) return 'its version is empty; write openapi: 3.1.0';
  return 'it has neither an `openapi` nor a `swagger` field at its top level';
}
