// Signed, single-use permissions: "this principal may run this tool with these arguments, once, until then".
// The same seal is used as a confirmation token, which a refusal contains, and as `requestState` (MCP multi round-trip requests).
import { randomBytes } from 'node:crypto';
import { createSigner, type Signer } from './signer.ts';

/** The scope of a permission. */
export interface ConfirmationBinding {
  readonly purpose: 'token' | 'state' | 'round';
  readonly principal: string;
  readonly operation: string;
  readonly digest: string;
}

/** Remembers used permissions. A single process uses a Map; replicas share a store through this interface. */
export interface SpentStore {
  /** Identifies the memory of the store. New permissions contain it. It changes when the store may have forgotten something. */
  readonly mark?: () => number;
  /**
   * True the first time, false after that. `lost` if the permission was issued under another mark, so that it is
   * unknown whether it was used. A store that cannot determine this must throw: the call is then refused.
   */
  spend(nonce: string, expiresAtMs: number, mark: number): Spent | Promise<Spent>;
}

export type Spent = boolean | 'lost';

export type ConfirmationVerdict = 'good' | 'tampered' | 'expired' | 'used';

export interface Confirmations {
  issue(binding: ConfirmationBinding): string;
  /** Checks seal and expiry, without using the permission up. */
  inspect(seal: string, binding: ConfirmationBinding): Exclude<ConfirmationVerdict, 'used'>;
  /** Checks and uses it up. */
  redeem(seal: string, binding: ConfirmationBinding): Promise<ConfirmationVerdict>;
  /** How long ago a valid seal was issued; up to a second too much, because seals count in seconds. */
  ageMs(seal: string): number;
  /** For the audit trail: the nonce of a seal, which is useless without the rest. '' if the text is not a seal. */
  idOf(seal: string): string;
  readonly now: () => number;
  readonly ttlSeconds: number;
}

/** The mark of the store, and random bytes. */
const NONCE_BYTES = 4 + 8;
/** Expiry in seconds, and a nonce. */
const HEAD_BYTES = 4 + NONCE_BYTES;
const MAC_BYTES = 16;
const MAX_SPENT = 100_000;

/** The permissions that were used in this process. */
export function createSpentMemory(now: () => number = Date.now) {
  const expiries = new Map<string, number>();
  return {
    spend(nonce: string, expiresAtMs: number): boolean {
      if (expiries.has(nonce)) return false;
      // All have the same lifetime, so the entries are ordered by expiry, the expired ones first.
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
 * The store of a single process. It accepts only permissions that it issued itself since the last restart: of others it is
 * unknown whether they were used.
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

  const toSignedParts = (head: Buffer, { principal, operation, digest }: ConfirmationBinding) => [
    head.toString('base64url'),
    principal,
    operation,
    digest,
  ];

  const open = (seal: string, binding: ConfirmationBinding) => {
    const bytes = Buffer.from(seal, 'base64url');
    if (bytes.length !== HEAD_BYTES + MAC_BYTES || bytes.toString('base64url') !== seal) return undefined;
    const head = bytes.subarray(0, HEAD_BYTES);
    if (!signer.verify(bytes.subarray(HEAD_BYTES), binding.purpose, toSignedParts(head, binding))) return undefined;
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
      const mac = signer.sign(binding.purpose, toSignedParts(head, binding)).subarray(0, MAC_BYTES);
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
