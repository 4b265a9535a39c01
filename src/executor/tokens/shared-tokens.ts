// Access tokens that replicas and workers have in common: where an API allows one session per user, a login of each would log
// out all others. One of them fetches, the others wait for what it gets.
import type { GatewayError } from '../../errors.ts';
import type { Issued } from './issue.ts';

/** What is known of one credential: the token, or how often its secrets were refused. */
export interface SharedToken {
  readonly issued?: Issued | undefined;
  /** On the clock of whoever fetched it. */
  readonly expiresAt: number;
  readonly replacedAt: readonly number[];
  readonly refusals: number;
  /** Until then nobody tries the secrets again, and this is what was said of them. */
  readonly blocked?: BlockedUntil | undefined;
}

export interface BlockedUntil {
  readonly until: number;
  readonly error: Pick<GatewayError, 'code' | 'message' | 'details'>;
}

export interface SharedTokens {
  /** By a key that is the same in every process. `refused`: the generation in hand, which is of no use any more. Never rejects. */
  claim(key: string, refused: string | undefined): Promise<TokenClaim>;
}

export type TokenClaim =
  /** Somebody has fetched it. */
  | { readonly kind: 'there'; readonly generation: string; readonly token: SharedToken }
  /** It is ours to fetch; until then the others wait. */
  | { readonly kind: 'ours'; readonly before: SharedToken | undefined; readonly turn: TokenTurn }
  /** Another is fetching it: ask again in a moment. */
  | { readonly kind: 'busy' }
  /** Nobody answers: each for itself. */
  | { readonly kind: 'away' };

export interface TokenTurn {
  /** Says what came of it and ends the turn; the generation under which others have it. Never rejects. */
  finish(token: SharedToken, keepMs: number): Promise<string>;
  /** The next one may try. */
  abandon(): void;
}
