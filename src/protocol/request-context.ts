// What a transport knows about a message beyond its bytes, and what comes back.
import type { Principal } from '../call/handler.ts';
import type { Session } from './session.ts';
import type { Headers } from './wire/header-checks.ts';

export interface RequestContext {
  readonly transport: 'http' | 'stdio' | 'tcp' | 'local';
  readonly principal: Principal;
  /** HTTP only. */
  readonly headers?: Headers;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
  /** Sends a message that belongs to this request before its answer. Absent where that is impossible. */
  readonly send?: (message: string) => void;
  /** The connection, on transports that have one (stdio, TCP). */
  readonly session?: Session;
  /** Says that the request only waits for its client now and is no load; the function returned takes that back. */
  readonly park?: () => () => void;
}

/**
 * An answer. `status` is for HTTP; `sessionId` is minted for legacy clients that can be asked things. An empty body
 * closes the request's stream without an answer: it was cancelled.
 */
export interface Reply {
  readonly body: string;
  readonly status: number;
  readonly sessionId?: string;
}
