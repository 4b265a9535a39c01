// The session of a stdio or TCP connection: what its client declared, which requests are in progress, and whether more may come. A
// legacy HTTP session only has its requests in progress.
import type { LegacyVersion } from './eras.ts';
import type { JsonRpcId } from './wire/jsonrpc.ts';

/** The requests in progress of one client, for `notifications/cancelled`. Ids of different clients may be equal. */
export interface PendingRequests {
  /** A client may use an id twice. */
  readonly underWay: Map<JsonRpcId, Set<AbortController>>;
}

export interface Session extends PendingRequests {
  /** This and the next four are set by legacy messages; modern messages on the same connection ignore them. */
  version: LegacyVersion | undefined;
  capabilities: Readonly<Record<string, unknown>>;
  clientName: string | undefined;
  clientRelease: string | undefined;
  logLevel: string | undefined;
  /** Aborted when the client has sent its last message: nothing may wait for another one. */
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

export function track(pending: PendingRequests, id: JsonRpcId): AbortController {
  const controller = new AbortController();
  const same = pending.underWay.get(id);
  if (same) same.add(controller);
  else pending.underWay.set(id, new Set([controller]));
  return controller;
}

export function untrack(pending: PendingRequests, id: JsonRpcId, controller: AbortController): void {
  const same = pending.underWay.get(id);
  same?.delete(controller);
  if (same?.size === 0) pending.underWay.delete(id);
}

export function cancel(pending: PendingRequests, id: JsonRpcId): void {
  for (const controller of pending.underWay.get(id) ?? []) controller.abort();
}

export function cancelAll(pending: PendingRequests): void {
  for (const same of pending.underWay.values()) for (const controller of same) controller.abort();
}
