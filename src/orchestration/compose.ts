// Folds middleware into one function at build time, from right to left, so that the first is the outermost.
import type { ExecutionContext } from '../call/execution-context.ts';
import type { Handler, Middleware } from '../call/handler.ts';
import type { Outcome } from '../call/outcome.ts';
import { freeze } from '../endpoint/freeze.ts';
import type { Args } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';
import { toHandlerError } from './handler-result.ts';

/**
 * Checks the arguments that a middleware passes to `next`, and returns those to continue with. Throws if they must not
 * be used.
 */
export type RecheckArguments = (context: ExecutionContext, after: Args, before: Args) => Args;

export function compose(middleware: readonly Middleware[], handler: Handler, recheck: RecheckArguments): Handler {
  if (middleware.length === 0) return handler;
  const chain = middleware.reduceRight<Handler>((next, around) => surround(around, next, recheck), handler);
  // Frozen, because arguments that are changed in place would bypass the check. Middleware changes them with `next(args)`.
  return (context, args) => chain(context, freeze(args));
}

function surround(around: Middleware, inner: Handler, recheck: RecheckArguments): Handler {
  return async (context, args) => {
    let isCalled = false;
    /** The error of the inner call. If the middleware passes it on, it is not a failure of the middleware. */
    let innerError: unknown;
    const next = async (nextArgs: Args = args) => {
      if (isCalled) throw calledTwice(context);
      isCalled = true;
      try {
        return freezeIfRedacted(await inner(context, nextArgs === args ? args : recheck(context, nextArgs, args)));
      } catch (error) {
        innerError = error;
        throw error;
      }
    };
    try {
      return await around(context, args, next);
    } catch (error) {
      throw error === innerError ? error : toHandlerError(error, context);
    }
  };
}

/** A frozen outcome has been redacted and is not redacted again, so what it contains must not change either. */
function freezeIfRedacted(outcome: Outcome): Outcome {
  if (Object.isFrozen(outcome)) freeze(outcome.structured);
  return outcome;
}

function calledTwice({ label }: ExecutionContext): GatewayError {
  return new GatewayError(
    'HANDLER_FAILED',
    `${label}: a middleware called next() a second time; the second request was not sent. Tell the user: this is a bug in the gateway's own code.`,
    { tool: label },
  );
}
