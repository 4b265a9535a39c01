// Bytes of a document: from a file, standard input or an http(s) URL, never more than the limit.
import { readFileSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isWebAddress } from '../../endpoint/address.ts';
import type { ImportOptions } from '../import-options.ts';
import { bad, tooMuch } from './document-problem.ts';
import { type DocumentText, decode, toDocumentText } from './document-text.ts';
import type { Limits } from './limits.ts';
import { badStatus, type Fetched, type Fields, fetchAnswer, fetchText } from './web/fetch.ts';
import { findDocument, isDocument, isWorthSearching } from './web/find-document.ts';

export interface SourceText extends Partial<Omit<DocumentText, 'text'>> {
  /** `file`: real path. `url`: absolute URL without user info or fragment. */
  readonly kind: 'file' | 'url' | 'stdin';
  readonly location: string;
  /** How messages call it; holds no secrets. */
  readonly label: string;
  readonly text: string;
  /** What its origin was sent to get it, and gets for its parts. */
  readonly headers?: Fields;
  /** Where it was found, if not at the address that was named. */
  readonly note?: string;
}

/** Reads the document a caller named. Where the address is a documentation page or the root of an API, its document is looked for. */
export async function readDocument(
  source: string,
  options: ImportOptions,
  limits: Limits,
  headers: Fields,
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

function toSource({ url, text, note }: Pick<Fetched, 'url' | 'text'> & { note?: string }, headers: Fields): SourceText {
  return { kind: 'url', location: url, label: showUrl(url), text, headers, ...(note === undefined ? {} : { note }) };
}

/** Reads the file a caller named: a path, an http(s) URL, which gets the headers, or `-`. */
export async function readSource(
  source: string,
  options: ImportOptions,
  limits: Limits,
  headers: Fields,
): Promise<SourceText> {
  if (source === '-') {
    const label = 'standard input';
    const text = await readStream(options.stdin ?? process.stdin, label, limits.maxBytes);
    return { kind: 'stdin', location: source, label, text };
  }
  if (isWebAddress(source)) return toSource(await fetchText(source, limits, headers), headers);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(source)) {
    throw bad(
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
    if (info.isDirectory()) throw bad(label, 'is a folder; give the document inside it');
    // Devices and pipes have no size to check and may never end.
    if (!info.isFile()) {
      return toDocumentText(await readBytes(file.createReadStream({ autoClose: false }), label, maxBytes));
    }
    if (info.size > maxBytes) throw tooBig(label, maxBytes);
    // At start nothing else waits, and one read is much cheaper than a loop of small ones.
    return toDocumentText(readFileSync(file.fd));
  } finally {
    await file.close();
  }
}

function throwUnreadable(label: string, { code }: NodeJS.ErrnoException): never {
  throw bad(label, code === 'ENOENT' ? 'does not exist; check the path' : `cannot be read (${code})`);
}

type Chunks = AsyncIterable<unknown> | Iterable<unknown>;

/** All a stream gives, as text, at most `maxBytes`. */
export async function readStream(stream: Chunks, label: string, maxBytes: number): Promise<string> {
  return decode(await readBytes(stream, label, maxBytes));
}

/** Leaving the loop ends the stream. */
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
  return tooMuch(label, `is larger than ${Math.round(maxBytes / 1024 / 1024)} MB; split it or raise the limit`);
}

/** Origin and path only: user info and query strings may hold secrets. */
export function showUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
