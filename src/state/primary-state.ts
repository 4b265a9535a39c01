// State shared by workers, kept by their primary. It answers each request from memory, within microseconds, and releases what a
// worker held when that worker ends.
import { randomBytes } from 'node:crypto';
import { type Rate, type TakenTokens, TokenBucket } from '../limits/rate.ts';
import { createSpentStore } from '../orchestration/confirmations.ts';
import { PrimarySemaphores } from './primary-semaphores.ts';
import type { StoreClaim } from './shared-token-store.ts';
import type { MessageToPrimary, StateChannel, StateOrders, StateReports, StateRequests } from './state-messages.ts';

export interface PrimaryState {
  /** Call it when a worker starts, and the returned function when it has ended. */
  attach(channel: StateChannel): () => void;
}

export interface PrimaryStateOptions {
  /** How many workers there are, including those that ended and are started again. */
  readonly workers: number;
}

/** A worker that runs. */
interface Worker {
  readonly address: string;
  tell<Kind extends keyof StateOrders>(order: Kind, value: StateOrders[Kind]): void;
}

type Handlers = {
  readonly [Kind in keyof StateRequests]: (
    value: StateRequests[Kind]['ask'],
    worker: Worker,
  ) => StateRequests[Kind]['answer'];
} & { readonly [Kind in keyof StateReports]: (value: StateReports[Kind], worker: Worker) => void };

export function createPrimaryState({ workers: count }: PrimaryStateOptions): PrimaryState {
  const workers = new Map<string, Worker>();
  const tokens = new PrimaryTokens();
  const semaphores = new PrimarySemaphores(count, (to, order, value) => workers.get(to)?.tell(order, value));
  const handlers = createHandlers(workers, count, tokens, semaphores);
  return {
    attach(channel) {
      const worker: Worker = {
        address: randomBytes(8).toString('hex'),
        tell: (order, value) => channel.send({ order, value }),
      };
      workers.set(worker.address, worker);
      channel.onMessage((message) => {
        const { id, kind, value } = message as MessageToPrimary;
        if (workers.has(worker.address)) reply(channel, id, () => handlers[kind](value as never, worker));
      });
      return () => {
        workers.delete(worker.address);
        tokens.leave(worker.address);
        semaphores.leave(worker.address);
      };
    },
  };
}

function reply(channel: StateChannel, id: number | undefined, work: () => unknown): void {
  try {
    const value = work();
    if (id !== undefined) channel.send({ answer: id, value });
  } catch (error) {
    channel.send({ answer: id, failed: String((error as Error).message).slice(0, 200) });
  }
}

function createHandlers(
  workers: ReadonlyMap<string, Worker>,
  count: number,
  tokens: PrimaryTokens,
  semaphores: PrimarySemaphores,
): Handlers {
  const rates = new PrimaryRates();
  const store = createSpentStore();
  return {
    hello: (_, { address }) => ({ address, mark: store.mark(), workers: count, permits: semaphores.join(address) }),
    takeTokens: ({ key, rate, most }) => rates.take(key, rate, most, performance.now()),
    spend: ({ nonce, expiresAtMs, mark }) => store.spend(nonce, expiresAtMs, mark),
    sendText({ to, text }) {
      const addressee = workers.get(to);
      addressee?.tell('receiveText', { text });
      return addressee ? 'delivered' : 'nobody';
    },
    claimToken: ({ name, badGeneration, owner }, { address }) =>
      tokens.claim(name, badGeneration, owner, address, Date.now()),
    finishToken: ({ name, owner, text, keepMs }) => tokens.finish(name, owner, text, Date.now() + keepMs),
    wantPermits: (value, { address }) => semaphores.want(address, value, value.count),
    cancelWant: (value, { address }) => semaphores.cancelWant(address, value),
    returnPermits: (value, { address }) => semaphores.takeBack(address, value, value.count, value.isAnswer),
    sendTextToAll({ text }, { address }) {
      for (const worker of workers.values()) if (worker.address !== address) worker.tell('receiveText', { text });
    },
  };
}

const MIN_SWEEP = 10_000;

/** The token buckets of all workers, by key. A full bucket is the same as a new one, so it is dropped. */
class PrimaryRates {
  readonly #buckets = new Map<string, TokenBucket>();
  #sweepAt = MIN_SWEEP;

  take(key: string, rate: Rate, most: number, now: number): TakenTokens {
    return (this.#buckets.get(key) ?? this.#addBucket(key, now)).takeUpTo(most, rate, now);
  }

  #addBucket(key: string, now: number): TokenBucket {
    if (this.#buckets.size >= this.#sweepAt) {
      for (const [other, bucket] of this.#buckets) if (bucket.isFull(now)) this.#buckets.delete(other);
      this.#sweepAt = Math.max(MIN_SWEEP, this.#buckets.size * 2);
    }
    const bucket = new TokenBucket();
    this.#buckets.set(key, bucket);
    return bucket;
  }
}

interface TokenEntry {
  text: string;
  /** When the text expires. */
  until: number;
  turn: { readonly owner: string; readonly worker: string; readonly until: number } | undefined;
}

const MAX_TOKENS = 10_000;
/** A login takes two requests at most; a worker that takes longer loses its turn. */
const TURN_MS = 25_000;

/** The access tokens that workers share, in memory only. */
class PrimaryTokens {
  /** In the order of their last claim, so that the oldest is dropped first. */
  readonly #entries = new Map<string, TokenEntry>();

  claim(name: string, badGeneration: string, owner: string, worker: string, now: number): StoreClaim {
    const entry = this.#use(name, now);
    const generation = entry.text.slice(0, Math.max(0, entry.text.indexOf('.')));
    if (generation !== '' && generation !== badGeneration) return { kind: 'there', text: entry.text };
    if (entry.turn !== undefined && entry.turn.until > now) return { kind: 'busy', text: '' };
    entry.turn = { owner, worker, until: now + TURN_MS };
    return { kind: 'ours', text: entry.text };
  }

  finish(name: string, owner: string, text: string, until: number): void {
    const entry = this.#entries.get(name);
    if (entry?.turn?.owner !== owner) return;
    entry.turn = undefined;
    if (text === '') return;
    entry.text = text;
    entry.until = until;
  }

  /** Frees the turns of a worker that has ended. */
  leave(worker: string): void {
    for (const entry of this.#entries.values()) if (entry.turn?.worker === worker) entry.turn = undefined;
  }

  #use(name: string, now: number): TokenEntry {
    const entry = this.#entries.get(name) ?? { text: '', until: 0, turn: undefined };
    if (entry.until <= now) entry.text = '';
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    if (this.#entries.size > MAX_TOKENS) this.#entries.delete(this.#entries.keys().next().value as string);
    return entry;
  }
}
