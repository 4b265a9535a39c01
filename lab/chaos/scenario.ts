// What a scenario is, and what it says when it is over.
import type { Call } from './ledger.ts';
import type { Stage } from './stage.ts';

export interface Check {
  readonly what: string;
  readonly ok: boolean;
  readonly detail?: string;
}

export interface Scenario {
  readonly id: string;
  readonly title: string;
  /** Why it cannot run here. */
  readonly missing?: (stage: Stage) => string | undefined;
  /** Under load, from beginning to end. Throwing is failing. */
  readonly run: (stage: Stage, seconds: number) => Promise<Findings>;
}

export interface Findings {
  readonly checks: readonly Check[];
  /** Calls that may fail: those that were under way where something was killed. */
  readonly mayFail?: (call: Call) => boolean;
  /** Refusals that were announced; every other one fails the scenario. */
  readonly mayBeRefused?: (call: Call) => boolean;
  /** What was under way at the kill, in words: `4 of 15`. */
  readonly inFlight?: string;
}
