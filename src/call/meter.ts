// The interface of the adapter to the metrics (src/telemetry).
import type { Client, Transport } from './caller.ts';
import type { ExecutionContext, ResultFacts } from './execution-context.ts';
import type { Outcome } from './outcome.ts';

/** Counts what one service does. */
export interface Meter {
  countRequest(method: string, era: Client['era'], transport: Transport): void;
  /**
   * The sealed context of a call. `answer`: the outcome of a tool call, also of a failed one. Undefined for resources, prompts and
   * JSON-RPC errors, so the sizes of their answers are not counted.
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
