// The golden path: every operation of every client enters here, whatever the transport, era or exposure mode.
// Read this first.
import { type Evidence, withholdUnrecorded } from '../call/evidence.ts';
import type { ExecutionContext, RequestFacts } from '../call/execution-context.ts';
import type { Meter } from '../call/meter.ts';
import type { Outcome } from '../call/outcome.ts';
import type { FindHidden } from '../catalog/called/hidden-call.ts';
import type { Args } from '../endpoint/model.ts';
import { type GatewayError, toRpcCode } from '../errors.ts';
import type { Limits } from '../limits/create-limits.ts';
import { toFailure } from '../orchestration/failure.ts';
import type { Redaction } from '../orchestration/redaction.ts';
import type { ExcessCalls } from './excess-calls.ts';
import { Passage, type PassageParts } from './passage.ts';
import { noteOwnFailure, toMissing } from './refusal-reason.ts';
import { UnderWay } from './under-way.ts';

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

export function createAdapter(parts: AdapterParts): Adapter {
  const { tools, refuse, redaction, evidence, underWay = new UnderWay() } = parts;
  const all: PassageParts = { ...parts, underWay };

  return {
    async callTool(request, name, args) {
      const call = new Passage(all, request, name, args);
      const { context } = call;
      try {
        let outcome: Outcome;
        try {
          const waiting = call.waitForRoom();
          if (waiting !== undefined) await waiting;
          const refusal = refuse?.(request, name, args);
          if (refusal) throw toMissing(context, refusal);
          const run = tools.find(name);
          if (!run) throw toMissing(context, await tools.missing(name));
          evidence?.admit(context.label);
          outcome = redaction.outcome(await underWay.orEnd(context, run(context, args)));
        } catch (error) {
          outcome = redaction.outcome(toFailure(context, error));
        }
        const kind = outcome.inputRequired ? 'input_required' : outcome.isError ? 'failed' : 'ok';
        const isRecorded = call.finish(kind, undefined, outcome);
        return isRecorded ? outcome : toFailure(context, withholdUnrecorded(context));
      } catch (error) {
        noteOwnFailure(context, error);
        throw call.finish('error', toRpcCode(error, isModern(request))) ? error : withholdUnrecorded(context);
      }
    },
    async perform(request, name, args, table) {
      const call = new Passage(all, request, name, args);
      const { context } = call;
      let result: Awaited<ReturnType<NonNullable<ReturnType<typeof table.find>>>>;
      try {
        const waiting = call.waitForRoom();
        if (waiting !== undefined) await waiting;
        const run = table.find(name);
        if (!run) throw toMissing(context, await table.missing(name));
        evidence?.admit(context.label);
        result = redaction.value(await underWay.orEnd(context, run(context, args)));
      } catch (error) {
        noteOwnFailure(context, error);
        throw call.finish('error', toRpcCode(error, isModern(request))) ? error : withholdUnrecorded(context);
      }
      if (call.finish('inputRequired' in result && result.inputRequired ? 'input_required' : 'ok')) return result;
      throw withholdUnrecorded(context);
    },
  };
}

function isModern({ client }: RequestFacts): boolean {
  return client.era === 'modern';
}
