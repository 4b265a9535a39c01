// Signed, single-use permissions: "this principal may run this tool with these arguments, once, until then".
// The same seal serves as confirmation token (a refusal carries it) and as `requestState` (MCP multi round-trip requests).
import { randomBytes } from 'node:crypto';
import { createSigner, type Signer } from './signer.ts';

/** What a permission is bound to. */
export interface Binding {
  readonly purpose: 'token' | 'state' | 'round';
  readonly principal: string;
  readonly operation: string;
  readonly digest: string;
}

/** Remembers used permissions. One process uses a Map; replicas share a store through this interface. */
export interface SpentStore {
  /** Identifies this memory by a number, which new permissions carry. After it may have forgotten something, the mark changes. */
  readonly mark?: () => number;
  /**
   * True the first time, false after that; `lost` if it was issued under another mark, so that nobody can know any more. A store
   * that cannot tell at the moment must throw: the call is then refused.
   */
  spend(nonce: string, expiresAtMs: number, mark: number): Spent | Promise<Spent>;
}

export type Spent = boolean | 'lost';

export type Verdict = 'good' | 'tampered' | 'expired' | 'used';

export interface Confirmations {
  issue(binding: Binding): string;
  /** Checks seal and expiry without using the permission up. */
  inspect(seal: string, binding: Binding): Exclude<Verdict, 'used'>;
  /** Checks and uses it up. */
  redeem(seal: string, binding: Binding): Promise<Verdict>;
  /** How long ago a good seal was issued; up to a second more, as seals count in seconds. */
  ageMs(seal: string): number;
  /** Identifies a seal in the audit trail: its nonce, which is useless without the rest. '' if it is not a seal. */
  idOf(seal: string): string;
  readonly now: () => number;
  readonly ttlSeconds: number;
}

/** The mark of the store's memory, and random bytes. */
const NONCE_BYTES = 4 + 8;
/** Expiry in seconds, and a nonce. */
const HEAD_BYTES = 4 + NONCE_BYTES;
const MAC_BYTES = 16;
const MAX_SPENT = 100_000;

/** What this process has seen used. */
export function createSpentMemory(now: () => number = Date.now) {
  const expiries = new Map<string, number>();
  return {
    spend(nonce: string, expiresAtMs: number): boolean {
      if (expiries.has(nonce)) return false;
      // Insertion order is expiry order (one lifetime for all), so the dead are at the front.
      for (const [old, expiry] of expiries) {
        if (expiry > now()) break;
        expiries.delete(old);
      }
      if (expiries.size >= MAX_SPENT) throw new Error('Too many confirmations are open; try again in a minute.');
      expiries.set(nonce, expiresAtMs);
      return true;
    },
  };
}

/**
 * The store of a single process. Permissions it did not issue itself, even those of the same process before a restart, are not
 * accepted: nobody could say whether they were used.
 */
export function createSpentStore(now: () => number = Date.now) {
  const memory = createSpentMemory(now);
  const own = randomBytes(4).readUInt32BE(0);
  return {
    mark: () => own,
    spend: (nonce: string, expiresAtMs: number, mark: number): Spent =>
      mark === own ? memory.spend(nonce, expiresAtMs) : 'lost',
  } satisfies SpentStore;
}

export interface ConfirmationOptions {
  readonly signer?: Signer | undefined;
  readonly ttlSeconds?: number | undefined;
  readonly spent?: SpentStore | undefined;
  readonly now?: (() => number) | undefined;
}

export function createConfirmations(options: ConfirmationOptions = {}): Confirmations {
  const now = options.now ?? Date.now;
  const signer = options.signer ?? createSigner();
  const ttlSeconds = options.ttlSeconds ?? 300;
  const store: SpentStore = options.spent ?? createSpentStore(now);

  const toParts = (head: Buffer, { principal, operation, digest }: Binding) => [
    head.toString('base64url'),
    principal,
    operation,
    digest,
  ];

  const open = (seal: string, binding: Binding) => {
    const bytes = Buffer.from(seal, 'base64url');
    if (bytes.length !== HEAD_BYTES + MAC_BYTES || bytes.toString('base64url') !== seal) return undefined;
    const head = bytes.subarray(0, HEAD_BYTES);
    if (!signer.verify(bytes.subarray(HEAD_BYTES), binding.purpose, toParts(head, binding))) return undefined;
    return {
      expiresAtMs: head.readUInt32BE(0) * 1000,
      nonce: head.subarray(4).toString('base64url'),
      mark: head.readUInt32BE(4),
    };
  };

  return {
    ttlSeconds,
    now,
    ageMs: (seal) => now() - (Buffer.from(seal, 'base64url').readUInt32BE(0) - ttlSeconds) * 1000,
    idOf(seal) {
      const bytes = Buffer.from(seal, 'base64url');
      return bytes.length === HEAD_BYTES + MAC_BYTES ? bytes.toString('base64url', 4, HEAD_BYTES) : '';
    },
    issue(binding) {
      const head = Buffer.alloc(HEAD_BYTES);
      head.writeUInt32BE(Math.floor(now() / 1000) + ttlSeconds, 0);
      randomBytes(NONCE_BYTES).copy(head, 4);
      if (store.mark !== undefined) head.writeUInt32BE(store.mark(), 4);
      const mac = signer.sign(binding.purpose, toParts(head, binding)).subarray(0, MAC_BYTES);
      return Buffer.concat([head, mac]).toString('base64url');
    },
    inspect(seal, binding) {
      const payload = open(seal, binding);
      if (!payload) return 'tampered';
      return payload.expiresAtMs <= now() ? 'expired' : 'good';
    },
    async redeem(seal, binding) {
      const payload = open(seal, binding);
      if (!payload) return 'tampered';
      if (payload.expiresAtMs <= now()) return 'expired';
      const first = await store.spend(payload.nonce, payload.expiresAtMs, payload.mark);
      return first === 'lost' ? 'expired' : first ? 'good' : 'used';
    },
  };
}
