// Newline framing for stdio and TCP: chunks of bytes in, complete lines out.
import { ByteCollector } from '../../event-loop/byte-collector.ts';

export interface LineSplitter {
  push(chunk: Buffer): void;
  /** Call it when the stream has ended: the rest is the last line. */
  end(): void;
}

const NEWLINE = 0x0a;

/** A line of more than `maxBytes` is dropped up to its newline and reported once; the next line is read as usual. */
export function createLineSplitter(
  maxBytes: number,
  onLine: (line: Buffer) => void,
  onTooLong: () => void,
): LineSplitter {
  let first: Buffer | undefined;
  let more: ByteCollector | undefined;
  let size = 0;
  let skipping = false;

  const keep = (piece: Buffer) => {
    if (skipping || piece.length === 0) return;
    size += piece.length;
    if (size > maxBytes) {
      skipping = true;
      first = more = undefined;
      onTooLong();
    } else if (first === undefined) first = piece;
    else {
      more ??= new ByteCollector(first);
      more.add(piece);
    }
  };
  const flush = () => {
    const line = more?.bytes() ?? first;
    const isDropped = skipping;
    first = more = undefined;
    size = 0;
    skipping = false;
    if (!isDropped && line !== undefined) onLine(line);
  };

  return {
    push(chunk) {
      let start = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
        keep(chunk.subarray(start, at));
        flush();
        start = at + 1;
      }
      // A copy: a small rest must not keep a large chunk in memory.
      if (start < chunk.length) keep(start === 0 ? chunk : Buffer.from(chunk.subarray(start)));
    },
    end: flush,
  };
}
