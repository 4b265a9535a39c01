import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildDigest, toCanonicalJson } from '../../src/call/digest.ts';
import {
  type ConfirmationBinding,
  createConfirmations,
  createSpentMemory,
  createSpentStore,
} from '../../src/orchestration/confirmations.ts';
import { createSigner } from '../../src/orchestration/signer.ts';

const binding: ConfirmationBinding = {
  purpose: 'token',
  principal: 'ann',
  operation: 'pets.delete',
  digest: buildDigest({ id: 7 }),
};

describe('a permission', () => {
  test('is valid once', async () => {
    const confirmations = createConfirmations();
    const seal = confirmations.issue(binding);
    expect(confirmations.inspect(seal, binding)).toBe('good');
    expect(await confirmations.redeem(seal, binding)).toBe('good');
    expect(await confirmations.redeem(seal, binding)).toBe('used');
  });

  test('is valid once even if it is redeemed many times at the same moment', async () => {
    const confirmations = createConfirmations();
    const seal = confirmations.issue(binding);
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => confirmations.redeem(seal, binding)));
    expect(verdicts.filter((verdict) => verdict === 'good').length).toBe(1);
  });

  test.each<[string, Partial<ConfirmationBinding>]>([
    ['purpose', { purpose: 'state' }],
    ['principal', { principal: 'bob' }],
    ['operation', { operation: 'pets.create' }],
    ['arguments', { digest: buildDigest({ id: 8 }) }],
  ])('is bound to its %s', async (_, change) => {
    const confirmations = createConfirmations();
    const seal = confirmations.issue(binding);
    expect(confirmations.inspect(seal, { ...binding, ...change })).toBe('tampered');
    expect(await confirmations.redeem(seal, { ...binding, ...change })).toBe('tampered');
    // The attempt has not used it up.
    expect(await confirmations.redeem(seal, binding)).toBe('good');
  });

  test('for one principal and operation is not valid for another pair with the same text', async () => {
    const confirmations = createConfirmations();
    const seal = confirmations.issue({ ...binding, principal: 'a","b', operation: 'c' });
    expect(await confirmations.redeem(seal, { ...binding, principal: 'a', operation: 'b","c' })).toBe('tampered');
  });

  test('is not valid after its expiry, nor with another key', async () => {
    let now = 1_000_000_000;
    const signer = createSigner(Buffer.alloc(32, 1));
    const confirmations = createConfirmations({ signer, ttlSeconds: 60, now: () => now });
    const seal = confirmations.issue(binding);
    now += 59_000;
    expect(confirmations.inspect(seal, binding)).toBe('good');
    now += 1_000;
    expect(confirmations.inspect(seal, binding)).toBe('expired');
    expect(await confirmations.redeem(seal, binding)).toBe('expired');
    const other = createConfirmations({ signer: createSigner(Buffer.alloc(32, 2)), now: () => now - 60_000 });
    expect(await other.redeem(seal, binding)).toBe('tampered');
  });

  test('of one replica is valid at another with the same key, once for both if they share a store', async () => {
    const signer = createSigner(Buffer.alloc(32, 1));
    const spent = createSpentStore();
    const [one, two] = [createConfirmations({ signer, spent }), createConfirmations({ signer, spent })];
    const seal = one.issue(binding);
    expect(await two.redeem(seal, binding)).toBe('good');
    expect(await one.redeem(seal, binding)).toBe('used');
  });

  test('is not valid at a replica that shares the key but no store: one yes would act twice', async () => {
    const signer = createSigner(Buffer.alloc(32, 1));
    const [one, two] = [createConfirmations({ signer }), createConfirmations({ signer })];
    const seal = one.issue(binding);
    expect(await two.redeem(seal, binding)).toBe('expired');
    expect(await one.redeem(seal, binding)).toBe('good');
  });

  test('is not valid after a restart, which forgets what was used', async () => {
    const secret = Buffer.alloc(32, 'secret');
    let ms = Date.parse('2026-01-01T00:00:00Z');
    const start = () => createConfirmations({ signer: createSigner(secret), now: () => ms });
    const before = start();
    const seal = before.issue(binding);
    expect(await before.redeem(seal, binding)).toBe('good');
    ms += 2_000;
    const after = start();
    expect(await after.redeem(seal, binding)).toBe('expired');
    expect(await after.redeem(after.issue(binding), binding)).toBe('good');
  });

  test('is refused after any change to any of its characters', () => {
    const confirmations = createConfirmations();
    const seal = confirmations.issue(binding);
    fc.assert(
      fc.property(fc.nat(seal.length - 1), fc.constantFrom(...'Aa0_-=+/ .'), (at, char) => {
        fc.pre(seal[at] !== char);
        const changed = seal.slice(0, at) + char + seal.slice(at + 1);
        expect(confirmations.inspect(changed, binding)).toBe('tampered');
      }),
      { numRuns: 300 },
    );
  });

  test('cannot be guessed, and no text makes the check throw', async () => {
    const confirmations = createConfirmations();
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 100 }), async (text) => {
        expect(await confirmations.redeem(text, binding)).toBe('tampered');
      }),
      { numRuns: 200 },
    );
  });
});

describe('the store of used permissions', () => {
  test('forgets expired permissions and keeps the others', () => {
    let now = 0;
    const store = createSpentMemory(() => now);
    expect(store.spend('a', 10)).toBe(true);
    expect(store.spend('b', 20)).toBe(true);
    now = 15;
    expect(store.spend('c', 30)).toBe(true);
    expect(store.spend('b', 20)).toBe(false);
    // `a` is gone; its seal has expired and would be refused before it gets here.
    expect(store.spend('a', 10)).toBe(true);
  });
});

describe('the digest of arguments', () => {
  test('does not depend on the order of keys, at any depth', () => {
    expect(toCanonicalJson({ b: [{ y: 1, x: null }], a: 'é' })).toBe('{"a":"é","b":[{"x":null,"y":1}]}');
    expect(buildDigest({ a: 1, b: { c: 2, d: 3 } })).toBe(buildDigest({ b: { d: 3, c: 2 }, a: 1 }));
  });

  test('differs for other arguments of every type', () => {
    const values = [{}, { a: 1 }, { a: '1' }, { a: null }, { a: [] }, { a: {} }, { a: [1] }, { a: true }, { a: 10n }];
    const dates = [new Date(0), new Date(1)].map((when) => ({ a: when }));
    expect(new Set([...values, ...dates].map(buildDigest)).size).toBe(values.length + dates.length);
  });

  test('is the same for equal JSON and differs for different JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const [a, b] = [JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))];
        expect(buildDigest(one)).toBe(buildDigest(a));
        if (toCanonicalJson(a) !== toCanonicalJson(b)) expect(buildDigest(a)).not.toBe(buildDigest(b));
      }),
      { numRuns: 200 },
    );
  });
});
