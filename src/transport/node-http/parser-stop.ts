// Stops node's HTTP parser, which otherwise cannot be stopped within the 64 KB that a read of a socket may bring: thousands of
// requests, or ten thousand chunks of a body. This uses an undocumented interface that is as old as node's server; another runtime
// may lack it, and then reads on.
import type { Socket } from 'node:net';

interface Parser {
  /** Set for each connection. What it returns goes to llhttp. */
  onIncoming: unknown;
  /** The message that is being parsed, or was last. */
  incoming?: unknown;
  /** By kind of event; belongs to the parser, which serves another connection later. */
  [kind: number]: unknown;
  readonly constructor: { readonly kOnBody?: number };
}

export function parserOf(socket: Socket & { readonly parser?: Parser | null }): Parser | undefined {
  return socket.parser ?? undefined;
}

/** Tells llhttp to leave the rest of these bytes alone; node uses it for protocol upgrades. */
const STOP_PARSING = 2;

/** Requests after the one that is being parsed are dropped. */
export function stopRequests(socket: Socket): void {
  const parser = parserOf(socket);
  if (parser) parser.onIncoming = () => STOP_PARSING;
}

/** No more events for the body that is being parsed, until the connection is closed. */
export function stopBody(socket: Socket): void {
  const parser = parserOf(socket);
  const kind = parser?.constructor.kOnBody;
  if (!parser || kind === undefined) return;
  const announce = parser[kind];
  // Stopped already: to restore what is there now would leave the parser stopped for the connection it serves next.
  if (announce === undefined) return;
  parser[kind] = undefined;
  socket.once('close', () => {
    parser[kind] = announce;
  });
}
