// How a grouped tool is written: six pure functions. Each can be replaced, in one GroupedToolBuilder or for all grouped tools of a
// gateway.
import type { Handler, Middleware } from '../../call/handler.ts';
import type { ToolAnnotations, ToolHints } from '../../model/annotations.ts';
import { compose, type RecheckArguments } from '../../orchestration/compose.ts';
import { type ActionHints, aggregateAnnotations } from '../aggregate-hints.ts';
import type { ObjectSchema } from '../operation-schema.ts';
import { buildDescription, buildToonDescription, type DescriptionInput, type ToolText } from './grouped-description.ts';
import { buildGroupedSchema, type GroupedSchemaInput } from './grouped-schema.ts';

/** The functions that write grouped tools. `createGateway({ strategies })` replaces some of them. */
export interface Strategies {
  /** What callers pick an action by: unique in its tool. */
  readonly name: (action: { readonly name: string; readonly group?: string | undefined }) => string;
  readonly schema: (input: GroupedSchemaInput) => ObjectSchema;
  readonly description: (input: DescriptionInput) => ToolText;
  /** The description of tools whose actions are listed as a TOON table. */
  readonly toon: (input: DescriptionInput) => ToolText;
  readonly annotations: (actions: readonly ActionHints[], explicit: ToolHints) => ToolAnnotations;
  /** One function per action key. */
  readonly middleware: (
    actions: readonly ChainedAction[],
    global: readonly Middleware[],
  ) => ReadonlyMap<string, Handler>;
}

/** An action whose middleware is folded into its handler. */
export interface ChainedAction {
  readonly key: string;
  /** Group before action, outermost first. */
  readonly middleware: readonly Middleware[];
  readonly handler: Handler;
  readonly recheck: RecheckArguments;
}

/**
 * `list`, or `users.list` inside a group.
 *
 * ```ts
 * console.assert(buildActionKey({ name: 'list', group: 'users' }) === 'users.list');
 * ```
 */
export const buildActionKey: Strategies['name'] = ({ name, group }) =>
  group === undefined ? name : `${group}.${name}`;

/**
 * Every action's middleware folded into one closure at build time: global outermost, then the group's, then the action's.
 *
 * ```ts
 * const calls = createGateway({ domains: [], strategies: { middleware: compileChains } });
 * await calls.close();
 * ```
 */
export const compileChains: Strategies['middleware'] = (actions, global) =>
  new Map(
    actions.map(({ key, middleware, handler, recheck }) => [
      key,
      compose([...global, ...middleware], handler, recheck),
    ]),
  );

export const STRATEGIES: Strategies = Object.freeze({
  name: buildActionKey,
  schema: buildGroupedSchema,
  description: buildDescription,
  toon: buildToonDescription,
  annotations: aggregateAnnotations,
  middleware: compileChains,
});
