// The document and the other files that its `$ref`s name, all read in advance: schemas are built on demand, synchronously. For a
// file that cannot be read, the reason is kept; only operations that need it fail.
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isWebUrl } from '../../endpoint/address.ts';
import { decodeText, textAt } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';
import type { ImportOptions } from '../import-options.ts';
import { confine } from './confine.ts';
import { type Dialect, dialectOf } from './dialect.ts';
import type { ExternalRefs } from './external-refs.ts';
import type { Limits } from './limits.ts';
import { type ParsedText, parseText } from './parse.ts';
import { readFileText, type SourceText, showUrl } from './read-document.ts';
import type { OneWayWords } from './survey.ts';
import { fetchText } from './web/fetch.ts';

export interface SourceDocument {
  /** Absolute URI without fragment; relative `$ref`s inside resolve against it. */
  readonly uri: string;
  /** How messages call it. */
  readonly label: string;
  readonly value: unknown;
  readonly dialect: Dialect;
  readonly isRoot: boolean;
}

export interface DocumentSet {
  readonly root: SourceDocument;
  /** The document at an absolute URI, or why there is none. */
  readonly find: (uri: string) => SourceDocument | string;
  /** Of all documents together. */
  readonly oneWay: OneWayWords;
  readonly warnings: readonly string[];
}

export const STDIN_URI = 'stdin:///document';

export function uriOf(source: SourceText): string {
  if (source.kind === 'file') return pathToFileURL(source.location).href;
  return source.kind === 'url' ? source.location : STDIN_URI;
}

/** Reads every file reachable from the root by what counts as a reference (external-refs.ts), within limits. */
export async function collectDocuments(
  source: SourceText,
  { value, external, oneWay }: ParsedText,
  options: ImportOptions,
  limits: Limits,
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
  /** What only extensions name: read last, and only when a `$ref` leads into an extension. */
  const later: [SourceDocument, string][] = [];
  let entersExtensions = false;
  const enqueue = (from: SourceDocument, { refs, extensionRefs, ...more }: ExternalRefs) => {
    for (const ref of refs) queue.push([from, ref]);
    for (const ref of extensionRefs) later.push([from, ref]);
    entersExtensions ||= more.entersExtensions;
  };
  enqueue(root, external);
  for (let next = 0; ; next++) {
    if (next === queue.length && entersExtensions) for (const entry of later.splice(0)) queue.push(entry);
    const [from, ref] = queue[next] ?? [];
    if (from === undefined || ref === undefined) break;
    const uri = resolveUri(ref, from.uri);
    if (uri === undefined || byUri.has(uri)) continue;
    const file =
      ++tries > limits.maxFiles || bytes >= limits.maxTotalBytes
        ? `was not read: a document may have at most ${limits.maxFiles} files and ${limits.maxTotalBytes} bytes in all`
        : Date.now() > deadline
          ? 'was not read: the other files of the document took too long'
          : await readPart(uri, source, options, limits);
    if (typeof file === 'string') {
      byUri.set(uri, file);
      continue;
    }
    files++;
    bytes += file.bytes ?? file.text.length;
    options.onProgress?.(`read ${file.label} (${files} files)`);
    if (options.onFile !== undefined) options.onFile(uri, file.text);
    try {
      const { value, external: references, warnings: inner, oneWay: words } = await parseText(file, file.label, limits);
      readOnly ||= words.readOnly;
      writeOnly ||= words.writeOnly;
      const isDocument = textAt(value, 'openapi') || textAt(value, 'swagger');
      const dialect = isDocument ? dialectOf(value, file.label) : root.dialect;
      const part: SourceDocument = { uri, isRoot: false, label: file.label, value, dialect };
      byUri.set(uri, part);
      warnings.push(...inner);
      enqueue(part, references);
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

/** The absolute URI a `$ref` names, without its fragment; undefined where it is no URI at all. */
export function resolveUri(ref: string, base: string): string | undefined {
  const bare = withoutFragment(ref);
  return URL.canParse(bare, base) ? withoutFragment(new URL(bare, base).href) : undefined;
}

function withoutFragment(uri: string): string {
  const hash = uri.indexOf('#');
  return hash < 0 ? uri : uri.slice(0, hash);
}

type Part = Pick<SourceText, 'label' | 'text' | 'bytes' | 'json'>;

async function readPart(uri: string, root: SourceText, options: ImportOptions, limits: Limits): Promise<Part | string> {
  const url = new URL(uri);
  if (root.kind === 'stdin')
    return 'points outside of a document read from standard input; give the document as a file';
  if (root.kind === 'url') {
    if (url.origin !== new URL(root.location).origin || !isWebUrl(url)) {
      return `points to ${url.origin === 'null' ? url.protocol : url.origin}, another origin than the document's; references to other origins are never fetched`;
    }
    // Parts of a document that wants a header want it too, and the origin is the same.
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
  return readConfined(url, dirname(root.location), options.refsRoot, limits);
}

async function readConfined(
  url: URL,
  folder: string,
  refsRoot: string | undefined,
  limits: Limits,
): Promise<Part | string> {
  const path = decodeText(url.pathname);
  if (path.includes('\0')) return 'names a file that does not exist';
  const place = await confine(path, folder, refsRoot);
  if (!place.ok) return place.reason;
  const label = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path.split('/').slice(-2).join('/');
  try {
    return Object.assign(await readFileText(place.path, label, limits.maxBytes), { label });
  } catch (error) {
    if (error instanceof GatewayError) return `names a file that cannot be used: ${error.message}`;
    throw error;
  }
}
