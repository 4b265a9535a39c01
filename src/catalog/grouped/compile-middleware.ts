// Every action's middleware folded into one closure at build time: global outermost, then the group's, then the action's.
import type { Handler, Middleware } from '../../call/handler.ts';
import { compose, type Recheck } from '../../orchestration/compose.ts';

export interface ChainedAction {
  readonly key: string;
  /** Group before action, outermost first. */
  readonly middleware: readonly Middleware[];
  readonly handler: Handler;
  readonly recheck: Recheck;
}

export function compileChains(
  actions: readonly ChainedAction[],
  global: readonly Middleware[],
): ReadonlyMap<string, Handler> {
  return new Map(
    actions.map(({ key, middleware, handler, recheck }) => [
      key,
      compose([...global, ...middleware], handler, recheck),
    ]),
  );
}
