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
  /** A call that limits refused, and that has no record. */
  countExcess(context: ExecutionContext, outcome: ResultFacts['outcome']): void;
}

/** The labels of a service, and the names it has. */
export interface MeteredService {
  /** '' is the default service. */
  readonly profile: string;
  readonly exposure: string;
  /** Calls of names that do not exist are counted together, because clients can invent any number of names. */
  hasTool(name: string): boolean;
  /** Undefined for operations that do not call the API of a domain. */
  domainOf(operation: string): string | undefined;
}

export type OpenMeter = (service: MeteredService) => Meter;
