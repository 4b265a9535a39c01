// What the golden path reports for counting calls. The counting itself is in src/telemetry; without it, nothing here runs.
import type { Client, Transport } from './caller.ts';
import type { ExecutionContext, ResultFacts } from './execution-context.ts';
import type { Outcome } from './outcome.ts';

/** Counts what one service does. */
export interface Meter {
  countRequest(method: string, era: Client['era'], transport: Transport): void;
  /** The sealed context of a call, and what it is answered, where that is no error. */
  countCall(record: ExecutionContext, answer: Outcome | undefined): void;
  /** A call that limits refused and that has no record. */
  countExcess(context: ExecutionContext, outcome: ResultFacts['outcome']): void;
}

/** What counts of different services are separated by. */
export interface MeteredService {
  /** '' is what is served by default. */
  readonly profile: string;
  readonly exposure: string;
  /** Names that do not exist are counted together, because clients can invent any number of them. */
  hasTool(name: string): boolean;
  /** Undefined for operations that do not call the API of a domain. */
  domainOf(operation: string): string | undefined;
}

export type OpenMeter = (service: MeteredService) => Meter;
