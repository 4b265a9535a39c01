// Access tokens shared by replicas and workers: if an API allows one session per user, a login of each process would log out all
// others. One of them fetches the token, the others wait for it.
import type { GatewayError } from '../../errors.ts';
import type { IssuedToken } from './token-request.ts';

/** The state of one credential: its token, or how often its secrets were refused. */
export interface SharedToken {
  readonly issued?: IssuedToken | undefined;
  /** On the clock of the process that fetched it. */
  readonly expiresAt: number;
  readonly replacedAt: readonly number[];
  readonly refusals: number;
  /** Until then the secrets are not tried again; `error` is what the server said about them. */
  readonly blocked?: BlockedUntil | undefined;
}

export interface BlockedUntil {
  readonly until: number;
  /** `why`: the message without the name of the tool. A process of an older release does not publish it. */
  readonly error: Pick<GatewayError, 'code' | 'message' | 'details'> & { readonly why?: string | undefined };
}

export interface SharedTokens {
  /** The key is the same in every process. `badGeneration` is the one that the API refused. Never rejects. */
  claim(key: string, badGeneration: string | undefined): Promise<TokenClaim>;
}

export type TokenClaim =
  /** Another process has fetched it. */
  | { readonly kind: 'there'; readonly generation: string; readonly token: SharedToken }
  /** It is ours to fetch; until then the others wait. */
  | { readonly kind: 'ours'; readonly before: SharedToken | undefined; readonly turn: TokenTurn }
  /** Another is fetching it: ask again in a moment. */
  | { readonly kind: 'busy' }
  /** The shared state cannot be reached: this process fetches its own token. */
  | { readonly kind: 'away' };

export interface TokenTurn {
  /** Publishes the result and ends the turn; returns the generation under which the others find it. Never rejects. */
  finish(token: SharedToken, keepMs: number): Promise<string>;
  /** Ends the turn without a result: the next process may try. */
  abandon(): void;
}
