// One connection of stdio or TCP: what its client declared, what is under way on it, and whether it will send more. A legacy HTTP
// session has only the scope of its requests.
import type { LegacyVersion } from './eras.ts';
import type { RequestId } from './wire/jsonrpc.ts';

/** Within it the ids of requests are unique. */
export interface Scope {
  /** Requests in progress, for `notifications/cancelled`. A client may use an id twice. */
  readonly underWay: Map<RequestId, Set<AbortController>>;
}

export interface Session extends Scope {
  /** Set by `initialize`; modern messages on the same connection ignore them. */
  version: LegacyVersion | undefined;
  capabilities: Readonly<Record<string, unknown>>;
  clientName: string | undefined;
  clientRelease: string | undefined;
  logLevel: string | undefined;
  /** Aborted when the client has sent its last message, so that nothing waits for another one. */
  readonly ended: AbortController;
}

export function createSession(): Session {
  return {
    version: undefined,
    capabilities: {},
    clientName: undefined,
    clientRelease: undefined,
    logLevel: undefined,
    underWay: new Map(),
    ended: new AbortController(),
  };
}

export function track(session: Scope, id: RequestId): AbortController {
  const controller = new AbortController();
  const same = session.underWay.get(id);
  if (same) same.add(controller);
  else session.underWay.set(id, new Set([controller]));
  return controller;
}

export function untrack(session: Scope, id: RequestId, controller: AbortController): void {
  const same = session.underWay.get(id);
  same?.delete(controller);
  if (same?.size === 0) session.underWay.delete(id);
}

export function cancel(session: Scope, id: RequestId): void {
  for (const controller of session.underWay.get(id) ?? []) controller.abort();
}

/** The connection is gone: so is everybody waiting on it. */
export function abandon(session: Scope): void {
  for (const same of session.underWay.values()) for (const controller of same) controller.abort();
}
