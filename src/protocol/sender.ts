// The sender of a message, and how to send it messages before the answer: what a transport reports besides the bytes.
import type { Principal, Transport } from '../call/caller.ts';
import type { ErrorCode } from '../errors.ts';
import type { Session } from './session.ts';
import type { Headers } from './wire/header-checks.ts';

/** Who sent a message, and how the gateway can reach them before the answer. */
export interface Sender<Data = unknown> {
  readonly transport: Transport;
  readonly principal: Principal;
  /** Its address, if it calls over a network. */
  readonly remote?: string | undefined;
  /** Anything that handlers and middleware should have, such as claims or a tenant. They read it as `context.data`. */
  readonly data?: Data | undefined;
  /** HTTP only. */
  readonly headers?: Headers;
  /** Aborted when the caller has disconnected. */
  readonly signal: AbortSignal;
  /** Sends a message that belongs to this request before its answer. Absent if that is impossible. */
  readonly send?: ((message: string) => void) | undefined;
  /** The connection, on transports that have one (stdio, TCP). */
  readonly session?: Session;
  /** Marks the request as waiting for its client: it does not count as load until the returned function is called. */
  readonly park?: () => () => void;
}

/** The facts about a sender that are known before its message is read. */
export type MessageSource = Pick<Sender, 'principal' | 'headers' | 'session'>;

/**
 * An answer. `status` is for HTTP; `sessionId` is created for legacy clients, so that their later messages can be related. An
 * empty body ends the request's stream without an answer, because the request was cancelled.
 */
export interface Reply {
  readonly body: string;
  /** The length of the body as UTF-8, if it is known without measuring it. */
  readonly bodyBytes?: number;
  /** The body in two pieces, if most of it is the same in many answers: `rest` is shared and need not be copied. */
  readonly pieces?: { readonly head: string; readonly rest: Buffer };
  readonly status: number;
  readonly sessionId?: string;
  /** `WWW-Authenticate`: which token would be accepted. */
  readonly challenge?: string;
  /** `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** The message was not JSON-RPC: a transport may close the connection of such a client. */
  readonly notJsonRpc?: boolean;
  /** The code of a JSON-RPC error, and the name it has in errors.ts. */
  readonly errorCode?: number;
  readonly error?: ErrorCode;
  /** Refused because of its session, not because of its content. */
  readonly refused?: 'session';
}

/** A client that introduced itself: `initialize` or `server/discover`. */
export interface Introduction {
  readonly method: string;
  readonly version: string;
  readonly client: { readonly name: string; readonly version: string } | undefined;
  readonly transport: Transport;
  readonly principal: string;
}
