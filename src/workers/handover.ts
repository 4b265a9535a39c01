// Connections on their way to a worker. The primary accepts them, sends them to a worker, and closes its own end when the worker
// has confirmed them. Node.js loses some of them when a worker ends. If the worker dies, Node.js waits for the confirmation forever:
// the connection stays open, and its client waits for an answer that never comes. If the worker stops listening, Node.js still sends
// it connections that it no longer accepts. Here, a worker accepts connections until the primary has no more for it.
import type { Worker } from 'node:cluster';
import { untilAcceptQueueIsEmpty } from '../network/accept-queue.ts';

interface Handle {
  close(): void;
}

/** A message between cluster's primary process and its workers, as far as it matters here. */
interface ClusterMessage {
  readonly cmd?: string;
  readonly act?: string;
  /** The listening socket. */
  readonly key?: string;
  readonly seq?: number;
  /** The `seq` of the message that this one answers. */
  readonly ack?: number;
}

/** A connection that was sent to a worker and is not confirmed. */
interface UnconfirmedConnection {
  readonly seq: number | undefined;
  readonly handle: Handle;
}

export class Handover {
  /** The workers that get the connections of each listening socket. */
  readonly #listeners = new Map<string, Set<Worker>>();
  /** By worker and listening socket: cluster sends the next connection only when the worker has confirmed the last. */
  readonly #unconfirmed = new Map<Worker, Map<string, UnconfirmedConnection>>();
  /** When the last connection of each listening socket was accepted. */
  readonly #acceptedAt = new Map<string, number>();

  /** Must be called for every new worker. */
  watch(worker: Worker): void {
    const { process: child } = worker;
    const handles = new Map<string, UnconfirmedConnection>();
    this.#unconfirmed.set(worker, handles);
    const send = child.send.bind(child) as (...values: unknown[]) => boolean;
    child.send = (message: unknown, ...rest: unknown[]) => {
      const { key, ack, seq } = message as ClusterMessage;
      const [handle] = rest;
      if (key !== undefined && ack !== undefined) this.#listenersOf(key).add(worker);
      else if (key !== undefined && isHandle(handle)) {
        handles.set(key, { seq, handle });
        this.#acceptedAt.set(key, performance.now());
      }
      return send(message, ...rest);
    };
    child.on('internalMessage', ({ act, key = '', ack }: ClusterMessage) => {
      if (act === 'close') this.#listenersOf(key).delete(worker);
      for (const [of, { seq }] of handles) if (seq === ack) handles.delete(of);
    });
    child.once('exit', () => {
      // Closing a connection that is already closed does nothing.
      for (const { handle } of handles.values()) handle.close();
      this.#unconfirmed.delete(worker);
      for (const listeners of this.#listeners.values()) listeners.delete(worker);
    });
  }

  /**
   * Resolves when no more connections are sent to this worker. New ones go to the others; with the last worker, listening ends.
   */
  async release(worker: Worker): Promise<void> {
    for (const [key, listeners] of this.#listeners) {
      if (listeners.has(worker) && listeners.size === 1)
        await untilAcceptQueueIsEmpty({
          lastAcceptedAt: () => this.#acceptedAt.get(key) ?? 0,
          // While a connection is not confirmed, others may wait behind it.
          hasWaiting: () => this.#unconfirmed.get(worker)?.has(key) === true,
        });
      // This pretends that the worker has sent the message. It has not, and still accepts the connections on their way to it.
      if (listeners.has(worker))
        worker.process.emit('internalMessage', { cmd: 'NODE_CLUSTER', act: 'close', key }, undefined);
    }
  }

  #listenersOf(key: string): Set<Worker> {
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners);
    return listeners;
  }
}

function isHandle(value: unknown): value is Handle {
  return typeof (value as Handle | undefined)?.close === 'function';
}
