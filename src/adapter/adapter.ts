// The golden path: every operation of every client enters here, whatever the transport, era or exposure mode.
// Read this first.
import { withholdUnrecorded } from '../call/evidence.ts';
import type { RequestFacts } from '../call/execution-context.ts';
import type { Outcome } from '../call/outcome.ts';
import { toRpcCode } from '../errors.ts';
import { toFailure } from '../orchestration/failure.ts';
import type { Adapter, AdapterParts } from './adapter-parts.ts';
import { Passage, type PassageParts } from './passage.ts';
import { noteOwnFailure, toMissing } from './refusal-reason.ts';
import { UnderWay } from './under-way.ts';

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
