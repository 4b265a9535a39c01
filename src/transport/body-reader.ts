// The body of a POST, under two limits: its own size, and what all bodies still on their way hold together.
import type { IncomingMessage } from 'node:http';
import { ByteCollector } from '../executor/byte-collector.ts';

export interface BodyLimits {
  readonly maxBodyBytes: number;
  /** Bodies still on their way, all together: slow clients must not fill the memory. */
  readonly maxHeldBytes: number;
}

export interface BodyReader {
  /** Calls exactly one of these; `leave` when the client does, half-way: it has asked for nothing then. */
  read(
    request: IncomingMessage,
    done: (body: Buffer) => void,
    refuse: (why: 'too_large' | 'busy') => void,
    leave: () => void,
  ): void;
}

const EMPTY = Buffer.alloc(0);
/** Each piece costs an event, however small it is: a megabyte byte by byte would take seconds. */
const MAX_PIECES = 1_024;

export function createBodyReader({ maxBodyBytes, maxHeldBytes }: BodyLimits): BodyReader {
  let held = 0;
  return {
    read(request, done, refuse, leave) {
      let first: Buffer | undefined;
      let more: ByteCollector | undefined;
      let size = 0;
      let pieces = 0;
      let over = false;
      const letGo = () => {
        held -= size;
        size = 0;
        first = more = undefined;
        over = true;
      };
      request.on('data', (chunk: Buffer) => {
        if (over) return;
        size += chunk.length;
        held += chunk.length;
        const isTooLarge = size > maxBodyBytes || ++pieces > MAX_PIECES;
        if (isTooLarge || held > maxHeldBytes) {
          const why = isTooLarge ? 'too_large' : 'busy';
          letGo();
          return refuse(why);
        }
        if (first === undefined) first = chunk;
        else {
          more ??= new ByteCollector(first);
          more.add(chunk);
        }
      });
      request.on('end', () => {
        if (over) return;
        const body = more?.bytes() ?? first ?? EMPTY;
        letGo();
        done(body);
      });
      request.on('error', () => {
        letGo();
        leave();
      });
    },
  };
}
