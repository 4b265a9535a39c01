// API keys: a presented key is hashed and compared with the hashes in the configuration; the keys themselves are nowhere.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Principal } from '../call/caller.ts';
import type { CallLimits, Effect } from '../endpoint/model.ts';
import type { Authority, Verdict } from './identify.ts';

export interface ApiKey {
  /** The principal is `key:<name>`; keys of one name are the same caller. */
  readonly name: string;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
  /** '*' stands for all of them and for what is served by default. Absent: the same. */
  readonly profiles?: readonly string[] | undefined;
  /** Absent: all. */
  readonly effects?: readonly Effect[] | undefined;
  /** ISO 8601; from then on it is as unknown as any other text. */
  readonly expires?: string | undefined;
  readonly limits?: CallLimits | undefined;
}

interface Entry {
  readonly hash: Buffer;
  readonly expiresMs: number;
  readonly verdict: Verdict;
}

export function createKeyAuthority(keys: readonly ApiKey[]): Authority {
  const entries = keys.map(toEntry);
  return {
    check(token) {
      const presented = createHash('sha256').update(token).digest();
      // Every hash is compared, whole, whichever fits: how long it takes tells nothing but how many keys there are.
      let match: Entry | undefined;
      for (const entry of entries) if (timingSafeEqual(entry.hash, presented)) match = entry;
      return match !== undefined && Date.now() < match.expiresMs ? match.verdict : undefined;
    },
  };
}

function toEntry(key: ApiKey): Entry {
  return {
    hash: Buffer.from(key.sha256, 'hex'),
    expiresMs: key.expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(key.expires),
    verdict: Object.freeze({ principal: toPrincipal(key) }),
  };
}

export function toPrincipal({ name, profiles, effects, limits }: ApiKey): Principal {
  return Object.freeze({
    id: `key:${name}`,
    ...(profiles !== undefined && !profiles.includes('*') && { profiles: Object.freeze([...profiles]) }),
    ...(effects !== undefined && { effects: Object.freeze([...effects]) }),
    ...(limits !== undefined && { limits }),
  });
}
