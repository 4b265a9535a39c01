// The golden path: every operation of every client enters here, whatever the transport, era or exposure mode.
// Read this first.
import { type Evidence, withholdUnrecorded } from '../call/evidence.ts';
import type { ExecutionContext, RequestFacts, ResultFacts } from '../call/execution-context.ts';
import type { Meter } from '../call/meter.ts';
import type { Outcome } from '../call/outcome.ts';
import type { FindHidden } from '../catalog/operation-lookup.ts';
import type { Args } from '../endpoint/model.ts';
import type { GatewayError } from '../errors.ts';
import type { Limits } from '../limits/create-limits.ts';
import { toFailure } from '../orchestration/failure.ts';
import type { Redaction } from '../orchestration/redaction.ts';
import { ActiveCalls } from './active-calls.ts';
import { AdapterCall } from './adapter-call.ts';
import type { ExcessCalls } from './excess-calls.ts';

/** The tools, the resources or the prompts, called by name. */
export interface CallTable<Result> {
  readonly find: (name: string) => ((context: ExecutionContext, args: Args) => Promise<Result>) | undefined;
  readonly missing: (name: string) => GatewayError | Promise<GatewayError>;
}

export interface Adapter {
  callTool(request: RequestFacts, name: string, args: Args): Promise<Outcome>;
  /** resources/read and prompts/get: the same path, with another table. */
  perform<Result extends object>(
    request: RequestFacts,
    name: string,
    args: Args,
    table: CallTable<Result>,
  ): Promise<Result>;
}

export interface AdapterOptions {
  readonly tools: CallTable<Outcome>;
  /**
   * The error for a call that other callers may make but this one may not. Undefined if it may, or if the call does not
   * exist.
   */
  readonly refuse?: ((request: RequestFacts, name: string, args: Args) => GatewayError | undefined) | undefined;
  /** For the record of a failed call: the operation that was called, if it exists for other callers only. */
  readonly findHidden?: FindHidden | undefined;
  readonly redaction: Redaction;
  /** Gets the sealed context of every call. */
  readonly audit: (record: ExecutionContext) => void;
  /** Counts every call, including those that have no record. Absent: calls are not counted. */
  readonly meter?: Pick<Meter, 'countCall' | 'countExcess'> | undefined;
  /** The audit trail, if there is one. A call that it cannot record is refused, or its answer is withheld. */
  readonly evidence?: Evidence | undefined;
  /** Gets what handlers and middleware throw; the caller gets only the message. */
  readonly onHandlerError: (error: unknown) => void;
  /** How much each caller may call. Absent: unlimited. */
  readonly limits?: Pick<Limits, 'limiterOf'> | undefined;
  /** Counts calls that limits refused, so that they are not recorded one by one. */
  readonly excessCalls?: Pick<ExcessCalls, 'note'> | undefined;
  /** Answers the calls in progress when the process ends. */
  readonly activeCalls?: ActiveCalls | undefined;
}

/** How a kind of call finds what it runs, and how it ends. */
interface CallKind<Result> {
  readonly table: CallTable<Result>;
  readonly refuse?: AdapterOptions['refuse'];
  readonly redact: (result: Result) => Result;
  /** A failure as a result; throws the error if only a JSON-RPC error can carry it. */
  readonly toResult: (context: ExecutionContext, error: unknown) => Result;
  /** The outcome that is counted: results of tools only. */
  readonly toAnswer: (result: Result) => Outcome | undefined;
}

export function createAdapter(options: AdapterOptions): Adapter {
  const { tools, refuse, redaction, evidence, activeCalls = new ActiveCalls() } = options;
  const callOptions = { ...options, activeCalls };
  const toolCall: CallKind<Outcome> = {
    table: tools,
    refuse,
    redact: redaction.outcome,
    toResult: toFailure,
    toAnswer: (outcome) => outcome,
  };

  async function run<Result extends object>(
    request: RequestFacts,
    name: string,
    args: Args,
    kind: CallKind<Result>,
  ): Promise<Result> {
    const call = new AdapterCall(callOptions, request, name, args);
    const { context } = call;
    let result: Result;
    try {
      const waiting = call.waitForPermit();
      if (waiting !== undefined) await waiting;
      const refusal = kind.refuse?.(request, name, args);
      if (refusal) throw call.noteMissing(refusal);
      const operation = kind.table.find(name);
      if (!operation) throw call.noteMissing(await kind.table.missing(name));
      evidence?.admit(context.label);
      result = kind.redact(await activeCalls.orShutdown(context, operation(context, args)));
    } catch (error) {
      result = endFailure(call, error, kind);
    }
    if (call.finish(outcomeOf(result), undefined, kind.toAnswer(result))) return result;
    return kind.toResult(context, withholdUnrecorded(context));
  }

  return {
    callTool: (request, name, args) => run(request, name, args, toolCall),
    perform: (request, name, args, table) => run(request, name, args, toReadKind(table, redaction)),
  };
}

function toReadKind<Result>(table: CallTable<Result>, redaction: Redaction): CallKind<Result> {
  return {
    table,
    redact: redaction.value,
    toResult: (_context, error) => {
      throw error;
    },
    toAnswer: () => undefined,
  };
}

/** The failure as a result. If there is no such result, the call ends with a JSON-RPC error, which is thrown. */
function endFailure<Result>(call: AdapterCall, error: unknown, { redact, toResult }: CallKind<Result>): Result {
  try {
    return redact(toResult(call.context, error));
  } catch (rpcError) {
    throw call.fail(rpcError);
  }
}

function outcomeOf(result: { readonly inputRequired?: unknown; readonly isError?: boolean }): ResultFacts['outcome'] {
  if (result.inputRequired) return 'input_required';
  return result.isError ? 'failed' : 'ok';
}
