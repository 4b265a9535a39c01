// A worker's connection to its primary. Each question ends with an answer or an error in time, however busy the primary is.
import type { Orders, Questions, Reports, StateChannel, ToWorker } from './state-channel.ts';

export interface WorkerLink {
  /** The primary answers in time, so questions that are not essential may be asked. */
  readonly isUsable: boolean;
  /** Rejects if no answer came in time; what was asked may have been done nevertheless. */
  ask<Kind extends keyof Questions>(
    kind: Kind,
    value: Questions[Kind]['ask'],
    timeoutMs?: number,
  ): Promise<Questions[Kind]['answer']>;
  report<Kind extends keyof Reports>(kind: Kind, value: Reports[Kind]): void;
  /** One listener for each order. */
  obey<Kind extends keyof Orders>(order: Kind, listener: (value: Orders[Kind]) => void): void;
  close(): void;
}

/** The primary does little else, so one that takes longer hangs. */
const ANSWER_MS = 2_000;
/** After a question without an answer, non-essential questions are not asked for this long. */
const PAUSE_MS = 1_000;
/** Questions under way. */
const MAX_QUESTIONS = 10_000;

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

export function openWorkerLink(channel: StateChannel): WorkerLink {
  const waiting = new Map<number, Waiting>();
  const listeners = new Map<keyof Orders, (value: never) => void>();
  let count = 0;
  let usableAt = 0;
  const take = (id: number): Waiting | undefined => {
    const entry = waiting.get(id);
    waiting.delete(id);
    clearTimeout(entry?.timer);
    return entry;
  };
  channel.onMessage((message) => {
    const news = message as ToWorker;
    if ('order' in news) return listeners.get(news.order)?.(news.value as never);
    const entry = take(news.answer);
    if (news.failed === undefined) entry?.resolve(news.value as never);
    else entry?.reject(new Error(news.failed));
  });
  return {
    get isUsable() {
      return performance.now() >= usableAt;
    },
    ask: (kind, value, timeoutMs = ANSWER_MS) =>
      new Promise((resolve, reject) => {
        if (waiting.size >= MAX_QUESTIONS) throw new Error('too many requests to the primary are in progress');
        const question = ++count;
        const expire = () => {
          usableAt = performance.now() + PAUSE_MS;
          take(question)?.reject(new Error(`the primary did not answer within ${timeoutMs} ms`));
        };
        waiting.set(question, { resolve, reject, timer: setTimeout(expire, timeoutMs).unref() });
        channel.send({ question, kind, value });
      }),
    report: (kind, value) => channel.send({ kind, value }),
    obey: (order, listener) => void listeners.set(order, listener),
    close() {
      for (const id of [...waiting.keys()]) take(id)?.reject(new Error('this worker is ending'));
    },
  };
}
