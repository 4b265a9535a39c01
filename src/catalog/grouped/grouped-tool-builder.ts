// GroupedToolBuilder: one tool with several actions. Collects the actions, checks names, and is frozen after it was built once.
import type { z } from 'zod';
import { ExecutionContext, type RequestFacts } from '../../call/execution-context.ts';
import type { Middleware } from '../../call/handler.ts';
import type { Outcome } from '../../call/outcome.ts';
import type { Args, Effect } from '../../endpoint/model.ts';
import { ARGUMENT_KEY } from '../../endpoint/names.ts';
import { GatewayError } from '../../errors.ts';
import type { ToolHints } from '../../model/annotations.ts';
import { effectOfHints } from '../../orchestration/native-operation.ts';
import type { Operation } from '../../orchestration/operation.ts';
import { isZodObject } from '../../schema/required-fields.ts';
import {
  createEntry,
  type Govern,
  type TakePart,
  type ToolDefinition,
  type ToolEntry,
  toDefinition,
} from '../tool-entry.ts';
import type { AnyAction, NativeAction, PlacedAction, RestAction } from './action.ts';
import { type CompiledAction, type CompiledTool, compileTool, type ToolPlan } from './compile-tool.ts';
import { STRATEGIES, type Strategies } from './strategies.ts';

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** What introspection returns for one action. */
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

/** The options of a GroupedToolBuilder. */
export interface BuilderOptions {
  /** Replaces how the tool is written, function by function. */
  readonly strategies?: Partial<Strategies> | undefined;
  /** How detailed the schema is about the fields of REST operations. */
  readonly detail?: ToolPlan['detail'];
  /** Finds the tool of an action that this tool does not have. */
  readonly elsewhere?: ToolPlan['elsewhere'];
}

/**
 * One MCP tool with an `action` argument that picks what is done. `Data` is the type of `context.data` in its handlers and
 * middleware; the transport sets its value.
 *
 * ```ts
 * const users = new GroupedToolBuilder('users')
 *   .description('Manage users')
 *   .action({ name: 'list', readOnly: true, handler: () => db.users() })
 *   .action({ name: 'ban', destructive: true, schema: z.object({ id: z.string() }), handler: (_, { id }) => db.ban(id) });
 * ```
 */
export class GroupedToolBuilder<Data = unknown, Common = unknown> {
  readonly #actions: PlacedAction[] = [];
  #plan: ToolPlan;
  #mode: 'flat' | 'hierarchical' | undefined;
  #tags: readonly string[] = Object.freeze([]);
  #built: { readonly compiled: CompiledTool; readonly definition: ToolDefinition } | undefined;

  constructor(name: string, options: BuilderOptions = {}) {
    if (!TOOL_NAME.test(name)) {
      throw refusal(
        `"${name}" cannot be a tool name: use 1 to 64 letters, digits, _ and -, which every client accepts.`,
      );
    }
    this.#plan = {
      name,
      discriminator: 'action',
      style: 'full',
      annotations: {},
      middleware: [],
      actions: this.#actions,
      strategies: Object.freeze({ ...STRATEGIES, ...options.strategies }),
      detail: options.detail ?? 'slim',
      elsewhere: options.elsewhere,
    };
  }

  title(title: string): this {
    return this.#set({ title });
  }

  description(description: string): this {
    return this.#set({ description });
  }

  /** The argument that picks the action; `action` by default. */
  discriminator(name: string): this {
    if (!ARGUMENT_KEY.test(name)) {
      throw refusal(`"${name}" cannot be an argument name: use letters, digits and _.`);
    }
    return this.#set({ discriminator: name });
  }

  /** Fields of every action. */
  commonSchema<Schema extends z.ZodObject>(schema: Schema): GroupedToolBuilder<Data, z.output<Schema>> {
    this.#assertZod(schema, 'commonSchema');
    return this.#set({ common: schema }) as unknown as GroupedToolBuilder<Data, z.output<Schema>>;
  }

  /** Lists the actions as a TOON table instead of lines. */
  toonDescription(): this {
    return this.#set({ style: 'toon' });
  }

  /** One short line per action: for tools where every token counts. */
  leanDescription(): this {
    return this.#set({ style: 'lean' });
  }

  /** Explicit hints are used unchanged; the others follow from the actions. */
  annotations(hints: ToolHints): this {
    return this.#set({ annotations: { ...this.#plan.annotations, ...hints } });
  }

  tags(...tags: string[]): this {
    this.#assertNotFrozen();
    this.#tags = Object.freeze([...new Set([...this.#tags, ...tags])]);
    return this;
  }

  /** Around every action, the first one outermost. */
  use(...middleware: Middleware<Data>[]): this {
    return this.#set({ middleware: [...this.#plan.middleware, ...(middleware as Middleware[])] });
  }

  action<Schema extends z.ZodObject>(action: NativeAction<Schema, Common, Data>): this;
  action(action: RestAction<Data>): this;
  action(action: unknown): this {
    this.#enter('flat');
    this.#add(action as AnyAction, undefined, []);
    return this;
  }

  /** Actions called `group.action`. */
  group(name: string, configure: (group: GroupBuilder<Data, Common>) => unknown): this;
  group(name: string, description: string, configure: (group: GroupBuilder<Data, Common>) => unknown): this;
  group(name: string, ...rest: readonly unknown[]): this {
    this.#enter('hierarchical');
    assertNoDots('Group', name);
    const configure = rest.at(-1) as (group: GroupBuilder<Data, Common>) => unknown;
    const description = rest.length > 1 ? (rest[0] as string) : undefined;
    // Read when the tool is built: middleware counts for the whole group, wherever in the group it was added.
    const middleware: Middleware[] = [];
    const group = Object.freeze({ name, description });
    const inside: GroupBuilder<Data, Common> = Object.freeze({
      use: (...more: Middleware<Data>[]) => {
        this.#assertNotFrozen();
        middleware.push(...(more as Middleware[]));
        return inside;
      },
      action: (action: unknown) => {
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
   * Runs the action the arguments pick. Failures are outcomes too, prefixed `[tool/action]`. Missing facts about the call get default
   * values, so that a test may pass `{}`.
   */
  execute(context: ExecutionContext<Data> | Partial<RequestFacts<Data>>, args: Args): Promise<Outcome> {
    return this.#build().compiled.run(toLocalContext(context, this.getName()), args);
  }

  /** The builder as an entry of a gateway's registry. */
  toEntry(domain = ''): ToolEntry {
    return toEntryOf(this.#plan, this.#build().compiled, domain);
  }

  get frozen(): boolean {
    return this.#built !== undefined;
  }

  getName(): string {
    return this.#plan.name;
  }

  getTags(): readonly string[] {
    return this.#tags;
  }

  getActionNames(): string[] {
    return this.#actions.map((action) => action.key);
  }

  /** Builds the tool, since only then everything about its actions is known. */
  getActionMetadata(): ActionMetadata[] {
    const { common, actions } = this.#build().compiled;
    return actions.map(({ key, placed: { definition, group, groupMiddleware }, hints, fields, required }) =>
      Object.freeze({
        key,
        actionName: definition.name,
        groupName: group?.name,
        description: definition.description,
        destructive: hints.destructive === true,
        readOnly: hints.readOnly === true,
        idempotent: hints.idempotent === true,
        fields: Object.freeze([...new Set([...Object.keys(common.fields), ...Object.keys(fields)])]),
        requiredFields: Object.freeze([...new Set([...common.required, ...required])]),
        hasMiddleware: [this.#plan.middleware, groupMiddleware, definition.middleware ?? []].flat().length > 0,
        kind: definition.operation ? 'rest' : 'native',
      }),
    );
  }

  #set(part: Partial<ToolPlan>): this {
    this.#assertNotFrozen();
    this.#plan = { ...this.#plan, ...part };
    return this;
  }

  #build() {
    if (this.#built) return this.#built;
    if (this.#actions.length === 0) {
      throw refusal(`Builder "${this.getName()}" has no actions. Add some with .action() or .group().`);
    }
    this.#assertDiscriminatorFree();
    const result = compileTool(this.#plan);
    this.#built = { compiled: result, definition: toDefinition(result.tool) };
    Object.freeze(this.#actions);
    return this.#built;
  }

  #enter(mode: 'flat' | 'hierarchical'): void {
    this.#assertNotFrozen();
    if (this.#mode !== undefined && this.#mode !== mode) {
      throw refusal(
        `Cannot use .action() and .group() on the same builder "${this.getName()}".\n` +
          'Use .action() for flat tools OR .group() for hierarchical tools.',
      );
    }
    this.#mode = mode;
  }

  #add(action: AnyAction, group: PlacedAction['group'], groupMiddleware: readonly Middleware[]): void {
    this.#assertNotFrozen();
    assertNoDots('Action', action.name);
    const key = this.#plan.strategies.name({ name: action.name, group: group?.name });
    if (this.#actions.some((other) => other.key === key)) {
      throw refusal(`Builder "${this.getName()}" already has an action "${key}".`);
    }
    if (action.schema !== undefined) this.#assertZod(action.schema, key);
    const middleware = action.middleware && Object.freeze([...action.middleware]);
    const definition = Object.freeze({ ...action, middleware });
    this.#actions.push(Object.freeze({ key, definition, group, groupMiddleware }));
  }

  #assertNotFrozen(): void {
    if (!this.#built) return;
    throw refusal(`Builder "${this.getName()}" is frozen after buildToolDefinition(). Cannot modify a built tool.`);
  }

  #assertZod(schema: unknown, where: string): void {
    if (isZodObject(schema)) return;
    throw refusal(`The schema of "${this.getName()}" (${where}) must be a zod 4 object: z.object({…}).`);
  }

  /**
   * REST arguments with the discriminator's name are renamed automatically; a schema written for this tool has to be corrected.
   */
  #assertDiscriminatorFree(): void {
    const { name, discriminator, common, actions } = this.#plan;
    const takes = (schema: z.ZodObject | undefined) =>
      schema !== undefined && Object.hasOwn(schema.shape, discriminator);
    const owner = actions.find(({ definition }) => takes(definition.schema));
    if (!owner && !takes(common)) return;
    throw refusal(
      `"${discriminator}" picks the action of "${name}", so ${owner ? `action "${owner.key}"` : 'commonSchema'} cannot have a field of that name. Rename the field, or choose another with .discriminator().`,
    );
  }
}

function toEntryOf(plan: ToolPlan, { tool, run, actions }: CompiledTool, domain: string): ToolEntry {
  const operations = plan.actions.flatMap(({ definition }) => definition.operation ?? []);
  const pickOf = (operation: Operation) => {
    const action = plan.actions.find(({ definition }) => definition.operation === operation);
    return action && { [plan.discriminator]: action.key };
  };
  const govern: Govern = (guardSettings) => toEntryOf(plan, compileTool(plan, guardSettings), domain);
  const part: TakePart = (effects) => {
    const placements = actions.filter((action) => effects.includes(effectOf(action))).map(({ placed }) => placed);
    if (placements.length === 0) return undefined;
    const smaller = { ...plan, actions: placements };
    return toEntryOf(smaller, compileTool(smaller), domain);
  };
  const controls = [...new Set(actions.flatMap((action) => action.controls))];
  return createEntry(tool, run, domain, operations, { govern, part, pickOf, controls });
}

/** An action's own hints can make a REST operation stricter, but never less strict. */
function effectOf({ placed: { definition }, hints }: CompiledAction): Effect {
  if (definition.operation === undefined || definition.destructive === true) return effectOfHints(hints);
  return definition.operation.endpoint.effect;
}

function assertNoDots(what: 'Action' | 'Group', name: string): void {
  if (name.includes('.')) throw refusal(`${what} name "${name}" must not contain dots: they join group and action.`);
  if (name === '') throw refusal(`${what} name must not be empty.`);
}

function refusal(message: string): GatewayError {
  return new GatewayError('BAD_CONFIG', message);
}

const LOCAL: RequestFacts = Object.freeze({
  requestId: 'local',
  method: 'tools/call',
  principal: Object.freeze({ id: 'local' }),
  transport: 'local',
  signal: new AbortController().signal,
  client: Object.freeze({ era: 'modern', takesRounds: true, version: '2026-07-28', capabilities: Object.freeze({}) }),
});

/** The context of a call from this process, without a real caller: the given one if it is complete, otherwise one with defaults. */
function toLocalContext<Data>(
  partial: ExecutionContext<Data> | Partial<RequestFacts<Data>>,
  tool: string,
): ExecutionContext<Data> {
  if (partial instanceof ExecutionContext) return partial.tool === undefined ? partial.withToolCall(tool) : partial;
  return ExecutionContext.fromRequest<Data>({ ...(LOCAL as RequestFacts<Data>), ...partial }).withToolCall(tool);
}
