// The semaphore and its fair queue.
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { FairSemaphore, type SemaphoreRules, type TakeToken } from '../../src/limits/fair-semaphore.ts';

const RULES: SemaphoreRules = { concurrent: 2, queue: 100, waitSeconds: 60 };

function callOf(more: { signal?: AbortSignal; deadline?: number } = {}) {
  return { label: 'pets_list', signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY, ...more };
}

function semaphoreOf(rules: Partial<SemaphoreRules> = {}, takeToken?: TakeToken): FairSemaphore {
  return new FairSemaphore({ ...RULES, ...rules }, (why) => new GatewayError('RATE_LIMITED', why), takeToken);
}

/** Sends calls that end when the test says so. `order` lists the callers of the calls that have begun. */
function createCallers(semaphore: FairSemaphore) {
  const order: string[] = [];
  const refused: string[] = [];
  const send = (who: string, call = callOf()) => {
    let waiting: Promise<void> | undefined;
    try {
      waiting = semaphore.acquire(who, call);
    } catch (error) {
      refused.push(`${who} ${(error as Error).message}`);
      return;
    }
    if (waiting === undefined) order.push(who);
    else
      waiting.then(
        () => order.push(who),
        (error: Error) => refused.push(`${who} ${error.message}`),
      );
  };
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return { order, refused, send, settle };
}

describe('a semaphore', () => {
  test('grants permits without a promise until none is left', () => {
    const semaphore = semaphoreOf();
    expect([semaphore.acquire('a', callOf()), semaphore.acquire('a', callOf())]).toEqual([undefined, undefined]);
    const leaving = new AbortController();
    const waiting = semaphore.acquire('a', callOf({ signal: leaving.signal }));
    expect(waiting).toBeInstanceOf(Promise);
    expect([semaphore.running, semaphore.waiting]).toEqual([2, 1]);
    leaving.abort();
    return expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  test('gives a released permit to a waiting call, and never grants more than it has', async () => {
    const semaphore = semaphoreOf({ concurrent: 1 });
    const { order, send, settle } = createCallers(semaphore);
    for (let i = 0; i < 5; i++) send('a');
    for (let i = 1; i <= 5; i++) {
      await settle();
      expect([order.length, semaphore.running]).toEqual([i, 1]);
      semaphore.release('a');
    }
    expect([semaphore.running, semaphore.waiting]).toEqual([0, 0]);
  });
});

describe('the queue of a semaphore', () => {
  test('admits callers in turn, so a caller with a hundred times as many calls waits a hundred times as long', async () => {
    const semaphore = semaphoreOf({ concurrent: 1, queue: 1_000 });
    const { order, send, settle } = createCallers(semaphore);
    for (let i = 0; i < 500; i++) send('noisy');
    for (let i = 0; i < 5; i++) send('quiet');
    while (semaphore.running > 0) {
      semaphore.release(order.at(-1)!);
      await settle();
    }
    expect(order).toHaveLength(505);
    // The first call was already running; after it the callers take turns.
    expect(order.slice(0, 11).join(' ')).toBe('noisy noisy quiet noisy quiet noisy quiet noisy quiet noisy quiet');
  });

  test('when full refuses the last call of the caller with the longest queue, not the call of another caller', async () => {
    const semaphore = semaphoreOf({ concurrent: 1, queue: 10 });
    const { refused, send, settle } = createCallers(semaphore);
    for (let i = 0; i < 12; i++) send('noisy');
    expect(refused).toEqual(['noisy full']);
    send('quiet');
    await settle();
    expect(refused).toEqual(['noisy full', 'noisy full']);
    expect(semaphore.waiting).toBe(10);
  });

  test('of length 0 refuses at once', () => {
    const { refused, send } = createCallers(semaphoreOf({ concurrent: 1, queue: 0 }));
    send('a');
    send('a');
    expect(refused).toEqual(['a full']);
  });

  test('drops calls that are cancelled, wait too long or pass their deadline, and none of them begins', async () => {
    const semaphore = semaphoreOf({ concurrent: 1, waitSeconds: 0.02 });
    const { order, refused, send } = createCallers(semaphore);
    const leaving = new AbortController();
    send('a');
    send('b', callOf({ signal: leaving.signal }));
    send('c');
    leaving.abort();
    const patient = semaphoreOf({ concurrent: 1 });
    const other = createCallers(patient);
    other.send('a');
    other.send('d', callOf({ deadline: performance.now() + 20 }));
    while (refused.length < 2 || other.refused.length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    semaphore.release('a');
    patient.release('a');
    await new Promise((resolve) => setImmediate(resolve));
    expect([order, other.order]).toEqual([['a'], ['a']]);
    expect(refused).toEqual(['b pets_list was cancelled by the caller.', 'c waited']);
    expect(other.refused).toEqual(['d waited']);
    expect([semaphore.running, semaphore.waiting, patient.running, patient.waiting]).toEqual([0, 0, 0, 0]);
  });

  test('does not take a call that is already cancelled', () => {
    const semaphore = semaphoreOf({ concurrent: 1 });
    const { refused, send } = createCallers(semaphore);
    send('a');
    send('b', callOf({ signal: AbortSignal.abort() }));
    expect([refused, semaphore.waiting]).toEqual([['b pets_list was cancelled by the caller.'], 0]);
  });
});

describe('a semaphore with several callers', () => {
  test('keeps an eighth of its permits free of one caller, so that its long calls block nobody else', async () => {
    const semaphore = semaphoreOf({ concurrent: 16 });
    const { order, send, settle } = createCallers(semaphore);
    send('quiet');
    semaphore.release('quiet');
    for (let i = 0; i < 50; i++) send('noisy');
    expect(semaphore.running).toBe(14);
    send('quiet');
    await settle();
    expect([order.at(-1), semaphore.running]).toEqual(['quiet', 15]);
  });

  test('keeps a permit for a caller that has never called, however many callers use all they can get', async () => {
    const semaphore = semaphoreOf({ concurrent: 16, queue: 1_000 });
    const { order, send, settle } = createCallers(semaphore);
    for (let i = 0; i < 50; i++) send('noisy');
    expect(semaphore.running).toBe(14);
    for (let i = 0; i < 50; i++) send('noisy too');
    await settle();
    expect(semaphore.running).toBe(15);
    // As calls end, the two callers get equal shares, which leave a permit free.
    for (let i = 0; i < 20; i++) {
      semaphore.release('noisy');
      await settle();
    }
    expect(semaphore.running).toBeLessThan(16);
    send('quiet');
    await settle();
    expect(order.at(-1)).toBe('quiet');
  });

  test.each(['anonymous', 'local', ''])('gives all permits to callers that share the identity "%s"', (who) => {
    const semaphore = semaphoreOf({ concurrent: 16 });
    const { send } = createCallers(semaphore);
    for (let i = 0; i < 50; i++) send(who);
    expect(semaphore.running).toBe(16);
  });
});

describe('a semaphore with a rate limit', () => {
  test('lets calls begin only as often as there are tokens, in turn by caller', async () => {
    let tokens = 1;
    const semaphore = semaphoreOf({ concurrent: 10 }, () => (tokens-- > 0 ? 0 : 5));
    const { order, send } = createCallers(semaphore);
    for (let i = 0; i < 3; i++) send('noisy');
    send('quiet');
    expect(order).toEqual(['noisy']);
    tokens = 2;
    while (order.length < 3) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(order).toEqual(['noisy', 'noisy', 'quiet']);
  });

  test('waits for a token that is granted later', async () => {
    let tokens = 3;
    const semaphore = semaphoreOf({ concurrent: 10, queue: 0, waitSeconds: 0 }, async () => (tokens-- > 0 ? 0 : 1_000));
    const { order, refused, send } = createCallers(semaphore);
    for (let i = 0; i < 3; i++) send('a');
    while (order.length < 3) await new Promise((resolve) => setTimeout(resolve, 2));
    expect([order.length, refused, semaphore.running, semaphore.waiting]).toEqual([3, [], 3, 0]);
  });
});
