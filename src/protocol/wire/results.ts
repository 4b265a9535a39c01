// Results as JSON text of their era. The hot path concatenates it: the text of an answer is escaped once and never
// parsed.
import type { Content, Outcome } from '../../call/outcome.ts';
import { QuotedText } from '../../call/quoted-text.ts';
import { isObject } from '../../endpoint/is-object.ts';
import { MODERN_VERSION, type Version } from '../eras.ts';
import type { Reply } from '../sender.ts';
import { type JsonRpcId, writeResult } from './jsonrpc.ts';

export interface ResultWriter {
  /** tools/call. */
  writeOutcome(outcome: Outcome, version: Version): string;
  /** Any other result object. */
  writeObject(result: Readonly<Record<string, unknown>>, version: Version, caching?: Caching): string;
}

export interface Caching {
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

export function createResultWriter(serverInfoMeta: Readonly<Record<string, unknown>>): ResultWriter {
  const metaJson = JSON.stringify(serverInfoMeta);
  const complete = `,"resultType":"complete","_meta":${metaJson}}`;

  const writeObject: ResultWriter['writeObject'] = (result, version, caching) =>
    version === MODERN_VERSION
      ? JSON.stringify({
          resultType: 'complete',
          ...result,
          ...caching,
          _meta: { ...serverInfoMeta, ...(result._meta as object | undefined) },
        })
      : JSON.stringify(result);

  return {
    writeObject,
    writeOutcome(outcome, version) {
      const { content, structured, isError, inputRequired } = outcome;
      if (inputRequired) return writeObject({ ...inputRequired, resultType: 'input_required' }, version);
      const only = content.length === 1 ? content[0] : undefined;
      let json =
        only?.type === 'text'
          ? `{"content":[{"type":"text","text":${QuotedText.quote(only)}}]`
          : `{"content":${JSON.stringify(toContent(content, version))}`;
      if (structured !== undefined) json += `,"structuredContent":${JSON.stringify(toStructured(structured, version))}`;
      if (isError) json += ',"isError":true';
      return json + (version === MODERN_VERSION ? complete : '}');
    },
  };
}

/** Audio is a kind of content since 2025-03-26; in older revisions it is a resource, like any other file. */
function toContent(content: readonly Content[], version: Version): readonly Content[] {
  if (version !== '2024-11-05' || !content.some(({ type }) => type === 'audio')) return content;
  return content.map((block): Content => {
    if (block.type !== 'audio') return block;
    const { data, mimeType } = block;
    return {
      type: 'resource',
      resource: { uri: `answer://sound/${mimeType.replace('/', '.')}`, mimeType, blob: data },
    };
  });
}

/** Before 2026-07-28, structured content must be an object; the schema is wrapped in the same way. */
function toStructured(value: unknown, version: Version): unknown {
  if (version === MODERN_VERSION) return value;
  return isObject(value) ? value : { result: value };
}

/** Copying a shorter text is faster than writing a second piece. */
const SHARED_FROM_CHARS = 32 * 1024;

/**
 * A result that many requests get: its text and, if it is long, its bytes as well, so that a transport can write them
 * unchanged. A list of 5,000 tools is half a megabyte, which would otherwise be copied for every request to put an id
 * in front of it.
 */
export class SharedResult {
  readonly text: string;
  /** The bytes of the text and of the brace that ends the answer; only for long texts. */
  readonly #bytes: Buffer | undefined;
  readonly #extraBytes: number;

  constructor(text: string) {
    this.text = text;
    this.#extraBytes = Buffer.byteLength(text) - text.length;
    this.#bytes = text.length < SHARED_FROM_CHARS ? undefined : Buffer.from(`${text}}`);
  }

  answer(id: JsonRpcId): Reply {
    if (this.#bytes !== undefined) return new SharedReply(id, this.text, this.#bytes);
    const body = writeResult(id, this.text);
    // An id that is a string may have characters of several bytes.
    return typeof id === 'number'
      ? { body, bodyBytes: body.length + this.#extraBytes, status: 200 }
      : { body, status: 200 };
  }
}

class SharedReply implements Reply {
  readonly status = 200;
  readonly pieces: NonNullable<Reply['pieces']>;
  readonly #id: JsonRpcId;
  readonly #text: string;

  constructor(id: JsonRpcId, text: string, bytes: Buffer) {
    this.#id = id;
    this.#text = text;
    this.pieces = { head: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, rest: bytes };
  }

  get body(): string {
    return writeResult(this.#id, this.#text);
  }
}
