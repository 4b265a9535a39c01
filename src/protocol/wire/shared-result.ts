// A result that many requests get: its text and, if it is long, its bytes as well, so that a transport can write them unchanged.
// A list of 5,000 tools has half a megabyte, which would be copied for every request to put an id in front of it.
import type { Reply } from '../sender.ts';
import type { RequestId } from './jsonrpc.ts';
import { writeResult } from './jsonrpc.ts';

/** A shorter text is copied sooner than a second piece is written. */
const SHARED_FROM_CHARS = 32 * 1024;

export class SharedResult {
  readonly text: string;
  /** With the end of the answer around it. */
  readonly #bytes: Buffer | undefined;
  readonly #extraBytes: number;

  constructor(text: string) {
    this.text = text;
    this.#extraBytes = Buffer.byteLength(text) - text.length;
    this.#bytes = text.length < SHARED_FROM_CHARS ? undefined : Buffer.from(`${text}}`);
  }

  answer(id: RequestId): Reply {
    if (this.#bytes !== undefined) return new SharedReply(id, this.text, this.#bytes);
    const body = writeResult(id, this.text);
    // An id that is text may have characters of several bytes.
    return typeof id === 'number'
      ? { body, bodyBytes: body.length + this.#extraBytes, status: 200 }
      : { body, status: 200 };
  }
}

class SharedReply implements Reply {
  readonly status = 200;
  readonly pieces: NonNullable<Reply['pieces']>;
  readonly #id: RequestId;
  readonly #text: string;

  constructor(id: RequestId, text: string, bytes: Buffer) {
    this.#id = id;
    this.#text = text;
    this.pieces = { head: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, rest: bytes };
  }

  get body(): string {
    return writeResult(this.#id, this.#text);
  }
}
