// A worker's requests to its primary. Each ends in time with an answer or an error, however busy the primary is.
import type { MessageToWorker, StateChannel, StateOrders, StateReports, StateRequests } from './state-messages.ts';

/** The primary does little else: if it takes longer, it hangs. */
const ANSWER_MS = 2_000;
/** After a request without an answer, requests that are not essential are not sent for this long. */
const PAUSE_MS = 1_000;
const MAX_PENDING = 10_000;

interface PendingRequest {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

export class PrimaryClient {
  readonly #channel: StateChannel;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #listeners = new Map<keyof StateOrders, (value: never) => void>();
  #count = 0;
  #usableAt = 0;

  constructor(channel: StateChannel) {
    this.#channel = channel;
    channel.onMessage((message) => this.#receive(message as MessageToWorker));
  }

  /** True while the primary answers in time. Otherwise requests that are not essential are not sent. */
  get isUsable(): boolean {
    return performance.now() >= this.#usableAt;
  }

  /** Rejects if no answer came in time; what was requested may have been done nevertheless. */
  ask<Kind extends keyof StateRequests>(
    kind: Kind,
    value: StateRequests[Kind]['ask'],
    timeoutMs = ANSWER_MS,
  ): Promise<StateRequests[Kind]['answer']> {
    return new Promise((resolve, reject) => {
      if (this.#pending.size >= MAX_PENDING) throw new Error('too many requests to the primary are in progress');
      const id = ++this.#count;
      const expire = () => {
        this.#usableAt = performance.now() + PAUSE_MS;
        this.#take(id)?.reject(new Error(`the primary did not answer within ${timeoutMs} ms`));
      };
      this.#pending.set(id, { resolve, reject, timer: setTimeout(expire, timeoutMs).unref() });
      this.#channel.send({ id, kind, value });
    });
  }

  report<Kind extends keyof StateReports>(kind: Kind, value: StateReports[Kind]): void {
    this.#channel.send({ kind, value });
  }

  /** Each order has one listener. */
  onOrder<Kind extends keyof StateOrders>(order: Kind, listener: (value: StateOrders[Kind]) => void): void {
    this.#listeners.set(order, listener);
  }

  close(): void {
    for (const id of [...this.#pending.keys()]) this.#take(id)?.reject(new Error('this worker is ending'));
  }

  #receive(message: MessageToWorker): void {
    if ('order' in message) {
      this.#listeners.get(message.order)?.(message.value as never);
      return;
    }
    const request = this.#take(message.answer);
    if (message.failed === undefined) request?.resolve(message.value as never);
    else request?.reject(new Error(message.failed));
  }

  #take(id: number): PendingRequest | undefined {
    const request = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(request?.timer);
    return request;
  }
}
