// Reads a document from a file, standard input or an http(s) URL, never more bytes than the limit.
import { readFileSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isWebAddress } from '../../endpoint/address.ts';
import type { ImportOptions } from '../import-options.ts';
import { badDocument, overLimit } from './document-problem.ts';
import { type DocumentText, decode, toDocumentText } from './document-text.ts';
import { badStatus, type FetchResult, fetchAnswer, fetchText, type HeaderFields } from './fetch.ts';
import { findDocument, isDocument, isWorthSearching } from './find-document.ts';
import type { DocumentLimits } from './limits.ts';

export interface SourceText extends Partial<Omit<DocumentText, 'text'>> {
  /** `file`: real path. `url`: absolute URL without user info or fragment. */
  readonly kind: 'file' | 'url' | 'stdin';
  readonly location: string;
  /** The name used in messages; contains no secrets. */
  readonly label: string;
  readonly text: string;
  /** The headers sent to fetch it, and to fetch the other files it refers to. */
  readonly headers?: HeaderFields;
  /** Where it was found, if not at the address that the operator gave. */
  readonly note?: string;
}

/** Reads the document. If the address is a documentation page or the root of an API, searches for its document. */
export async function readDocument(
  source: string,
  options: ImportOptions,
  limits: DocumentLimits,
  headers: HeaderFields,
): Promise<SourceText> {
  if (!isWebAddress(source)) return readSource(source, options, limits, headers);
  const answer = await fetchAnswer(source, limits, headers);
  if (isDocument(answer)) return toSource(answer, headers);
  if (isWorthSearching(answer)) {
    options.onProgress?.(`looking for the document of ${showUrl(answer.url)}`);
    return toSource(await findDocument(answer, limits, headers), headers);
  }
  if (answer.status >= 200 && answer.status < 300) return toSource(answer, headers);
  throw badStatus(answer, headers);
}

function toSource(
  { url, text, note }: Pick<FetchResult, 'url' | 'text'> & { note?: string },
  headers: HeaderFields,
): SourceText {
  return { kind: 'url', location: url, label: showUrl(url), text, headers, ...(note === undefined ? {} : { note }) };
}

/** Reads a file: a path, `-`, or an http(s) URL, to which the headers are sent. */
export async function readSource(
  source: string,
  options: ImportOptions,
  limits: DocumentLimits,
  headers: HeaderFields,
): Promise<SourceText> {
  if (source === '-') {
    const label = 'standard input';
    const text = await readStream(options.stdin ?? process.stdin, label, limits.maxBytes);
    return { kind: 'stdin', location: source, label, text };
  }
  if (isWebAddress(source)) return toSource(await fetchText(source, limits, headers), headers);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(source)) {
    throw badDocument(
      source.split('?')[0]!,
      'is not a valid source; give a file path, an http(s) URL, or - for standard input',
    );
  }
  const location = await realpath(resolve(source)).catch((error) => throwUnreadable(source, error));
  const content = await readFileText(location, source, limits.maxBytes);
  return Object.assign(content, { kind: 'file', location, label: source } as const);
}

/** A regular file as text, at most `maxBytes`. */
export async function readFileText(path: string, label: string, maxBytes: number): Promise<DocumentText> {
  const file = await open(path, 'r').catch((error) => throwUnreadable(label, error));
  try {
    const info = await file.stat();
    if (info.isDirectory()) throw badDocument(label, 'is a folder; give the document inside it');
    // Devices and pipes have no size that could be checked, and may never end.
    if (!info.isFile()) {
      return toDocumentText(await readBytes(file.createReadStream({ autoClose: false }), label, maxBytes));
    }
    if (info.size > maxBytes) throw tooBig(label, maxBytes);
    // No other work is pending during the start, and one synchronous read is much cheaper than a loop of small ones.
    return toDocumentText(readFileSync(file.fd));
  } finally {
    await file.close();
  }
}

function throwUnreadable(label: string, { code }: NodeJS.ErrnoException): never {
  throw badDocument(label, code === 'ENOENT' ? 'does not exist; check the path' : `cannot be read (${code})`);
}

type Chunks = AsyncIterable<unknown> | Iterable<unknown>;

/** The whole stream as text, at most `maxBytes`. */
export async function readStream(stream: Chunks, label: string, maxBytes: number): Promise<string> {
  return decode(await readBytes(stream, label, maxBytes));
}

/** Throwing inside the loop also ends the stream. */
async function readBytes(stream: Chunks, label: string, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Uint8Array);
    size += bytes.length;
    if (size > maxBytes) throw tooBig(label, maxBytes);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

export function tooBig(label: string, maxBytes: number) {
  return overLimit(label, `is larger than ${Math.round(maxBytes / 1024 / 1024)} MB; split it or raise the limit`);
}

/** Origin and path only: user info and query strings may hold secrets. */
export function showUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
