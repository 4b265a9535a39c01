// Connections on their way to a worker. The primary accepts them, sends them to a worker, and closes its own end when the worker
// has confirmed them. Node.js loses some when a worker ends: for one that dies it waits for the confirmation forever, so the
// connection stays open and its client waits for an answer that never comes; and to one that stops listening it still sends
// connections that the worker no longer accepts. Here, a worker accepts connections until the primary has no more for it.
import type { Worker } from 'node:cluster';
import { awaitQuietMoment } from '../network/quiet-moment.ts';

interface Handle {
  close(): void;
}

/** What cluster's primary process and its workers say to each other, as far as it matters here. */
interface ClusterMessage {
  readonly cmd?: string;
  readonly act?: string;
  /** The listening socket it is about. */
  readonly key?: string;
  readonly seq?: number;
  /** The `seq` of what is answered. */
  readonly ack?: number;
}

/** One that was sent to a worker, which has not confirmed it. */
interface Sent {
  readonly seq: number | undefined;
  readonly handle: Handle;
}

export class Handover {
  /** Who gets the connections of each listening socket. */
  readonly #takers = new Map<string, Set<Worker>>();
  /** The next one for a worker is sent only when it has confirmed the last. */
  readonly #sent = new Map<Worker, Map<string, Sent>>();
  readonly #cameAt = new Map<string, number>();

  /** To be called for a new worker. */
  watch(worker: Worker): void {
    const { process: child } = worker;
    const handles = new Map<string, Sent>();
    this.#sent.set(worker, handles);
    const send = child.send.bind(child) as (...values: unknown[]) => boolean;
    child.send = (message: unknown, ...rest: unknown[]) => {
      const { key, ack, seq } = message as ClusterMessage;
      const [handle] = rest;
      if (key !== undefined && ack !== undefined) this.#takersOf(key).add(worker);
      else if (key !== undefined && isHandle(handle)) {
        handles.set(key, { seq, handle });
        this.#cameAt.set(key, performance.now());
      }
      return send(message, ...rest);
    };
    child.on('internalMessage', ({ act, key = '', ack }: ClusterMessage) => {
      if (act === 'close') this.#takersOf(key).delete(worker);
      for (const [of, { seq }] of handles) if (seq === ack) handles.delete(of);
    });
    child.once('exit', () => {
      // Closing one that is closed already does nothing.
      for (const { handle } of handles.values()) handle.close();
      this.#sent.delete(worker);
      for (const takers of this.#takers.values()) takers.delete(worker);
    });
  }

  /**
   * Resolves when no more connections are sent to this worker. New ones go to the others; with the last worker, listening ends.
   */
  async release(worker: Worker): Promise<void> {
    for (const [key, takers] of this.#takers) {
      if (takers.has(worker) && takers.size === 1)
        await awaitQuietMoment({
          cameAt: () => this.#cameAt.get(key) ?? 0,
          // While one is not confirmed, others may wait behind it.
          isCrowded: () => this.#sent.get(worker)?.has(key) === true,
        });
      // As if the worker had sent it. It has not, and still accepts the connections on their way to it.
      if (takers.has(worker))
        worker.process.emit('internalMessage', { cmd: 'NODE_CLUSTER', act: 'close', key }, undefined);
    }
  }

  #takersOf(key: string): Set<Worker> {
    const takers = this.#takers.get(key) ?? new Set();
    this.#takers.set(key, takers);
    return takers;
  }
}

function isHandle(value: unknown): value is Handle {
  return typeof (value as Handle | undefined)?.close === 'function';
}
