// API keys: a presented key is hashed and compared with the hashes of the configured ones; the keys themselves are not
// kept.
import { hash, timingSafeEqual } from 'node:crypto';
import {
  type Authority,
  type AuthResult,
  type Explanation,
  expiryOf,
  type Permissions,
  toPrincipal,
} from './identify.ts';

export interface ApiKey extends Permissions {
  /** The principal is `key:<name>`; keys of one name are the same caller. */
  readonly name: string;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

interface Entry {
  readonly hash: Buffer;
  readonly expiresMs: number;
  readonly result: AuthResult;
  /** For the log, once the key has expired. */
  readonly expired: Explanation;
}

export function createKeyAuthority(keys: readonly ApiKey[]): Authority {
  const entries = keys.map(toEntry);
  const find = (token: string): Entry | undefined => {
    const digest = hash('sha256', token, 'buffer');
    // Always compares all hashes, so that the time reveals only how many there are.
    let match: Entry | undefined;
    for (const entry of entries) if (timingSafeEqual(entry.hash, digest)) match = entry;
    return match;
  };
  return {
    check(token) {
      const match = find(token);
      return match !== undefined && Date.now() < match.expiresMs ? match.result : undefined;
    },
    explain: (token) => find(token)?.expired,
  };
}

function toEntry(key: ApiKey): Entry {
  const principal = toPrincipal(`key:${key.name}`, key);
  return {
    hash: Buffer.from(key.sha256, 'hex'),
    expiresMs: expiryOf(key),
    result: Object.freeze({ principal }),
    expired: { why: `the key of ${key.name} expired ${key.expires}`, caller: principal.id },
  };
}
