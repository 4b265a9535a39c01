// State shared by processes that serve the same gateway, behind one interface: replicas use Redis, workers their primary. Each
// part is used by the layer that needs it, and defines what applies while the state is unavailable.
import type { SharedTokens } from '../credentials/tokens/shared-tokens.ts';
import type { SharedRates } from '../limits/rate.ts';
import type { SharedRoom } from '../limits/room.ts';
import type { SpentStore } from '../orchestration/confirmations.ts';
import type { Letters } from '../protocol/questions/letters.ts';

export interface SharedState {
  /** How much each caller and API has been called. Away: each process counts alone. */
  readonly rates: SharedRates;
  /** Which permissions were used. Away: none is accepted. */
  readonly spent: SpentStore;
  /** Absent where processes have no secret in common: they could not read each other's sessions. */
  readonly letters?: Letters | undefined;
  /** Absent where processes have no secret in common: nothing could be sealed. Away: each fetches for itself. */
  readonly tokens?: SharedTokens | undefined;
  /** How many calls run at once. Absent: each process has the whole room. */
  readonly room?: SharedRoom | undefined;
  /** False while nobody answers. */
  readonly isUsable: boolean;
  /** Must never be shown. */
  readonly secrets: readonly string[];
  close(): void;
}

/**
 * For workers that are also replicas: what counts for all replicas is kept in Redis, concurrency by the primary. If the replicas
 * have no secret, the workers of each still share with each other what has to be sealed.
 */
export function joinStates(replicas: SharedState, workers: SharedState): SharedState {
  return {
    rates: replicas.rates,
    spent: replicas.spent,
    letters: replicas.letters ?? workers.letters,
    tokens: replicas.tokens ?? workers.tokens,
    room: workers.room,
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
