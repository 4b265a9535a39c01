// The steps of every call below the adapter, compiled once per operation. The last one sends a request or runs a function.
//   controls → validate → guard → middleware → execute
import { buildDigest, isPlainData } from '../call/digest.ts';
import type { ExecutionContext } from '../call/execution-context.ts';
import type { Handler, Middleware } from '../call/handler.ts';
import type { Outcome } from '../call/outcome.ts';
import type { Args, ConfirmWay, Effect } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';
import type { Validator } from '../schema/check/validator.ts';
import type { CallSpan } from '../tracing/call-span.ts';
import { compose, type RecheckArguments } from './compose.ts';
import type { Confirmations } from './confirmations.ts';
import type { ControlPlan } from './controls.ts';
import { createGuard, type Describe, type Guard } from './guard.ts';
import type { Decision } from './policy.ts';

export interface PipelineOptions {
  /** A confirmation is bound to it. No two operations share an identity, whatever their names are. */
  readonly identity: string;
  /** Fully-qualified name, for the audit record. */
  readonly operation: string;
  readonly effect: Effect;
  readonly decision: Decision;
  /** What counts as a confirmation, if the decision is `confirm`. */
  readonly way: ConfirmWay;
  readonly controls: ControlPlan;
  readonly validate: Validator;
  /** Writes the question that a person must confirm. */
  readonly describe: Describe;
  /** Values of the caller that a confirmation is bound to, beside the arguments. */
  readonly callerBinding?: ((context: ExecutionContext) => string) | undefined;
  /** A preview of the call, for `dry_run`. */
  readonly preview: (context: ExecutionContext, args: Args, original: Args) => unknown;
  readonly execute: Handler;
  /** The part of the arguments that the audit trail may keep. Absent: none. */
  readonly keepArguments?: ((args: Args) => unknown) | undefined;
  readonly confirmations: Confirmations;
  /** Outermost first. */
  readonly middleware: readonly Middleware[];
}

export function compilePipeline(options: PipelineOptions): Handler {
  const { operation, effect, controls, validate, confirmations, describe, keepArguments } = options;
  const decision = Object.freeze(options.decision);
  const guard = createGuard(options.identity, decision, confirmations, describe, {
    way: options.way,
    tokenKey: controls.keys.confirmation_token,
    callerBinding: options.callerBinding,
  });
  const recheck: RecheckArguments = (context, after, before) => {
    const args = validate(context.label, after);
    if (decision.policy === 'confirm') refuseChanges(context, args, before);
    return args;
  };
  const execute = effect === 'read' ? options.execute : recordChange(effect, options.execute);
  const chain = compose(options.middleware, execute, recheck);

  const begin: Handler = (context, args) => {
    const parts = controls.take(context.label, args);
    const own = parts?.args ?? args;
    const bound = context.withOperation({
      operation,
      argumentsDigest: buildDigest(own),
      controls: parts?.controls,
      effect,
      permission: decision,
      argumentRecord: keepArguments?.(own),
    });
    const { span } = bound;
    const valid = span === undefined ? validate(bound.label, own) : validateTraced(span, validate, bound.label, own);
    if (parts?.controls.dryRun) return Promise.resolve(dryRun(bound, options.preview(bound, valid, own)));
    if (guard === undefined) return chain(bound, valid);
    const next = (inner: ExecutionContext) => chain(inner, valid);
    const check = span === undefined ? guard : traceGuard(span, guard, decision);
    return check(bound, valid, next, own);
  };

  // Not an async function: that would create one more promise for every call.
  return (context, args) => {
    try {
      return begin(context, args);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

/** A separate function, so that calls without tracing do not allocate its closure. */
function validateTraced(span: CallSpan, validate: Validator, label: string, args: Args): Args {
  return span.step('validate', () => validate(label, args));
}

/** The span of the guard ends when the guarded operation begins, so that the time of a person is not counted as the API's. */
function traceGuard(span: CallSpan, guard: Guard, { policy }: Decision): Guard {
  return async (context, args, next, original) => {
    const step = span.begin('guard', { 'landbridge.guard.policy': policy });
    const finish = () => {
      const { by, answer } = context.journal.confirmation ?? {};
      step.set('landbridge.guard.by', by);
      step.set('landbridge.guard.answer', answer);
      step.end();
    };
    const proceed = (inner: ExecutionContext) => {
      finish();
      return next(inner.withSpan(span));
    };
    try {
      return await guard(context.withSpan(step), args, proceed, original);
    } catch (error) {
      step.fail(error);
      throw error;
    } finally {
      finish();
    }
  };
}

/** Records the call before it changes something, so that it leaves a record even if the process ends meanwhile. */
function recordChange(effect: Effect, execute: Handler): Handler {
  return (context, args) => {
    context.beginChange(effect);
    return execute(context, args);
  };
}

function dryRun({ label }: ExecutionContext, request: unknown): Outcome {
  const json = JSON.stringify(request, (_key, value) => (typeof value === 'bigint' ? String(value) : value), 1);
  const text = `Dry run of ${label}: nothing was sent. The request would be:\n${json}`;
  return { content: [{ type: 'text', text }], isError: false };
}

/** A person agreed to one call. Middleware that turns it into another one must not use that agreement. */
export function refuseChanges({ label }: ExecutionContext, args: Args, before: Args): void {
  if (isPlainData(args) && buildDigest(args) === buildDigest(before)) return;
  throw new GatewayError(
    'NOT_CONFIRMED',
    `${label}: the arguments were changed after the user had confirmed them, so nothing was sent. Tell the user: middleware of the gateway does that.`,
    { tool: label },
  );
}
