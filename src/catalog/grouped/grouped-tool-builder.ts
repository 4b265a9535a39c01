// GroupedToolBuilder: several actions behind one tool. Collects, checks names, builds once and is frozen from then on.
import type { z } from 'zod';
import type { ExecutionContext, RequestFacts } from '../../call/execution-context.ts';
import type { Handler, Middleware } from '../../call/handler.ts';
import type { Outcome } from '../../call/outcome.ts';
import type { Args } from '../../endpoint/model.ts';
import { ARGUMENT_KEY } from '../../endpoint/names.ts';
import { hint } from '../../endpoint/suggest.ts';
import { GatewayError } from '../../errors.ts';
import type { ToolHints } from '../../model/annotations.ts';
import { toFailure } from '../../orchestration/failure.ts';
import { markFailure } from '../../orchestration/handler-result.ts';
import { isZodObject } from '../../schema/required-fields.ts';
import { toLocalContext } from '../native/local-call.ts';
import { createEntry, type Govern, type ToolDefinition, type ToolEntry, toDefinition } from '../tool-entry.ts';
import type { AnyAction, NativeAction, PlacedAction, RestAction } from './action.ts';
import { type CompiledTool, compileTool, type ToolPlan, type ToolStyle } from './compile-tool.ts';
import { STRATEGIES, type Strategies } from './strategies.ts';

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** What introspection tells about one action. */
export interface ActionMetadata {
  readonly key: string;
  readonly actionName: string;
  readonly groupName: string | undefined;
  readonly description: string | undefined;
  readonly destructive: boolean;
  readonly readOnly: boolean;
  readonly idempotent: boolean;
  readonly fields: readonly string[];
  readonly requiredFields: readonly string[];
  readonly hasMiddleware: boolean;
  readonly kind: 'native' | 'rest';
}

/** Inside `.group()`: the group's actions and middleware. */
export interface GroupBuilder<Data = unknown, Common = unknown> {
  use(...middleware: Middleware<Data>[]): GroupBuilder<Data, Common>;
  action<Schema extends z.ZodObject>(action: NativeAction<Schema, Common, Data>): GroupBuilder<Data, Common>;
  action(action: RestAction<Data>): GroupBuilder<Data, Common>;
}

export interface BuilderOptions {
  /** Replaces how the tool is written, function by function. */
  readonly strategies?: Partial<Strategies> | undefined;
}

/**
 * One MCP tool with an `action` argument that picks what is done. `Data` is what its handlers and middleware find in
 * `context.data`: whatever the transport puts there.
 *
 * ```ts
 * const users = new GroupedToolBuilder('users')
 *   .description('Manage users')
 *   .action({ name: 'list', readOnly: true, handler: () => db.users() })
 *   .action({ name: 'ban', destructive: true, schema: z.object({ id: z.string() }), handler: (_, { id }) => db.ban(id) });
 * ```
 */
export class GroupedToolBuilder<Data = unknown, Common = unknown> {
  readonly #name: string;
  readonly #actions: PlacedAction[] = [];
  readonly #middleware: Middleware[] = [];
  #mode: 'flat' | 'hierarchical' | undefined;
  #title: string | undefined;
  #description: string | undefined;
  #discriminator = 'action';
  #common: z.ZodObject | undefined;
  #style: ToolStyle = 'full';
  #annotations: ToolHints = {};
  #tags: readonly string[] = Object.freeze([]);
  readonly #strategies: Strategies;
  #built:
    | {
        readonly plan: ToolPlan;
        readonly compiled: CompiledTool;
        readonly run: Handler;
        readonly definition: ToolDefinition;
      }
    | undefined;

  constructor(name: string, options: BuilderOptions = {}) {
    if (!TOOL_NAME.test(name)) {
      throw new GatewayError(
        'BAD_CONFIG',
        `"${name}" cannot be a tool name: use 1 to 64 letters, digits, _ and -, which every client accepts.`,
      );
    }
    this.#name = name;
    this.#strategies = Object.freeze({ ...STRATEGIES, ...options.strategies });
  }

  title(title: string): this {
    this.#assertNotFrozen();
    this.#title = title;
    return this;
  }

  description(description: string): this {
    this.#assertNotFrozen();
    this.#description = description;
    return this;
  }

  /** The argument that picks the action; `action` unless said otherwise. */
  discriminator(name: string): this {
    this.#assertNotFrozen();
    if (!ARGUMENT_KEY.test(name)) {
      throw new GatewayError('BAD_CONFIG', `"${name}" cannot be an argument name: use letters, digits and _.`);
    }
    this.#discriminator = name;
    return this;
  }

  /** Fields of every action. */
  commonSchema<Schema extends z.ZodObject>(schema: Schema): GroupedToolBuilder<Data, z.output<Schema>> {
    this.#assertNotFrozen();
    this.#assertZod(schema, 'commonSchema');
    this.#common = schema;
    return this as unknown as GroupedToolBuilder<Data, z.output<Schema>>;
  }

  /** Lists the actions as a TOON table instead of lines. */
  toonDescription(): this {
    this.#assertNotFrozen();
    this.#style = 'toon';
    return this;
  }

  /** One short line per action: for tools where every token counts. */
  leanDescription(): this {
    this.#assertNotFrozen();
    this.#style = 'lean';
    return this;
  }

  /** Said explicitly, a hint is taken as it is; the others follow from the actions. */
  annotations(hints: ToolHints): this {
    this.#assertNotFrozen();
    this.#annotations = { ...this.#annotations, ...hints };
    return this;
  }

  tags(...tags: string[]): this {
    this.#assertNotFrozen();
    this.#tags = Object.freeze([...new Set([...this.#tags, ...tags])]);
    return this;
  }

  /** Around every action, the first one outermost. */
  use(...middleware: Middleware<Data>[]): this {
    this.#assertNotFrozen();
    this.#middleware.push(...(middleware as Middleware[]));
    return this;
  }

  action<Schema extends z.ZodObject>(action: NativeAction<Schema, Common, Data>): this;
  action(action: RestAction<Data>): this;
  action(action: unknown): this {
    this.#assertNotFrozen();
    this.#enter('flat');
    this.#add(action as AnyAction, undefined, []);
    return this;
  }

  /** Actions called `group.action`. */
  group(name: string, configure: (group: GroupBuilder<Data, Common>) => unknown): this;
  group(name: string, description: string, configure: (group: GroupBuilder<Data, Common>) => unknown): this;
  group(name: string, ...rest: readonly unknown[]): this {
    this.#assertNotFrozen();
    this.#enter('hierarchical');
    assertNoDots('Group', name);
    const configure = rest.at(-1) as (group: GroupBuilder<Data, Common>) => unknown;
    const description = rest.length > 1 ? (rest[0] as string) : undefined;
    // Read when the tool is built: middleware counts for the whole group, wherever in the group it was added.
    const middleware: Middleware[] = [];
    const group = Object.freeze({ name, description });
    const inside: GroupBuilder<Data, Common> = Object.freeze({
      use: (...added: Middleware<Data>[]) => {
        this.#assertNotFrozen();
        middleware.push(...(added as Middleware[]));
        return inside;
      },
      action: (action: unknown) => {
        this.#assertNotFrozen();
        this.#add(action as AnyAction, group, middleware);
        return inside;
      },
    });
    configure(inside);
    return this;
  }

  /** Builds the definition; from here on nothing can be changed. Called by the first `execute()` if not before. */
  buildToolDefinition(): ToolDefinition {
    return this.#build().definition;
  }

  /**
   * Runs the action the arguments pick. Failures are outcomes too, prefixed `[tool/action]`. Whatever is not known about
   * the call is filled in, so that a test may pass `{}`.
   */
  execute(context: ExecutionContext<Data> | Partial<RequestFacts<Data>>, args: Args): Promise<Outcome> {
    const { run } = this.#build();
    return run(toLocalContext(context, this.#name), args);
  }

  /** The builder as an entry of a gateway's registry. */
  toEntry(domain = ''): ToolEntry {
    const { plan, compiled } = this.#build();
    const operations = this.#actions.flatMap(({ definition }) => definition.operation ?? []);
    const toGoverned = (tool: CompiledTool): ToolEntry =>
      createEntry(tool.tool, this.#createRun(tool), domain, operations, govern);
    const govern: Govern = (government) => toGoverned(compileTool(plan, government));
    return toGoverned(compiled);
  }

  get frozen(): boolean {
    return this.#built !== undefined;
  }

  getName(): string {
    return this.#name;
  }

  getTags(): readonly string[] {
    return this.#tags;
  }

  getActionNames(): string[] {
    return this.#actions.map((action) => action.key);
  }

  /** Builds the tool, since only then everything about its actions is known. */
  getActionMetadata(): ActionMetadata[] {
    const { compiled } = this.#build();
    return this.#actions.map(({ key, definition, group, groupMiddleware }) => {
      const action = compiled.actions.get(key)!;
      return Object.freeze({
        key,
        actionName: definition.name,
        groupName: group?.name,
        description: definition.description,
        destructive: action.hints.destructive === true,
        readOnly: action.hints.readOnly === true,
        idempotent: action.hints.idempotent === true,
        fields: Object.freeze([...action.fields]),
        requiredFields: Object.freeze([...action.required]),
        hasMiddleware: this.#middleware.length + groupMiddleware.length + (definition.middleware?.length ?? 0) > 0,
        kind: definition.operation ? 'rest' : 'native',
      });
    });
  }

  #createRun({ actions }: CompiledTool): Handler {
    return async (context, args) => {
      const { [this.#discriminator]: picked, ...own } = args ?? {};
      const action = typeof picked === 'string' ? actions.get(picked) : undefined;
      if (!action) return markFailure(toFailure(context, this.#refuse(picked)), this.#name);
      const inner = context.withAction(action.key);
      try {
        return markFailure(await action.run(inner, own), inner.label);
      } catch (error) {
        return markFailure(toFailure(inner, error), inner.label);
      }
    };
  }

  #build() {
    if (this.#built) return this.#built;
    if (this.#actions.length === 0) {
      throw new GatewayError(
        'BAD_CONFIG',
        `Builder "${this.#name}" has no actions. Add some with .action() or .group().`,
      );
    }
    this.#assertDiscriminatorFree();
    const plan: ToolPlan = {
      name: this.#name,
      title: this.#title,
      description: this.#description,
      discriminator: this.#discriminator,
      common: this.#common,
      style: this.#style,
      annotations: this.#annotations,
      middleware: [...this.#middleware],
      actions: this.#actions,
      strategies: this.#strategies,
    };
    const compiled = compileTool(plan);
    this.#built = { plan, compiled, run: this.#createRun(compiled), definition: toDefinition(compiled.tool) };
    Object.freeze(this.#actions);
    Object.freeze(this.#middleware);
    return this.#built;
  }

  #refuse(picked: unknown): GatewayError {
    const keys = this.#actions.map((action) => action.key);
    const field = this.#discriminator;
    const available = `Available: ${keys.join(', ')}`;
    const message =
      picked === undefined || picked === null || picked === ''
        ? `${field} is required. ${available}`
        : `Unknown ${field} ${JSON.stringify(picked)}; ${nearest(picked, keys)}${available}`;
    return new GatewayError('VALIDATION', message, { tool: this.#name, errors: [{ path: field, message }] });
  }

  #enter(mode: 'flat' | 'hierarchical'): void {
    if (this.#mode !== undefined && this.#mode !== mode) {
      throw new GatewayError(
        'BAD_CONFIG',
        `Cannot use .action() and .group() on the same builder "${this.#name}".\n` +
          'Use .action() for flat tools OR .group() for hierarchical tools.',
      );
    }
    this.#mode = mode;
  }

  #add(action: AnyAction, group: PlacedAction['group'], groupMiddleware: readonly Middleware[]): void {
    assertNoDots('Action', action.name);
    const key = this.#strategies.name({ name: action.name, group: group?.name });
    if (this.#actions.some((other) => other.key === key)) {
      throw new GatewayError('BAD_CONFIG', `Builder "${this.#name}" already has an action "${key}".`);
    }
    if (action.schema !== undefined) this.#assertZod(action.schema, key);
    const middleware = action.middleware && Object.freeze([...action.middleware]);
    const definition = Object.freeze({ ...action, middleware });
    this.#actions.push(Object.freeze({ key, definition, group, groupMiddleware }));
  }

  #assertNotFrozen(): void {
    if (!this.#built) return;
    throw new GatewayError(
      'BAD_CONFIG',
      `Builder "${this.#name}" is frozen after buildToolDefinition(). Cannot modify a built tool.`,
    );
  }

  #assertZod(schema: unknown, where: string): void {
    if (isZodObject(schema)) return;
    throw new GatewayError(
      'BAD_CONFIG',
      `The schema of "${this.#name}" (${where}) must be a zod 4 object: z.object({…}).`,
    );
  }

  /** REST arguments of that name are renamed by themselves; a schema written for this tool can be corrected. */
  #assertDiscriminatorFree(): void {
    const name = this.#discriminator;
    const owner = this.#actions.find(
      ({ definition }) => definition.schema && Object.hasOwn(definition.schema.shape, name),
    );
    if (!owner && !(this.#common && Object.hasOwn(this.#common.shape, name))) return;
    throw new GatewayError(
      'BAD_CONFIG',
      `"${name}" picks the action of "${this.#name}", so ${owner ? `action "${owner.key}"` : 'commonSchema'} cannot have a field of that name. Rename the field, or choose another with .discriminator().`,
    );
  }
}

function assertNoDots(what: 'Action' | 'Group', name: string): void {
  if (name.includes('.')) {
    throw new GatewayError('BAD_CONFIG', `${what} name "${name}" must not contain dots: they join group and action.`);
  }
  if (name === '') throw new GatewayError('BAD_CONFIG', `${what} name must not be empty.`);
}

function nearest(picked: unknown, keys: readonly string[]): string {
  const suggestion = typeof picked === 'string' ? hint(picked, keys) : '';
  return suggestion.startsWith('did you mean') ? `${suggestion} ` : 'pick one of them. ';
}
