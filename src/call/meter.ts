// What the adapter reports so that requests and calls can be counted. src/telemetry counts; without it, nothing is reported.
import type { Client, Transport } from './caller.ts';
import type { ExecutionContext, ResultFacts } from './execution-context.ts';
import type { Outcome } from './outcome.ts';

/** Counts what one service does. */
export interface Meter {
  countRequest(method: string, era: Client['era'], transport: Transport): void;
  /**
   * `record` is the sealed context of the call. `answer` is undefined if the call ended in an error, and for resources and prompts,
   * whose answers are not counted.
   */
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
