// A concurrency limit over all workers: never more calls at once than configured, never fewer while calls wait, and no message while
// the calls of each worker fit its share.
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { FairSemaphore, type WaitingCall } from '../../src/limits/fair-semaphore.ts';
import { createPrimaryState, type PrimaryState } from '../../src/state/primary-state.ts';
import type { SharedState } from '../../src/state/shared-state.ts';
import { openWorkerState } from '../../src/state/worker-state.ts';
import { type ChannelPair, connectState } from '../support/state-channels.ts';
import { gate } from '../support/until.ts';

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close();
});

interface Worker extends ChannelPair {
  readonly state: SharedState;
  die(): void;
}

async function startWorker(primary: PrimaryState): Promise<Worker> {
  const pair = connectState();
  const detach = primary.attach(pair.primary);
  const state = await openWorkerState({ channel: pair.worker });
  closing.push(() => state.close());
  const die = () => {
    pair.cut();
    detach();
  };
  return { ...pair, state, die };
}

async function startWorkers(count: number): Promise<Worker[]> {
  const primary = createPrimaryState({ workers: count });
  return Promise.all(Array.from({ length: count }, () => startWorker(primary)));
}

const RULES = { queue: 1_000, waitSeconds: 60 };

function semaphoreOf(
  { state }: Worker,
  concurrent: number,
  rules: Partial<typeof RULES> = {},
  key = 'api',
): FairSemaphore {
  const refuse = (why: string) => new GatewayError('RATE_LIMITED', why);
  return new FairSemaphore({ concurrent, ...RULES, ...rules }, refuse, undefined, (user, total) =>
    state.permits!.shareOf(key, total, user),
  );
}

const callOf = (signal = new AbortController().signal): WaitingCall => ({
  label: 'list',
  signal,
  deadline: performance.now() + 600_000,
});

/** Counts the calls that run in all workers. */
class Watch {
  running = 0;
  most = 0;
  done = 0;

  async run(semaphores: FairSemaphore, work: () => Promise<unknown>): Promise<void> {
    await semaphores.acquire('', callOf());
    this.most = Math.max(this.most, ++this.running);
    await work();
    this.running--;
    this.done++;
    semaphores.release('');
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await turn();
}

describe.each([
  [1, 2],
  [1, 4],
  [2, 3],
  [3, 2],
  [7, 3],
  [8, 2],
  [64, 4],
])('a semaphore of %i permits over %i workers', (total, count) => {
  test('is never exceeded and used to the last permit, wherever the calls are', async () => {
    const workers = await startWorkers(count);
    const semaphores = workers.map((worker) => semaphoreOf(worker, total));
    const watch = new Watch();
    // All calls at one worker, then at another, then everywhere: the permits have to move.
    for (const at of [...semaphores.keys(), -1]) {
      const before = watch.done;
      watch.most = 0;
      const calls = Array.from({ length: total * 6 }, (_, i) =>
        watch.run(semaphores[at === -1 ? i % count : at]!, () => turns(1 + (i % 12))),
      );
      await Promise.all(calls);
      expect([watch.most, watch.done - before]).toEqual([total, total * 6]);
    }
  });

  test('gets its permits back when the worker that has them all dies', async () => {
    const workers = await startWorkers(count);
    const [dying, living] = [semaphoreOf(workers[0]!, total), semaphoreOf(workers[1]!, total)];
    for (let i = 0; i < total; i++) await dying.acquire('', callOf());
    const waiting = Promise.all(Array.from({ length: total }, () => living.acquire('', callOf())));
    await turns(20);
    workers[0]!.die();
    await waiting;
    expect(living.running).toBe(total);
  });
});

test('permits of workers are never exceeded and never lost, whatever calls, callers and workers do', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.tuple(fc.nat(2), fc.constantFrom('call', 'call', 'call', 'leave', 'die', 'wait'), fc.nat(6)), {
        maxLength: 60,
      }),
      async (total, steps) => {
        const primary = createPrimaryState({ workers: 3 });
        const open = async () => {
          const worker = await startWorker(primary);
          return { worker, semaphores: semaphoreOf(worker, total), calls: new Set<AbortController>() };
        };
        const all = await Promise.all([open(), open(), open()]);
        const dead = new Set<FairSemaphore>();
        const running = () =>
          all.reduce((sum, { semaphores }) => sum + (dead.has(semaphores) ? 0 : semaphores.running), 0);
        const call = async (at: number, ms: number) => {
          const { semaphores, calls } = all[at]!;
          const leaving = new AbortController();
          calls.add(leaving);
          try {
            await semaphores.acquire('', callOf(leaving.signal));
          } catch {
            return void calls.delete(leaving);
          }
          calls.delete(leaving);
          expect(running()).toBeLessThanOrEqual(total);
          await turns(ms);
          semaphores.release('');
        };
        const begun: Promise<void>[] = [];
        for (const [at, step, count] of steps) {
          if (step === 'call') begun.push(call(at, count));
          if (step === 'leave') for (const leaving of [...all[at]!.calls].slice(0, count)) leaving.abort();
          if (step === 'wait') await turns(count);
          if (step === 'die') {
            const { worker, semaphores, calls } = all[at]!;
            worker.die();
            dead.add(semaphores);
            for (const leaving of calls) leaving.abort();
            all[at] = await open();
          }
        }
        await Promise.all(begun);
        // Every worker can get all permits, because no calls are left.
        const watch = new Watch();
        await Promise.all(Array.from({ length: total * 2 }, () => watch.run(all[1]!.semaphores, () => turns(20))));
        expect(watch.most).toBe(total);
      },
    ),
    { numRuns: 200 },
  );
});

describe('permits of workers', () => {
  test('cost no message while calls fit the equal shares', async () => {
    const workers = await startWorkers(4);
    const before = workers.map(({ count }) => count());
    const watch = new Watch();
    for (const worker of workers) {
      const semaphores = semaphoreOf(worker, 64);
      for (let round = 0; round < 50; round++)
        await Promise.all(Array.from({ length: 16 }, () => watch.run(semaphores, () => turns(1))));
    }
    expect(watch.done).toBe(4 * 50 * 16);
    expect(workers.map(({ count }) => count())).toEqual(before);
  });

  test('without a queue: exactly the calls beyond them are refused', async () => {
    const workers = await startWorkers(3);
    const semaphores = workers.map((worker) => semaphoreOf(worker, 5, { queue: 0 }));
    const entered = await Promise.allSettled(
      Array.from({ length: 30 }, async (_, at) => semaphores[at % 3]!.acquire('', callOf())),
    );
    expect(entered.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    // A released permit goes to the next call, at any worker.
    const full = semaphores.findIndex(({ running }) => running > 0);
    semaphores[full]!.release('');
    await semaphores[(full + 1) % 3]!.acquire('', callOf());
    expect(semaphores.reduce((sum, { running }) => sum + running, 0)).toBe(5);
  });

  test('are shared by two workers that both have too many calls', async () => {
    const [one, two] = await startWorkers(2);
    const [first, second] = [semaphoreOf(one!, 6), semaphoreOf(two!, 6)];
    const watch = new Watch();
    const early = Array.from({ length: 60 }, () => watch.run(first, () => turns(10)));
    await turns(10);
    expect(first.running).toBe(6);
    const late = Array.from({ length: 60 }, () => watch.run(second, () => turns(10)));
    let isFair = false;
    while (!isFair && watch.done < 120) {
      await turn();
      isFair = first.running === 3 && second.running === 3;
    }
    expect(isFair).toBe(true);
    await Promise.all([...early, ...late]);
    expect(watch.most).toBe(6);
  });

  test('go to a restarted worker as far as others have left some', async () => {
    const primary = createPrimaryState({ workers: 2 });
    const [one, two] = [await startWorker(primary), await startWorker(primary)];
    const first = semaphoreOf(one, 4);
    two.die();
    for (let i = 0; i < 4; i++) await first.acquire('', callOf());
    const again = semaphoreOf(await startWorker(primary), 4);
    const { opened, open } = gate();
    const entered = Promise.resolve(again.acquire('', callOf())).then(() => open());
    await turns(20);
    expect([first.running, again.running]).toEqual([4, 0]);
    first.release('');
    await opened;
    await entered;
    expect([first.running, again.running]).toEqual([3, 1]);
  });

  test('are not taken for a caller that has left while they were requested', async () => {
    const [one, two] = await startWorkers(2);
    const [first, second] = [semaphoreOf(one!, 1), semaphoreOf(two!, 1)];
    await first.acquire('', callOf());
    const leaving = new AbortController();
    const entered = second.acquire('', callOf(leaving.signal));
    leaving.abort();
    await expect(entered).rejects.toMatchObject({ code: 'CANCELLED' });
    first.release('');
    await turns(20);
    expect([second.running, second.waiting]).toEqual([0, 0]);
    await first.acquire('', callOf());
    expect(first.running).toBe(1);
  });

  test('are queued for while the primary hangs, and the share of this worker stays usable', async () => {
    const [one] = await startWorkers(2);
    const semaphores = semaphoreOf(one!, 4, { queue: 1 });
    one!.cut();
    await semaphores.acquire('', callOf());
    await semaphores.acquire('', callOf());
    const [third, fourth] = [semaphores.acquire('', callOf()), semaphores.acquire('', callOf())];
    await expect(fourth).rejects.toMatchObject({ message: 'full' });
    semaphores.release('');
    await third;
    expect(semaphores.running).toBe(2);
  });
});
