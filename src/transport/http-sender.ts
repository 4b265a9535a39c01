// The client of one POST, as the protocol layer sees it. A message that is sent before the answer turns it into an event stream.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../call/caller.ts';
import type { Reply, Sender } from '../protocol/sender.ts';
import { createParking, type RequestLoad } from './in-flight.ts';
import { endAtOnce } from './node-internals.ts';
import { createEventStream, type EventStream } from './sse.ts';

export const JSON_TYPE = 'application/json';

/** Who sent a request, and what handlers and middleware find in `context.data`. */
export interface Identity<Data = unknown> {
  readonly principal: Principal;
  readonly data?: Data | undefined;
}

/** Its functions are created on demand: most requests neither send anything before their answer nor wait. */
export class HttpSender implements Sender {
  readonly transport = 'http';
  readonly principal: Principal;
  readonly remote: string | undefined;
  readonly data: unknown;
  readonly headers: IncomingMessage['headers'];
  readonly signal: AbortSignal;
  readonly #response: ServerResponse;
  readonly #cors: Readonly<Record<string, string>> | undefined;
  readonly #load: RequestLoad;
  readonly #isLast: (response: ServerResponse) => boolean;
  #stream: EventStream | undefined;
  #park: (() => () => void) | undefined;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { principal, data }: Identity,
    remote: string | undefined,
    signal: AbortSignal,
    cors: Readonly<Record<string, string>> | undefined,
    load: RequestLoad,
    isLast: (response: ServerResponse) => boolean,
  ) {
    this.principal = principal;
    this.remote = remote;
    this.data = data;
    this.headers = request.headers;
    this.signal = signal;
    this.#response = response;
    this.#cors = cors;
    this.#load = load;
    this.#isLast = isLast;
  }

  get send(): ((message: string) => void) | undefined {
    if (!this.headers.accept?.includes('text/event-stream')) return undefined;
    return (message) => {
      // A legacy client that disconnects does not cancel its call, but no longer reads messages.
      if (!this.#response.destroyed) this.#open().send(message);
    };
  }

  get park(): () => () => void {
    this.#park ??= createParking(() => this.#load.park(this.principal.id));
    return this.#park;
  }

  get isStreaming(): boolean {
    return this.#stream !== undefined;
  }

  #open(): EventStream {
    if (this.#stream === undefined) {
      // Decided here, because the head is written now.
      if (this.#isLast(this.#response)) this.#response.shouldKeepAlive = false;
      this.#stream = createEventStream(this.#response, this.#cors);
      this.#response.once('close', this.#load.beginStream());
    }
    return this.#stream;
  }

  /** Writes the answer: to the event stream if there is one, as JSON otherwise. */
  finish(reply: Reply | undefined): void {
    if (this.#response.destroyed) return;
    if (this.#stream) this.#stream.end(reply?.body || undefined);
    else if (reply !== undefined && reply.pieces === undefined && reply.body === '') this.#open().end(undefined);
    else writeReply(this.#response, reply, this.#cors, this.#isLast(this.#response));
  }
}

function writeReply(
  response: ServerResponse,
  reply: Reply | undefined,
  cors: Readonly<Record<string, string>> | undefined,
  closes: boolean,
): void {
  if (closes) response.shouldKeepAlive = false;
  if (!reply) {
    response.writeHead(202, { ...cors, 'content-length': 0 });
    response.end();
    return;
  }
  const { pieces, status, sessionId, challenge, retryAfterSeconds } = reply;
  const text = pieces === undefined ? reply.body : pieces.head;
  const textBytes = reply.bodyBytes ?? Buffer.byteLength(text);
  const bytes = pieces === undefined ? textBytes : textBytes + pieces.rest.length;
  const headers = ['content-type', JSON_TYPE, 'content-length', String(bytes)];
  if (sessionId !== undefined) headers.push('mcp-session-id', sessionId);
  if (challenge !== undefined) headers.push('www-authenticate', challenge);
  if (retryAfterSeconds !== undefined) headers.push('retry-after', String(retryAfterSeconds));
  if (cors) headers.push(...Object.entries(cors).flat());
  response.writeHead(status, headers);
  // Node writes UTF-8 by reserving three bytes per character and encoding one by one. A text with as many bytes as characters is
  // ASCII and can be copied: 35 instead of 38 us of processor time for an answer of 5 KB, 44 instead of 77 for 20 KB.
  const encoding = textBytes === text.length ? 'latin1' : 'utf8';
  if (pieces === undefined) {
    endAtOnce(response, text, encoding);
    return;
  }
  response.write(text, encoding);
  response.end(pieces.rest);
}
