// A POST from somebody who was let in: its body is read, the message in it handled, the answer written.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERRORS } from '../errors.ts';
import { inTurn, MAX_UNQUEUED_MESSAGE } from '../executor/turns.ts';
import type { Protocol } from '../protocol/handle.ts';
import type { Reply } from '../protocol/sender.ts';
import { writeError } from '../protocol/wire/jsonrpc.ts';
import type { Admission } from './admission.ts';
import type { BodyReader, BodyTaker } from './body-reader.ts';
import { type Connection, enterConnection } from './connection.ts';
import { BROKEN, BUSY, type Refuse } from './door/http-refusals.ts';
import { type Refusals, refusalOf } from './door/refusals.ts';
import { HttpSender, type Identity } from './http-sender.ts';
import type { Load } from './in-flight.ts';

export interface PostParts {
  readonly admission: Admission;
  readonly bodies: BodyReader;
  readonly load: Load;
  readonly refuse: Refuse;
  readonly refusals: Refusals;
  readonly maxBodyBytes: number;
  readonly maxInFlight: number;
  /** This answer closes its connection. */
  readonly isLast: (response: ServerResponse) => boolean;
  readonly onInternalError: (error: unknown) => void;
}

export type Post = (protocol: Protocol, request: IncomingMessage, response: ServerResponse, identity: Identity) => void;

const NOT_UTF8: Reply = {
  body: writeError(undefined, ERRORS.PARSE_ERROR.code, 'Parse error: the body is not valid UTF-8.'),
  status: 400,
  error: 'PARSE_ERROR',
};

export function createPost(parts: PostParts): Post {
  const { bodies, maxBodyBytes } = parts;
  const tooLarge = `The body is larger than ${maxBodyBytes} bytes, or comes in too many pieces. Start with --max-body <bytes> to take larger ones.`;
  return (protocol, request, response, identity) => {
    const message = new PostedMessage(parts, tooLarge, protocol, request, response, identity);
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) message.refuseTooLarge();
    else bodies.read(request, identity.principal.id, message);
  };
}

/** What becomes of a POST once its body is there, or is known not to come. */
class PostedMessage implements BodyTaker {
  readonly #parts: PostParts;
  readonly #tooLarge: string;
  readonly #protocol: Protocol;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #identity: Identity;

  constructor(
    parts: PostParts,
    tooLarge: string,
    protocol: Protocol,
    request: IncomingMessage,
    response: ServerResponse,
    identity: Identity,
  ) {
    this.#parts = parts;
    this.#tooLarge = tooLarge;
    this.#protocol = protocol;
    this.#request = request;
    this.#response = response;
    this.#identity = identity;
  }

  takeBody(body: Buffer): void {
    if (this.#response.headersSent) return;
    const { load, maxInFlight } = this.#parts;
    // Asked again: many bodies may have been on their way while there was room for one.
    if (!load.hasRoom(this.#identity.principal.id, maxInFlight)) this.#refuseBusy();
    else this.#answer(body);
  }

  refuseBody(why: 'too_large' | 'busy'): void {
    // Node would first read the rest of the body.
    this.#response.once('finish', () => this.#request.socket.destroy());
    if (why === 'too_large') this.refuseTooLarge();
    else this.#refuseBusy();
  }

  loseBody(): void {
    this.#response.destroy();
  }

  refuseTooLarge(): void {
    const { principal } = this.#identity;
    this.#parts.refuse(this.#request, this.#response, {
      status: 413,
      message: this.#tooLarge,
      reason: 'too_large',
      caller: principal.id,
    });
    this.#protocol.loseMessage({ principal, headers: this.#request.headers });
  }

  #refuseBusy(): void {
    const caller = this.#identity.principal.id;
    this.#parts.refuse(this.#request, this.#response, { ...BUSY, reason: 'busy', caller });
  }

  #answer(bytes: Buffer): void {
    const { admission, load, isLast } = this.#parts;
    const connection = enterConnection(this.#request.socket);
    const { address } = admission.visitorOf(this.#request);
    const cors = admission.corsHeaders(this.#request);
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
    // It would close the connection, though more requests may be in the bytes that the parser is reading.
    else if (isLast(this.#response)) void this.#finishLater(Promise.resolve(reply), sender, connection);
    else this.#finishNow(reply, sender, connection);
  }

  /** Lists are there at once: no promise, no turn of the loop. */
  #finishNow(reply: Reply | undefined, sender: HttpSender, connection: Connection): void {
    try {
      this.#finish(reply, sender);
    } catch (error) {
      this.#fail(error, sender);
    } finally {
      this.#leave(connection);
    }
  }

  async #finishLater(replying: Promise<Reply | undefined>, sender: HttpSender, connection: Connection): Promise<void> {
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
    this.#parts.refusals.note({ ...refusal, transport: 'http', status, remote, principal: principal.id });
  }

  #fail(error: unknown, sender: HttpSender): void {
    this.#parts.onInternalError(error);
    if (sender.isStreaming) sender.finish(undefined);
    else this.#parts.refuse(this.#request, this.#response, BROKEN);
  }

  #leave(connection: Connection): void {
    connection.leave();
    this.#parts.load.leave(this.#identity.principal.id);
  }
}

function handle(protocol: Protocol, bytes: Buffer, sender: HttpSender): ReturnType<Protocol['handle']> {
  if (isUtf8(bytes)) return protocol.handle(bytes.toString(), sender);
  protocol.loseMessage(sender);
  return NOT_UTF8;
}
