// Access tokens that several processes share: one process at a time has the turn to fetch a token, and the others find it in the
// store. A store keeps texts under names, and knows nothing about tokens.
import { randomBytes } from 'node:crypto';
import type { SharedToken, SharedTokens, TokenTurn } from '../credentials/tokens/shared-tokens.ts';

/** `text`: the generation, a dot and the token as JSON. Without a generation, the JSON only describes failed attempts. */
export interface StoreClaim {
  readonly kind: 'there' | 'ours' | 'busy';
  readonly text: string;
}

export interface SharedTokenStore {
  /** Both reject if there is no answer. `badGeneration` is '' if no generation was refused. */
  claim(name: string, badGeneration: string, owner: string): Promise<StoreClaim>;
  /** Ends a turn. An empty text leaves the stored one as it is. */
  finish(name: string, owner: string, text: string, keepMs: number): Promise<void>;
}

export function createSharedTokens(store: SharedTokenStore): SharedTokens {
  return {
    async claim(name, badGeneration = '') {
      const owner = randomBytes(9).toString('base64url');
      let claim: StoreClaim;
      try {
        claim = await store.claim(name, badGeneration, owner);
      } catch {
        return { kind: 'away' };
      }
      const { kind, text } = claim;
      if (kind === 'busy') return { kind };
      const dot = text.indexOf('.');
      const token = text === '' ? undefined : (JSON.parse(text.slice(dot + 1)) as SharedToken);
      if (kind === 'ours' || token === undefined)
        return { kind: 'ours', before: token, turn: createTurn(store, name, owner) };
      return { kind, generation: text.slice(0, dot), token };
    },
  };
}

/** Failures are not reported here: when this turn times out, the next process that waits gets it. */
function createTurn(store: SharedTokenStore, name: string, owner: string): TokenTurn {
  return {
    async finish(token, keepMs) {
      const generation = token.issued === undefined ? '' : randomBytes(9).toString('base64url');
      const text = `${generation}.${JSON.stringify(token)}`;
      await store.finish(name, owner, text, Math.max(1, Math.round(keepMs))).catch(() => {});
      return generation;
    },
    abandon: () => void store.finish(name, owner, '', 1).catch(() => {}),
  };
}
