// What the adapter is made of, and what it offers.
import type { Evidence } from '../call/evidence.ts';
import type { ExecutionContext, RequestFacts } from '../call/execution-context.ts';
import type { Meter } from '../call/meter.ts';
import type { Outcome } from '../call/outcome.ts';
import type { FindHidden } from '../catalog/operation-lookup.ts';
import type { Args } from '../endpoint/model.ts';
import type { GatewayError } from '../errors.ts';
import type { Limits } from '../limits/create-limits.ts';
import type { Redaction } from '../orchestration/redaction.ts';
import type { ExcessCalls } from './excess-calls.ts';
import type { UnderWay } from './under-way.ts';

/** Something that can be called by name: the tools, the resources or the prompts. */
export interface Table<Result> {
  readonly find: (name: string) => ((context: ExecutionContext, args: Args) => Promise<Result>) | undefined;
  readonly missing: (name: string) => GatewayError | Promise<GatewayError>;
}

export interface Adapter {
  callTool(request: RequestFacts, name: string, args: Args): Promise<Outcome>;
  /** resources/read and prompts/get: the same path, another table. */
  perform<Result extends object>(
    request: RequestFacts,
    name: string,
    args: Args,
    table: Table<Result>,
  ): Promise<Result>;
}

export interface AdapterParts {
  readonly tools: Table<Outcome>;
  /** Why this very caller may not make a call that others may; undefined: it may, or the call is unknown. */
  readonly refuse?: ((request: RequestFacts, name: string, args: Args) => GatewayError | undefined) | undefined;
  /** For the record of a failed call: the operation that was called, if it exists for other callers only. */
  readonly findHidden?: FindHidden | undefined;
  readonly redaction: Redaction;
  /** Gets the sealed context of every call. */
  readonly audit: (record: ExecutionContext) => void;
  /** Counts every call, including those without a record. Absent: calls are not counted. */
  readonly meter?: Pick<Meter, 'countCall' | 'countExcess'> | undefined;
  /** The audit trail, if there is one. A call it cannot record is refused, or its answer is withheld. */
  readonly evidence?: Evidence | undefined;
  /** Called with errors thrown by handlers and middleware; the caller gets only their message. */
  readonly onHandlerError: (error: unknown) => void;
  /** How much each caller may call. Absent: unlimited. */
  readonly limits?: Pick<Limits, 'gateOf'> | undefined;
  /** Counts calls that were refused by limits, so that they are not recorded one by one. */
  readonly excessCalls?: Pick<ExcessCalls, 'note'> | undefined;
  /** The calls in progress; answers them when the process ends. */
  readonly underWay?: UnderWay | undefined;
}
