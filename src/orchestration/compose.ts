// Folds middleware into one function, once, at build time: right to left, so that the first is the outermost.
import type { Handler, Middleware } from '../call/handler.ts';

export function compose(middleware: readonly Middleware[], handler: Handler): Handler {
  return middleware.reduceRight<Handler>(
    (inner, wrap) => (call, args) => wrap(call, args, (changed = args) => inner(call, changed)),
    handler,
  );
}
