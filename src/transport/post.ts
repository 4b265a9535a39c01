// A POST from somebody who was let in: its body is read, the message in it handled, the answer written.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ERRORS } from '../errors.ts';
import { inTurn, MAX_UNQUEUED_MESSAGE } from '../executor/turns.ts';
import type { Protocol } from '../protocol/handle.ts';
import type { Reply } from '../protocol/sender.ts';
import { writeError } from '../protocol/wire/jsonrpc.ts';
import type { Admission } from './admission.ts';
import type { BodyReader } from './body-reader.ts';
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
  const { bodies, load, refuse, maxBodyBytes, maxInFlight } = parts;
  const answer = createAnswer(parts);
  const tooLarge = `The body is larger than ${maxBodyBytes} bytes, or comes in too many pieces. Start with --max-body <bytes> to take larger ones.`;

  return (protocol, request, response, identity) => {
    const { headers } = request;
    const caller = identity.principal.id;
    const refuseTooLarge = () => {
      refuse(request, response, { status: 413, message: tooLarge, reason: 'too_large', caller });
      protocol.loseMessage({ principal: identity.principal, headers });
    };
    const refuseBusy = () => refuse(request, response, { ...BUSY, reason: 'busy', caller });
    if (Number(headers['content-length'] ?? 0) > maxBodyBytes) return refuseTooLarge();
    bodies.read(
      request,
      caller,
      (body) => {
        if (response.headersSent) return;
        // Asked again: many bodies may have been on their way while there was room for one.
        if (!load.hasRoom(caller, maxInFlight)) refuseBusy();
        else void answer(protocol, request, response, identity, body);
      },
      (why) => {
        // Node would first read what is left of the body, to the last crumb.
        response.once('finish', () => request.socket.destroy());
        if (why === 'too_large') refuseTooLarge();
        else refuseBusy();
      },
      () => response.destroy(),
    );
  };
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
      const handle = () => {
        if (isUtf8(bytes)) return protocol.handle(bytes.toString(), sender);
        protocol.loseMessage(sender);
        return NOT_UTF8;
      };
      const reply = await (bytes.length > MAX_UNQUEUED_MESSAGE ? inTurn(handle) : handle());
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
