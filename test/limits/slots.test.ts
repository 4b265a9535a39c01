// Room for so many at once, and a fair queue in front of it.
import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/errors.ts';
import { type Pace, type SlotRules, Slots } from '../../src/limits/slots.ts';

const RULES: SlotRules = { concurrent: 2, queue: 100, waitSeconds: 60 };

function callOf(more: { signal?: AbortSignal; deadline?: number } = {}) {
  return { label: 'pets_list', signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY, ...more };
}

function slotsOf(rules: Partial<SlotRules> = {}, pace?: Pace): Slots {
  return new Slots({ ...RULES, ...rules }, (why) => new GatewayError('RATE_LIMITED', why), pace);
}

/** Calls that end when they are told to; `order` is who began, one after the other. */
function crowd(slots: Slots) {
  const order: string[] = [];
  const refused: string[] = [];
  const send = (who: string, call = callOf()) => {
    let waiting: Promise<void> | undefined;
    try {
      waiting = slots.enter(who, call);
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

describe('room', () => {
  test('is given at once, without a promise, until it is used up', () => {
    const slots = slotsOf();
    expect([slots.enter('a', callOf()), slots.enter('a', callOf())]).toEqual([undefined, undefined]);
    const leaving = new AbortController();
    const waiting = slots.enter('a', callOf({ signal: leaving.signal }));
    expect(waiting).toBeInstanceOf(Promise);
    expect([slots.running, slots.waiting]).toEqual([2, 1]);
    leaving.abort();
    return expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  test('goes to who waits when somebody leaves, and never to more than fit', async () => {
    const slots = slotsOf({ concurrent: 1 });
    const { order, send, settle } = crowd(slots);
    for (let i = 0; i < 5; i++) send('a');
    for (let i = 1; i <= 5; i++) {
      await settle();
      expect([order.length, slots.running]).toEqual([i, 1]);
      slots.leave('a');
    }
    expect([slots.running, slots.waiting]).toEqual([0, 0]);
  });
});

describe('a queue', () => {
  test('serves callers in turn: one that sent a hundred times as much waits a hundred times as long', async () => {
    const slots = slotsOf({ concurrent: 1, queue: 1_000 });
    const { order, send, settle } = crowd(slots);
    for (let i = 0; i < 500; i++) send('noisy');
    for (let i = 0; i < 5; i++) send('quiet');
    while (slots.running > 0) {
      slots.leave(order.at(-1)!);
      await settle();
    }
    expect(order).toHaveLength(505);
    // The first was under way, then they take turns.
    expect(order.slice(0, 11).join(' ')).toBe('noisy noisy quiet noisy quiet noisy quiet noisy quiet noisy quiet');
  });

  test('that is full loses the last call of whoever has most in it, and not the caller that comes with one', async () => {
    const slots = slotsOf({ concurrent: 1, queue: 10 });
    const { refused, send, settle } = crowd(slots);
    for (let i = 0; i < 12; i++) send('noisy');
    expect(refused).toEqual(['noisy full']);
    send('quiet');
    await settle();
    expect(refused).toEqual(['noisy full', 'noisy full']);
    expect(slots.waiting).toBe(10);
  });

  test('of no length refuses at once', () => {
    const { refused, send } = crowd(slotsOf({ concurrent: 1, queue: 0 }));
    send('a');
    send('a');
    expect(refused).toEqual(['a full']);
  });

  test('is left by a call that is cancelled, too late, or past its own deadline; none of them begins', async () => {
    const slots = slotsOf({ concurrent: 1, waitSeconds: 0.02 });
    const { order, refused, send } = crowd(slots);
    const leaving = new AbortController();
    send('a');
    send('b', callOf({ signal: leaving.signal }));
    send('c');
    leaving.abort();
    const patient = slotsOf({ concurrent: 1 });
    const other = crowd(patient);
    other.send('a');
    other.send('d', callOf({ deadline: performance.now() + 20 }));
    while (refused.length < 2 || other.refused.length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    slots.leave('a');
    patient.leave('a');
    await new Promise((resolve) => setImmediate(resolve));
    expect([order, other.order]).toEqual([['a'], ['a']]);
    expect(refused).toEqual(['b pets_list was cancelled by the caller.', 'c waited']);
    expect(other.refused).toEqual(['d waited']);
    expect([slots.running, slots.waiting, patient.running, patient.waiting]).toEqual([0, 0, 0, 0]);
  });

  test('is not entered by a call that is cancelled already', () => {
    const slots = slotsOf({ concurrent: 1 });
    const { refused, send } = crowd(slots);
    send('a');
    send('b', callOf({ signal: AbortSignal.abort() }));
    expect([refused, slots.waiting]).toEqual([['b pets_list was cancelled by the caller.'], 0]);
  });
});

describe('several callers', () => {
  test('leave an eighth of the room to each other, so that long calls of one keep nobody out', async () => {
    const slots = slotsOf({ concurrent: 16 });
    const { order, send, settle } = crowd(slots);
    send('quiet');
    slots.leave('quiet');
    for (let i = 0; i < 50; i++) send('noisy');
    expect(slots.running).toBe(14);
    send('quiet');
    await settle();
    expect([order.at(-1), slots.running]).toEqual(['quiet', 15]);
  });

  test('leave it as well to those who have never called, and however many take all they can', async () => {
    const slots = slotsOf({ concurrent: 16, queue: 1_000 });
    const { order, send, settle } = crowd(slots);
    for (let i = 0; i < 50; i++) send('noisy');
    expect(slots.running).toBe(14);
    for (let i = 0; i < 50; i++) send('noisy too');
    await settle();
    expect(slots.running).toBe(15);
    // As calls end the two come to have as many, and between them leave something free.
    for (let i = 0; i < 20; i++) {
      slots.leave('noisy');
      await settle();
    }
    expect(slots.running).toBeLessThan(16);
    send('quiet');
    await settle();
    expect(order.at(-1)).toBe('quiet');
  });

  test.each(['anonymous', 'local', ''])('but where they are not told apart ("%s") they have all of it', (who) => {
    const slots = slotsOf({ concurrent: 16 });
    const { send } = crowd(slots);
    for (let i = 0; i < 50; i++) send(who);
    expect(slots.running).toBe(16);
  });
});

describe('a pace', () => {
  test('lets calls begin only as often as it says, in turn by caller', async () => {
    let tokens = 1;
    const slots = slotsOf({ concurrent: 10 }, () => (tokens-- > 0 ? 0 : 5));
    const { order, send } = crowd(slots);
    for (let i = 0; i < 3; i++) send('noisy');
    send('quiet');
    expect(order).toEqual(['noisy']);
    tokens = 2;
    while (order.length < 3) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(order).toEqual(['noisy', 'noisy', 'quiet']);
  });

  test('may take its time to answer', async () => {
    let tokens = 3;
    const slots = slotsOf({ concurrent: 10, queue: 0, waitSeconds: 0 }, async () => (tokens-- > 0 ? 0 : 1_000));
    const { order, refused, send } = crowd(slots);
    for (let i = 0; i < 3; i++) send('a');
    while (order.length < 3) await new Promise((resolve) => setTimeout(resolve, 2));
    expect([order.length, refused, slots.running, slots.waiting]).toEqual([3, [], 3, 0]);
  });
});
