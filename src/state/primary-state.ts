// State shared by workers, kept by their primary. It answers each question from memory, within microseconds, and releases what a
// worker held when that dies.
import { randomBytes } from 'node:crypto';
import { createSpentStore } from '../orchestration/confirmations.ts';
import { Buckets } from './buckets.ts';
import { CommonRooms } from './common-rooms.ts';
import type { Orders, Questions, Reports, StateChannel, ToPrimary } from './state-channel.ts';
import { TokenShelf } from './token-shelf.ts';

export interface PrimaryState {
  /** A worker starts. Call the returned function when it is gone. */
  attach(channel: StateChannel): () => void;
}

export interface PrimaryStateOptions {
  /** How many there are, dead ones that are started again included. */
  readonly workers: number;
}

/** A worker that lives. */
interface Worker {
  readonly address: string;
  order<Kind extends keyof Orders>(order: Kind, value: Orders[Kind]): void;
}

type Answers = {
  readonly [Kind in keyof Questions]: (value: Questions[Kind]['ask'], worker: Worker) => Questions[Kind]['answer'];
} & { readonly [Kind in keyof Reports]: (value: Reports[Kind], worker: Worker) => void };

export function createPrimaryState({ workers: count }: PrimaryStateOptions): PrimaryState {
  const workers = new Map<string, Worker>();
  const shelf = new TokenShelf();
  const rooms = new CommonRooms(count, (to, order, value) => workers.get(to)?.order(order, value));
  const answers = createAnswers(workers, count, shelf, rooms);
  return {
    attach(channel) {
      const worker: Worker = {
        address: randomBytes(8).toString('hex'),
        order: (order, value) => channel.send({ order, value }),
      };
      workers.set(worker.address, worker);
      channel.onMessage((message) => {
        const { question, kind, value } = message as ToPrimary;
        if (workers.has(worker.address)) reply(channel, question, () => answers[kind](value as never, worker));
      });
      return () => {
        workers.delete(worker.address);
        shelf.leave(worker.address);
        rooms.leave(worker.address);
      };
    },
  };
}

function reply(channel: StateChannel, question: number | undefined, work: () => unknown): void {
  try {
    const value = work();
    if (question !== undefined) channel.send({ answer: question, value });
  } catch (error) {
    channel.send({ answer: question, failed: String((error as Error).message).slice(0, 200) });
  }
}

function createAnswers(
  workers: ReadonlyMap<string, Worker>,
  count: number,
  shelf: TokenShelf,
  rooms: CommonRooms,
): Answers {
  const buckets = new Buckets();
  const store = createSpentStore();
  return {
    hello: (_, { address }) => ({ address, mark: store.mark(), workers: count, parts: rooms.join(address) }),
    take: ({ key, rate, most }) => buckets.take(key, rate, most, performance.now()),
    spend: ({ nonce, expiresAtMs, mark }) => store.spend(nonce, expiresAtMs, mark),
    letter({ to, text }) {
      const addressee = workers.get(to);
      addressee?.order('letter', { text });
      return addressee ? 'delivered' : 'nobody';
    },
    claim: ({ name, refused, owner }, { address }) => shelf.claim(name, refused, owner, address, Date.now()),
    finish: ({ name, owner, text, keepMs }) => shelf.finish(name, owner, text, Date.now() + keepMs),
    want: (value, { address }) => rooms.want(address, value, value.count),
    enough: (value, { address }) => rooms.unclaim(address, value),
    back: (value, { address }) => rooms.takeBack(address, value, value.count, value.isAnswer),
    letterToAll({ text }, { address }) {
      for (const worker of workers.values()) if (worker.address !== address) worker.order('letter', { text });
    },
  };
}
