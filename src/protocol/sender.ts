// Who sent a message, and how to reach them before the answer: what a transport knows beyond the bytes.
import type { Principal, Transport } from '../call/caller.ts';
import type { ErrorCode } from '../errors.ts';
import type { Session } from './session.ts';
import type { Headers } from './wire/header-checks.ts';

export interface Sender<Data = unknown> {
  readonly transport: Transport;
  readonly principal: Principal;
  /** The address it calls from, where there is a network in between. */
  readonly remote?: string | undefined;
  /** Anything the transport wants handlers and middleware to have: claims, a tenant. They read it as `context.data`. */
  readonly data?: Data | undefined;
  /** HTTP only. */
  readonly headers?: Headers;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
  /** Sends a message that belongs to this request before its answer. Absent where that is impossible. */
  readonly send?: ((message: string) => void) | undefined;
  /** The connection, on transports that have one (stdio, TCP). */
  readonly session?: Session;
  /** Says that the request is only waiting for its client and counts as no load; the returned function undoes that. */
  readonly park?: () => () => void;
}

/** Whose message it was: known before anything of the message is read. */
export type Origin = Pick<Sender, 'principal' | 'headers' | 'session'>;

/**
 * An answer. `status` is for HTTP; `sessionId` is created for legacy clients, so that their later messages can be related. An
 * empty body closes the request's stream without an answer: it was cancelled.
 */
export interface Reply {
  readonly body: string;
  /** How long the body is as UTF-8, where that is known without looking at it. */
  readonly bodyBytes?: number;
  /** The body in two parts, if most of it is the same in many answers: `rest` is shared and need not be copied. */
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
