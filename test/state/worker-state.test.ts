// What workers share through their primary, over channels that behave like IPC.
import { afterEach, describe, expect, test } from 'vitest';
import { parseRate } from '../../src/limits/rate.ts';
import { type ConfirmationBinding, createConfirmations } from '../../src/orchestration/confirmations.ts';
import { createSigner } from '../../src/orchestration/signer.ts';
import { createPrimaryState } from '../../src/state/primary-state.ts';
import type { SharedState } from '../../src/state/shared-state.ts';
import { openWorkerState } from '../../src/state/worker-state.ts';
import { type ChannelPair, connectState } from '../support/state-channels.ts';

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close();
});

interface Worker extends ChannelPair {
  readonly state: SharedState;
  die(): void;
}

async function startWorkers(count: number): Promise<Worker[]> {
  const primary = createPrimaryState({ workers: count });
  return Promise.all(
    Array.from({ length: count }, async () => {
      const pair = connectState();
      const detach = primary.attach(pair.primary);
      const state = await openWorkerState({ channel: pair.worker });
      closing.push(() => state.close());
      const die = () => {
        pair.cut();
        detach();
      };
      return { ...pair, state, die };
    }),
  );
}

const BINDING: ConfirmationBinding = { purpose: 'token', principal: 'a', operation: 'pets.delete', digest: 'd' };

const confirmationsOf = ({ state: { spent } }: Worker) =>
  createConfirmations({ signer: createSigner(Buffer.alloc(32, 7)), spent });

describe('workers of one primary', () => {
  test('share a token bucket: together they get its rate, and learn when there are more tokens', async () => {
    const workers = await startWorkers(3);
    const rate = parseRate('10/hour');
    const takes = Array.from({ length: 40 }, (_, at) => workers[at % 3]!.state.rates.take('key:ci', rate, 1));
    const taken = await Promise.all(takes);
    expect(taken.filter((each) => each?.tokens === 1)).toHaveLength(10);
    for (const ms of taken.filter((each) => each?.tokens !== 1).map((each) => each?.waitMs)) {
      expect(ms).toBeGreaterThan(300_000);
      expect(ms).toBeLessThanOrEqual(360_000);
    }
  });

  test('accept a confirmation once, however many of them get it at the same time', async () => {
    const [one, two] = (await startWorkers(2)).map(confirmationsOf);
    const seal = one!.issue(BINDING);
    const verdicts = await Promise.all([one, two, one, two].map((each) => each!.redeem(seal, BINDING)));
    expect(verdicts.sort()).toEqual(['good', 'used', 'used', 'used']);
  });

  test('count alone and accept no confirmation while the primary hangs', async () => {
    const [worker] = await startWorkers(1);
    worker!.cut();
    expect(await worker!.state.rates.take('key:ci', parseRate('1/hour'), 1)).toBe(undefined);
    expect(worker!.state.isUsable).toBe(false);
    const confirmations = confirmationsOf(worker!);
    await expect(confirmations.redeem(confirmations.issue(BINDING), BINDING)).rejects.toThrow('did not answer');
  });
});
