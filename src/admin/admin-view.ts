// What the admin listener shows, whether of this process or of all workers of a gateway.
import type { Snapshot } from '../telemetry/families.ts';
import type { LevelControl } from './log-level.ts';

/** A problem that /readyz reports. */
export interface ReadinessProblem {
  readonly name: string;
  readonly what: string;
  /** Whether calls should go elsewhere meanwhile. */
  readonly isUnready: boolean;
  /** How many workers report it, if there are several. */
  readonly workers?: number;
}

export interface Readiness {
  readonly isReady: boolean;
  readonly reasons: readonly ReadinessProblem[];
  readonly workers?: { readonly wanted: number; readonly ready: number };
}

export interface AdminView {
  metrics(): Promise<readonly Snapshot[]>;
  readiness(): Readiness | Promise<Readiness>;
  readonly logLevel: LevelControl;
}

/** The readiness of one process. */
export function toReadiness(reasons: readonly ReadinessProblem[]): Readiness {
  return { isReady: !reasons.some(({ isUnready }) => isUnready), reasons };
}
