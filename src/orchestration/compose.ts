// Folds middleware into one function, once, at build time: right to left, so that the first is the outermost.
import type { ExecutionContext } from '../call/execution-context.ts';
import type { Handler, Middleware } from '../call/handler.ts';
import type { Outcome } from '../call/outcome.ts';
import { freeze } from '../endpoint/freeze.ts';
import type { Args } from '../endpoint/model.ts';
import { GatewayError } from '../errors.ts';
import { toForeignError } from './handler-result.ts';

/** What to go on with when a middleware hands other arguments to `next`; throws when they may not be used. */
export type Recheck = (context: ExecutionContext, after: Args, before: Args) => Args;

export function compose(middleware: readonly Middleware[], handler: Handler, recheck: Recheck): Handler {
  if (middleware.length === 0) return handler;
  const chain = middleware.reduceRight<Handler>((next, around) => surround(around, next, recheck), handler);
  // Changed in place they would pass by the check; `next(args)` is the way to change them.
  return (context, args) => chain(context, freeze(args));
}

function surround(around: Middleware, inner: Handler, recheck: Recheck): Handler {
  return async (context, args) => {
    let isCalled = false;
    /** The error `inner` failed with: if the middleware passes it on, it is not the middleware's own failure. */
    let below: unknown;
    const next = async (nextArgs: Args = args) => {
      if (isCalled) throw calledTwice(context);
      isCalled = true;
      try {
        return harden(await inner(context, nextArgs === args ? args : recheck(context, nextArgs, args)));
      } catch (error) {
        below = error;
        throw error;
      }
    };
    try {
      return await around(context, args, next);
    } catch (error) {
      throw error === below ? error : toForeignError(error, context);
    }
  };
}

/** A frozen outcome has been redacted and will not be redacted again, so the objects it contains are frozen as well. */
function harden(outcome: Outcome): Outcome {
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
