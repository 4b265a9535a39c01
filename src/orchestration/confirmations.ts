// Signed, single-use permissions: "this principal may run this tool with these arguments, once, until then".
// The same seal serves as confirmation token (a refusal carries it) and as `requestState` (MCP multi round-trip requests).
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a permission is bound to. */
export interface Binding {
  readonly purpose: 'token' | 'state';
  readonly principal: string;
  readonly operation: string;
  readonly digest: string;
}

/** Remembers what was used. In one process a Map does; replicas share one through this interface. */
export interface SpentStore {
  /** True the first time, false ever after. A store that cannot tell must throw: then the call is refused. */
  spend(nonce: string, expiresAtMs: number): boolean | Promise<boolean>;
}

export type Verdict = 'good' | 'tampered' | 'expired' | 'used';

export interface Confirmations {
  issue(binding: Binding): string;
  /** Checks seal and expiry without using the permission up. */
  inspect(seal: string, binding: Binding): Exclude<Verdict, 'used'>;
  /** Checks and uses it up. */
  redeem(seal: string, binding: Binding): Promise<Verdict>;
  readonly ttlSeconds: number;
}

const NONCE_BYTES = 12;
const MAC_BYTES = 16;
const MAX_SPENT = 100_000;

export function createSpentStore(now: () => number = Date.now): SpentStore {
  const spent = new Map<string, number>();
  return {
    spend(nonce, expiresAtMs) {
      if (spent.has(nonce)) return false;
      // Insertion order is expiry order (one lifetime for all), so the dead are at the front.
      for (const [old, expiry] of spent) {
        if (expiry > now()) break;
        spent.delete(old);
      }
      if (spent.size >= MAX_SPENT) throw new Error('Too many confirmations are open; try again in a minute.');
      spent.set(nonce, expiresAtMs);
      return true;
    },
  };
}

export interface ConfirmationOptions {
  /** At least 32 bytes; replicas share one. Random when absent, so permissions die with the process. */
  readonly key?: Buffer | undefined;
  readonly ttlSeconds?: number | undefined;
  readonly spent?: SpentStore | undefined;
  readonly now?: (() => number) | undefined;
}

export function createConfirmations(options: ConfirmationOptions = {}): Confirmations {
  const now = options.now ?? Date.now;
  const key = options.key ?? randomBytes(32);
  const ttlSeconds = options.ttlSeconds ?? 300;
  const spent = options.spent ?? createSpentStore(now);

  const sign = (head: Buffer, { purpose, principal, operation, digest }: Binding) =>
    createHmac('sha256', key)
      .update(head)
      // JSON keeps the parts apart: no choice of principal and operation can imitate another pair.
      .update(JSON.stringify([purpose, principal, operation, digest]))
      .digest()
      .subarray(0, MAC_BYTES);

  const open = (seal: string, binding: Binding) => {
    const bytes = Buffer.from(seal, 'base64url');
    if (bytes.length !== 4 + NONCE_BYTES + MAC_BYTES || bytes.toString('base64url') !== seal) return undefined;
    const head = bytes.subarray(0, 4 + NONCE_BYTES);
    if (!timingSafeEqual(sign(head, binding), bytes.subarray(4 + NONCE_BYTES))) return undefined;
    return { expiresAtMs: head.readUInt32BE(0) * 1000, nonce: head.subarray(4).toString('base64url') };
  };

  return {
    ttlSeconds,
    issue(binding) {
      const head = Buffer.alloc(4 + NONCE_BYTES);
      head.writeUInt32BE(Math.floor(now() / 1000) + ttlSeconds, 0);
      randomBytes(NONCE_BYTES).copy(head, 4);
      return Buffer.concat([head, sign(head, binding)]).toString('base64url');
    },
    inspect(seal, binding) {
      const opened = open(seal, binding);
      if (!opened) return 'tampered';
      return opened.expiresAtMs <= now() ? 'expired' : 'good';
    },
    async redeem(seal, binding) {
      const opened = open(seal, binding);
      if (!opened) return 'tampered';
      if (opened.expiresAtMs <= now()) return 'expired';
      return (await spent.spend(opened.nonce, opened.expiresAtMs)) ? 'good' : 'used';
    },
  };
}
