// The golden path: every operation of every client enters here, whatever the transport, era or exposure mode.
// Read this first.

import { buildDigest } from '../call/digest.ts';
import { ExecutionContext, type ResultFacts } from '../call/execution-context.ts';
import type { Call } from '../call/handler.ts';
import type { Outcome } from '../call/outcome.ts';
import type { Args } from '../endpoint/model.ts';
import { ERRORS, GatewayError } from '../errors.ts';
import { toFailure } from '../orchestration/failure.ts';

export interface Operations<Result = unknown> {
  /** Undefined: there is no such thing. */
  readonly find: (name: string) => ((call: Call, args: Args) => Promise<Result>) | undefined;
  readonly missing: (name: string) => GatewayError;
  /** What to answer with instead of failing; throws what it cannot explain. */
  readonly rescue?: (error: unknown) => Result;
}

export interface Adapter {
  callTool(call: Call, name: string, args: Args): Promise<Outcome>;
  /** resources/read, prompts/get, completion/complete: the same path, another table. */
  perform<Result>(
    call: Call,
    method: string,
    name: string,
    args: Args,
    operations: Operations<Result>,
  ): Promise<Result>;
}

export function createAdapter(tools: Operations<Outcome>, audit: (context: ExecutionContext) => void): Adapter {
  const perform: Adapter['perform'] = async <Result>(
    call: Call,
    method: string,
    name: string,
    args: Args,
    operations: Operations<Result>,
  ) => {
    const startedAt = performance.now();
    const { requestId, principal, transport } = call;
    const context = ExecutionContext.fromRequest({ requestId, method, principal: principal.id, transport }) //
      .withToolCall(name, buildDigest(args));
    const finish = (facts: ResultFacts) => audit(context.withResult(facts).seal());
    try {
      const run = operations.find(name);
      if (!run) throw operations.missing(name);
      let result: Result;
      try {
        result = await run(call, args);
      } catch (error) {
        if (!operations.rescue) throw error;
        result = operations.rescue(error);
      }
      finish(toFacts(result as Partial<Outcome>, performance.now() - startedAt));
      return result;
    } catch (error) {
      const row = error instanceof GatewayError ? ERRORS[error.code] : undefined;
      const errorCode = row?.wire === 'jsonrpc' ? row.code : ERRORS.INTERNAL.code;
      finish({ outcome: 'error', errorCode, durationMs: performance.now() - startedAt });
      throw error;
    }
  };

  const safely: Operations<Outcome> = { ...tools, rescue: toFailure };
  return { perform, callTool: (call, name, args) => perform(call, 'tools/call', name, args, safely) };
}

// Written out: freezing an object that was made by a spread takes longer than the rest of the audit.
function toFacts(result: Partial<Outcome>, durationMs: number): ResultFacts {
  const { inputRequired, isError, failure, upstream } = result;
  const outcome = inputRequired ? 'input_required' : isError ? 'failed' : 'ok';
  return { outcome, failureMode: failure, upstream, durationMs };
}
