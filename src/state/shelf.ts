// Access tokens on a shelf that several processes use: one process at a time has the turn to fetch a token, the others find it
// there. A shelf stores texts under names, and knows nothing about tokens.
import { randomBytes } from 'node:crypto';
import type { SharedToken, SharedTokens, TokenTurn } from '../credentials/tokens/shared-tokens.ts';

/** `text`: the generation, a dot, and what is kept; without generation it is what is remembered of failures. */
export interface ShelfClaim {
  readonly kind: 'there' | 'ours' | 'busy';
  readonly text: string;
}

export interface Shelf {
  /** Both reject if there is no answer. `badGeneration` is '' if no generation was refused. */
  claim(name: string, badGeneration: string, owner: string): Promise<ShelfClaim>;
  /** An empty text: everything stays as it was. */
  finish(name: string, owner: string, text: string, keepMs: number): Promise<void>;
}

export function createSharedTokens(shelf: Shelf): SharedTokens {
  return {
    async claim(name, badGeneration = '') {
      const owner = randomBytes(9).toString('base64url');
      let claim: ShelfClaim;
      try {
        claim = await shelf.claim(name, badGeneration, owner);
      } catch {
        return { kind: 'away' };
      }
      const { kind, text } = claim;
      if (kind === 'busy') return { kind };
      const dot = text.indexOf('.');
      const token = text === '' ? undefined : (JSON.parse(text.slice(dot + 1)) as SharedToken);
      if (kind === 'ours' || token === undefined)
        return { kind: 'ours', before: token, turn: createTurn(shelf, name, owner) };
      return { kind, generation: text.slice(0, dot), token };
    },
  };
}

/** Failures are not reported here: when this turn times out, the next process that waits gets it. */
function createTurn(shelf: Shelf, name: string, owner: string): TokenTurn {
  return {
    async finish(token, keepMs) {
      const generation = token.issued === undefined ? '' : randomBytes(9).toString('base64url');
      const text = `${generation}.${JSON.stringify(token)}`;
      await shelf.finish(name, owner, text, Math.max(1, Math.round(keepMs))).catch(() => {});
      return generation;
    },
    abandon: () => void shelf.finish(name, owner, '', 1).catch(() => {}),
  };
}
