// State shared by processes that serve the same gateway, behind one interface: replicas use Redis, workers their primary. Each
// part is used by the layer that needs it, and says what applies while the state is unavailable.

import type { SharedTokens } from '../credentials/tokens/shared-tokens.ts';
import type { SharedRates } from '../limits/rate.ts';
import type { SharedPermits } from '../limits/shared-permits.ts';
import type { SpentStore } from '../orchestration/confirmations.ts';
import type { MessageBus } from '../protocol/questions/message-bus.ts';

export interface SharedState {
  /** How much each caller and API has been called. While unavailable, each process counts alone. */
  readonly rates: SharedRates;
  /** Which confirmations were used. While unavailable, none is accepted. */
  readonly spent: SpentStore;
  /** Messages between processes. Absent if they have no secret in common: they could not read each other's sessions. */
  readonly messages?: MessageBus | undefined;
  /**
   * Access tokens. Absent if processes have no secret in common: nothing could be encrypted. While unavailable, each process fetches
   * its own.
   */
  readonly tokens?: SharedTokens | undefined;
  /** Limits of concurrency. Absent: each process applies them alone. */
  readonly permits?: SharedPermits | undefined;
  /** False while Redis or the primary does not answer. */
  readonly isUsable: boolean;
  /** Passwords in the address: never to be shown. */
  readonly secrets: readonly string[];
  close(): void;
}

/**
 * For workers of several replicas: Redis keeps what all replicas share, and the primary keeps the limits of concurrency. If the replicas
 * have no common secret, messages and tokens are still shared among the workers of each replica.
 */
export function combineStates(replicas: SharedState, workers: SharedState): SharedState {
  return {
    rates: replicas.rates,
    spent: replicas.spent,
    messages: replicas.messages ?? workers.messages,
    tokens: replicas.tokens ?? workers.tokens,
    permits: workers.permits,
    get isUsable() {
      return replicas.isUsable;
    },
    secrets: replicas.secrets,
    close() {
      replicas.close();
      workers.close();
    },
  };
}
