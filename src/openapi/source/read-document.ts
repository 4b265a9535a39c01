// Bytes of a document: from a file, standard input or an http(s) URL, never more than the limit.
import { readFileSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ImportOptions } from '../import-options.ts';
import { bad, tooMuch } from './document-problem.ts';
import type { Limits } from './limits.ts';
import { badStatus, type Fetched, type Fields, fetchAnswer, fetchText } from './web/fetch.ts';
import { findDocument, isDocument, isWorthSearching } from './web/find-document.ts';

export interface SourceText {
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
  if (!isHttp(source)) return readSource(source, options, limits, headers);
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

function isHttp(source: string): boolean {
  return /^https?:\/\//i.test(source);
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
  if (isHttp(source)) return toSource(await fetchText(source, limits, headers), headers);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(source)) {
    throw bad(
      source.split('?')[0]!,
      'is not a source that can be read; give a file path, an http(s) URL, or - for standard input',
    );
  }
  const location = await realpath(resolve(source)).catch((error) => throwUnreadable(source, error));
  return { kind: 'file', location, label: source, text: await readFileText(location, source, limits.maxBytes) };
}

/** A regular file as text, at most `maxBytes`. */
export async function readFileText(path: string, label: string, maxBytes: number): Promise<string> {
  const file = await open(path, 'r').catch((error) => throwUnreadable(label, error));
  try {
    const info = await file.stat();
    if (info.isDirectory()) throw bad(label, 'is a folder; give the document inside it');
    // Devices and pipes have no size to check and may never end.
    if (!info.isFile()) return await readStream(file.createReadStream({ autoClose: false }), label, maxBytes);
    if (info.size > maxBytes) throw tooBig(label, maxBytes);
    // At start nothing else waits, and one read is much cheaper than a loop of small ones.
    return decode(readFileSync(file.fd));
  } finally {
    await file.close();
  }
}

function throwUnreadable(label: string, { code }: NodeJS.ErrnoException): never {
  throw bad(label, code === 'ENOENT' ? 'does not exist; check the path' : `cannot be read (${code})`);
}

/** All a stream gives, at most `maxBytes`; leaving the loop ends the stream. */
export async function readStream(
  stream: AsyncIterable<unknown> | Iterable<unknown>,
  label: string,
  maxBytes: number,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Uint8Array);
    size += bytes.length;
    if (size > maxBytes) throw tooBig(label, maxBytes);
    chunks.push(bytes);
  }
  return decode(Buffer.concat(chunks));
}

/** UTF-8, or UTF-16 where a byte order mark says so. */
function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le', 2);
  const isBigEndian = bytes[0] === 0xfe && bytes[1] === 0xff;
  return isBigEndian
    ? Buffer.from(bytes.subarray(2, bytes.length & ~1))
        .swap16()
        .toString('utf16le')
    : bytes.toString('utf8');
}

export function tooBig(label: string, maxBytes: number) {
  return tooMuch(label, `is larger than ${Math.round(maxBytes / 1024 / 1024)} MB; split it or raise the limit`);
}

/** Origin and path only: user info and query strings may hold secrets. */
export function showUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
