// The functions of library users: handlers and middleware.
import type { Args } from '../endpoint/model.ts';
import type { ExecutionContext } from './execution-context.ts';
import type { Outcome } from './outcome.ts';

/** Carries out one call. */
export type Handler<Data = unknown> = (context: ExecutionContext<Data>, args: Args) => Promise<Outcome>;

/**
 * `next()` continues with the same arguments, `next(args)` with others, which are validated again. It may be called
 * once, because a second call would send a second request.
 */
export type Middleware<Data = unknown> = (
  context: ExecutionContext<Data>,
  args: Args,
  next: (args?: Args) => Promise<Outcome>,
) => Promise<Outcome>;
