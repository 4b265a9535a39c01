// How a transport closes: how long it waits, and for what.
import type { Server } from 'node:net';
import { untilAcceptQueueIsEmpty } from '../network/accept-queue.ts';

/**
 * Clients that send one request after another send the next within this time. After it, a quiet connection may be
 * closed.
 */
export const QUIET_MS = 250;
/** The same for connections that a proxy keeps for its next client. */
export const POOLED_QUIET_MS = 1_000;
/** From connecting to the first byte: a handshake and a round trip. */
export const FIRST_BYTE_MS = 1_000;
/** How often connections are checked meanwhile. */
export const CHECK_MS = 50;
/** The last answer must still reach its client, but a client that does not read must not delay the end. */
export const FLUSH_MS = 500;

/** Accepts the connections that clients have already made; resolves at the moment in which listening may end. */
export async function acceptLastConnections(server: Server): Promise<void> {
  let cameAt = performance.now();
  const note = () => {
    cameAt = performance.now();
  };
  server.on('connection', note);
  await untilAcceptQueueIsEmpty({ lastAcceptedAt: () => cameAt });
  server.off('connection', note);
}

/** Whether `work` ended within this time. Shutdown must not depend on the other side. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const isDone = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return isDone;
}
