// The answer to one POST as an event stream: notifications first, the response last.
import type { ServerResponse } from 'node:http';

export interface EventStream {
  send(message: string): void;
  /** Writes the response, if there is one, and ends the stream. */
  end(message: string | undefined): void;
}

const KEEP_ALIVE_MS = 15_000;

export function createEventStream(
  response: ServerResponse,
  headers: Readonly<Record<string, string>> | undefined,
): EventStream {
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    // nginx would otherwise hold events back until a buffer is full.
    'x-accel-buffering': 'no',
  });
  const keepAlive = setInterval(() => response.write(': keep-alive\n\n'), KEEP_ALIVE_MS);
  keepAlive.unref();
  response.once('close', () => clearInterval(keepAlive));
  return {
    send(message) {
      if (response.destroyed || response.writableEnded) return;
      // One line of JSON per event. JSON never contains a raw line break, so text of an API cannot forge an event.
      response.write(`event: message\ndata: ${message}\n\n`);
    },
    end(message) {
      clearInterval(keepAlive);
      if (response.destroyed) return;
      response.end(message === undefined ? undefined : `event: message\ndata: ${message}\n\n`);
    },
  };
}
