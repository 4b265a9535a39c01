// A POST of a caller that was admitted: its body is read, the message in it handled, the answer written.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERRORS } from '../errors.ts';
import { inTurn, MAX_UNQUEUED_MESSAGE } from '../event-loop/turns.ts';
import type { Protocol } from '../protocol/mcp-protocol.ts';
import type { Reply } from '../protocol/sender.ts';
import { writeError } from '../protocol/wire/jsonrpc.ts';
import type { BodyReader, BodyReceiver } from './body-reader.ts';
import { type ConnectionSignal, enterConnection } from './connection-signal.ts';
import { HttpSender, type Identity } from './http-sender.ts';
import type { RequestLoad } from './in-flight.ts';
import { type Refusals, refusalOf } from './refusals.ts';
import { BUSY, INTERNAL_ERROR, type RefuseRequest } from './refuse-request.ts';
import type { RequestChecks } from './request-checks.ts';

export interface PostOptions {
  readonly checks: RequestChecks;
  readonly bodies: BodyReader;
  readonly load: RequestLoad;
  readonly refuse: RefuseRequest;
  readonly refusals: Refusals;
  readonly maxBodyBytes: number;
  readonly maxInFlight: number;
  /** Whether this answer closes its connection. */
  readonly isLast: (response: ServerResponse) => boolean;
  readonly onInternalError: (error: unknown) => void;
}

const NOT_UTF8: Reply = {
  body: writeError(undefined, ERRORS.PARSE_ERROR.code, 'Parse error: the body is not valid UTF-8.'),
  status: 400,
  error: 'PARSE_ERROR',
};

export class PostHandler {
  readonly options: PostOptions;
  readonly tooLarge: string;

  constructor(options: PostOptions) {
    this.options = options;
    this.tooLarge = `The body is larger than ${options.maxBodyBytes} bytes, or comes in too many pieces. Start with --max-body <bytes> to take larger ones.`;
  }

  handle(protocol: Protocol, request: IncomingMessage, response: ServerResponse, identity: Identity): void {
    const { bodies, maxBodyBytes } = this.options;
    const message = new PostedMessage(this, protocol, request, response, identity);
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) message.refuseTooLarge();
    else bodies.read(request, identity.principal.id, message);
  }
}

/** One POST, from its body to its answer. */
class PostedMessage implements BodyReceiver {
  readonly #options: PostOptions;
  readonly #tooLarge: string;
  readonly #protocol: Protocol;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #identity: Identity;

  constructor(
    { options, tooLarge }: PostHandler,
    protocol: Protocol,
    request: IncomingMessage,
    response: ServerResponse,
    identity: Identity,
  ) {
    this.#options = options;
    this.#tooLarge = tooLarge;
    this.#protocol = protocol;
    this.#request = request;
    this.#response = response;
    this.#identity = identity;
  }

  takeBody(body: Buffer): void {
    if (this.#response.headersSent) return;
    const { load, maxInFlight } = this.#options;
    // Checked again: many bodies may have been on their way while there was room for one.
    if (!load.hasRoom(this.#identity.principal.id, maxInFlight)) this.#refuseBusy();
    else this.#answer(body);
  }

  refuseBody(why: 'too_large' | 'busy'): void {
    // Without this, node would first read the rest of the body.
    this.#response.once('finish', () => this.#request.socket.destroy());
    if (why === 'too_large') this.refuseTooLarge();
    else this.#refuseBusy();
  }

  loseBody(): void {
    this.#response.destroy();
  }

  refuseTooLarge(): void {
    const { principal } = this.#identity;
    this.#options.refuse(this.#request, this.#response, {
      status: 413,
      message: this.#tooLarge,
      reason: 'too_large',
      caller: principal.id,
    });
    this.#protocol.loseMessage({ principal, headers: this.#request.headers });
  }

  #refuseBusy(): void {
    const caller = this.#identity.principal.id;
    this.#options.refuse(this.#request, this.#response, { ...BUSY, reason: 'busy', caller });
  }

  #answer(bytes: Buffer): void {
    const { checks, load, isLast } = this.#options;
    const connection = enterConnection(this.#request.socket);
    const { address } = checks.resolveClient(this.#request);
    const cors = checks.corsHeaders(this.#request);
    const { signal } = connection;
    const sender = new HttpSender(this.#request, this.#response, this.#identity, address, signal, cors, load, isLast);
    load.enter(this.#identity.principal.id);
    let reply: ReturnType<Protocol['handle']>;
    try {
      reply =
        bytes.length > MAX_UNQUEUED_MESSAGE
          ? inTurn(() => handle(this.#protocol, bytes, sender))
          : handle(this.#protocol, bytes, sender);
    } catch (error) {
      reply = Promise.reject(error);
    }
    if (reply instanceof Promise) void this.#finishLater(reply, sender, connection);
    // This answer closes the connection, but the bytes that the parser is reading may hold more requests.
    else if (isLast(this.#response)) void this.#finishLater(Promise.resolve(reply), sender, connection);
    else this.#finishNow(reply, sender, connection);
  }

  /** Lists are answered at once: no promise, no turn of the event loop. */
  #finishNow(reply: Reply | undefined, sender: HttpSender, connection: ConnectionSignal): void {
    try {
      this.#finish(reply, sender);
    } catch (error) {
      this.#fail(error, sender);
    } finally {
      this.#leave(connection);
    }
  }

  async #finishLater(
    replying: Promise<Reply | undefined>,
    sender: HttpSender,
    connection: ConnectionSignal,
  ): Promise<void> {
    try {
      this.#finish(await replying, sender);
    } catch (error) {
      this.#fail(error, sender);
    } finally {
      this.#leave(connection);
    }
  }

  #finish(reply: Reply | undefined, sender: HttpSender): void {
    sender.finish(reply);
    const refusal = refusalOf(reply);
    if (refusal === undefined) return;
    const { remote, principal } = sender;
    const { status } = reply!;
    this.#options.refusals.note({ ...refusal, transport: 'http', status, remote, principal: principal.id });
  }

  #fail(error: unknown, sender: HttpSender): void {
    this.#options.onInternalError(error);
    if (sender.isStreaming) sender.finish(undefined);
    else this.#options.refuse(this.#request, this.#response, INTERNAL_ERROR);
  }

  #leave(connection: ConnectionSignal): void {
    connection.leave();
    this.#options.load.leave(this.#identity.principal.id);
  }
}

function handle(protocol: Protocol, bytes: Buffer, sender: HttpSender): ReturnType<Protocol['handle']> {
  if (isUtf8(bytes)) return protocol.handle(bytes.toString(), sender);
  protocol.loseMessage(sender);
  return NOT_UTF8;
}
