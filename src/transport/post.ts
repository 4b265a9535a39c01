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
import { enterConnection } from './connection.ts';
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
  const taking: TakingParts = {
    ...parts,
    answer: createAnswer(parts),
    tooLarge: `The body is larger than ${maxBodyBytes} bytes, or comes in too many pieces. Start with --max-body <bytes> to take larger ones.`,
  };
  return (protocol, request, response, identity) => {
    const posted = new PostedBody(taking, protocol, request, response, identity);
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) posted.refuseTooLarge();
    else bodies.read(request, identity.principal.id, posted);
  };
}

interface TakingParts extends PostParts {
  readonly answer: ReturnType<typeof createAnswer>;
  readonly tooLarge: string;
}

/** What becomes of a POST once its body is there, or is known not to come. */
class PostedBody implements BodyTaker {
  readonly #parts: TakingParts;
  readonly #protocol: Protocol;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #identity: Identity;

  constructor(
    parts: TakingParts,
    protocol: Protocol,
    request: IncomingMessage,
    response: ServerResponse,
    identity: Identity,
  ) {
    this.#parts = parts;
    this.#protocol = protocol;
    this.#request = request;
    this.#response = response;
    this.#identity = identity;
  }

  takeBody(body: Buffer): void {
    if (this.#response.headersSent) return;
    const { load, maxInFlight, answer } = this.#parts;
    // Asked again: many bodies may have been on their way while there was room for one.
    if (!load.hasRoom(this.#identity.principal.id, maxInFlight)) this.#refuseBusy();
    else void answer(this.#protocol, this.#request, this.#response, this.#identity, body);
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
    const { refuse, tooLarge } = this.#parts;
    refuse(this.#request, this.#response, {
      status: 413,
      message: tooLarge,
      reason: 'too_large',
      caller: principal.id,
    });
    this.#protocol.loseMessage({ principal, headers: this.#request.headers });
  }

  #refuseBusy(): void {
    const caller = this.#identity.principal.id;
    this.#parts.refuse(this.#request, this.#response, { ...BUSY, reason: 'busy', caller });
  }
}

function createAnswer({ admission, load, refuse, refusals, isLast, onInternalError }: PostParts) {
  return async (
    protocol: Protocol,
    request: IncomingMessage,
    response: ServerResponse,
    identity: Identity,
    bytes: Buffer,
  ): Promise<void> => {
    const connection = enterConnection(request.socket);
    const caller = identity.principal.id;
    const { address: remote } = admission.visitorOf(request);
    const cors = admission.corsHeaders(request);
    const sender = new HttpSender(request, response, identity, remote, connection.signal, cors, load, isLast);
    load.enter(caller);
    try {
      const reply = await (bytes.length > MAX_UNQUEUED_MESSAGE
        ? inTurn(() => handle(protocol, bytes, sender))
        : handle(protocol, bytes, sender));
      sender.finish(reply);
      const refusal = refusalOf(reply);
      if (refusal)
        refusals.note({ ...refusal, transport: 'http', status: reply!.status, remote, principal: sender.principal.id });
    } catch (error) {
      onInternalError(error);
      if (sender.isStreaming) sender.finish(undefined);
      else refuse(request, response, BROKEN);
    } finally {
      connection.leave();
      load.leave(caller);
    }
  };
}

function handle(protocol: Protocol, bytes: Buffer, sender: HttpSender): ReturnType<Protocol['handle']> {
  if (isUtf8(bytes)) return protocol.handle(bytes.toString(), sender);
  protocol.loseMessage(sender);
  return NOT_UTF8;
}
