// What the golden path tells whoever counts calls. The counting itself is src/telemetry; without it nothing of this runs.
import type { Client, Transport } from './caller.ts';
import type { ExecutionContext, ResultFacts } from './execution-context.ts';
import type { Outcome } from './outcome.ts';

/** Counts what one service does. */
export interface Meter {
  countRequest(method: string, era: Client['era'], transport: Transport): void;
  /** The sealed context of a call, and what it is answered, where that is no error. */
  countCall(record: ExecutionContext, answer: Outcome | undefined): void;
  /** A call that limits turned away, and of which there is no record. */
  countTurnedAway(context: ExecutionContext, outcome: ResultFacts['outcome']): void;
}

/** What is counted apart. */
export interface MeteredService {
  /** '' is what is served by default. */
  readonly profile: string;
  readonly exposure: string;
  /** Names that clients make up are counted together. */
  hasTool(name: string): boolean;
  /** Undefined for what asks no API of a domain. */
  domainOf(operation: string): string | undefined;
}

export type OpenMeter = (service: MeteredService) => Meter;
