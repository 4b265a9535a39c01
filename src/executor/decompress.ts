// Content-Encoding of answers. The limit counts decompressed bytes; the first one beyond it stops everything.

import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzipSync,
  inflateSync,
} from 'node:zlib';
import { ByteCollector } from '../event-loop/byte-collector.ts';

/** Receives the result. */
interface DecompressionHandler {
  done(body: Buffer): void;
  tooMuch(): void;
  broken(reason: string): void;
}

/** Below this, one synchronous call is far cheaper than a trip through the thread pool. */
const SYNC_INPUT_BYTES = 16 * 1024;
const SYNC_OUTPUT_BYTES = 256 * 1024;

const SYNC = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync } as const;
const STREAM = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress } as const;
type Coding = keyof typeof SYNC;

export class Decompressor {
  private readonly coding: Coding;
  private readonly maxBytes: number;
  private readonly waiting = new ByteCollector();
  private stream: ReturnType<(typeof STREAM)[Coding]> | undefined;
  private readonly out = new ByteCollector();

  private constructor(coding: Coding, maxBytes: number) {
    this.coding = coding;
    this.maxBytes = maxBytes;
  }

  /** `undefined` for identity. Throws an error that says what is wrong with the header. */
  static for(header: string, maxBytes: number): Decompressor | undefined {
    const codings = header
      .toLowerCase()
      .split(',')
      .map((coding) => coding.trim())
      .filter((coding) => coding !== '' && coding !== 'identity');
    if (codings.length === 0) return undefined;
    // Chained encodings turn small answers into huge ones (CVE-2026-22036), and no legitimate server sends them.
    if (codings.length > 1) throw new Error('compressed the answer more than once');
    const coding = codings[0] === 'x-gzip' ? 'gzip' : codings[0];
    if (coding !== 'gzip' && coding !== 'deflate' && coding !== 'br') {
      throw new Error('used a content encoding that was not asked for');
    }
    return new Decompressor(coding, maxBytes);
  }

  write(chunk: Buffer, handler: DecompressionHandler): void {
    if (this.stream !== undefined) {
      this.stream.write(chunk);
      return;
    }
    this.waiting.add(chunk);
    if (this.waiting.length > SYNC_INPUT_BYTES) this.startStream(handler);
  }

  end(handler: DecompressionHandler): void {
    if (this.stream === undefined && !this.endAtOnce(handler)) this.startStream(handler);
    this.stream?.end();
  }

  /** The output so far; the rest of the input will not arrive. */
  part(): Buffer {
    if (this.stream !== undefined) return this.out.bytes();
    try {
      const finishFlush = this.coding === 'br' ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH;
      const maxOutputLength = Math.min(this.maxBytes, SYNC_OUTPUT_BYTES);
      const input = this.waiting.bytes();
      return input.length === 0 ? input : SYNC[this.coding](input, { finishFlush, maxOutputLength });
    } catch {
      return Buffer.alloc(0);
    }
  }

  destroy(): void {
    this.stream?.destroy();
  }

  /** False if the answer is too large for one synchronous call. */
  private endAtOnce(handler: DecompressionHandler): boolean {
    try {
      const maxOutputLength = Math.min(this.maxBytes, SYNC_OUTPUT_BYTES);
      const input = this.waiting.bytes();
      handler.done(input.length === 0 ? input : SYNC[this.coding](input, { maxOutputLength }));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return false;
      handler.broken('sent a broken compressed answer');
    }
    return true;
  }

  private startStream(handler: DecompressionHandler): void {
    const stream = STREAM[this.coding]();
    this.stream = stream;
    stream.on('data', (chunk: Buffer) => {
      const room = this.maxBytes - this.out.length;
      this.out.add(chunk.length > room ? chunk.subarray(0, room) : chunk);
      if (chunk.length > room) handler.tooMuch();
    });
    stream.on('end', () => handler.done(this.out.bytes()));
    stream.on('error', () => handler.broken('sent a broken compressed answer'));
    stream.write(this.waiting.bytes());
  }
}
