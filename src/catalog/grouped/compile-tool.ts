// Turns the actions of a grouped tool into its definition and one compiled function per action. All the work of a call
// that does not depend on the call happens here.
import type { z } from 'zod';
import type { Handler, Middleware } from '../../call/handler.ts';
import type { Args, JsonSchema } from '../../endpoint/model.ts';
import type { ToolHints } from '../../model/annotations.ts';
import { Tool } from '../../model/tool.ts';
import { runForeign } from '../../orchestration/handler-result.ts';
import {
  compileNative,
  isConfirmed,
  type NativeFunction,
  type NativeGovernment,
  type NativeOperation,
  UNGOVERNED,
} from '../../orchestration/native-operation.ts';
import { refuseChanges } from '../../orchestration/pipeline.ts';
import type { Validator } from '../../schema/check/validator.ts';
import { type ActionHints, toActionHints } from '../aggregate-hints.ts';
import { advertiseZod, validateZod } from '../native/native-function.ts';
import type { PlacedAction } from './action.ts';
import type { ActionText } from './grouped-description.ts';
import type { ActionFields, SharedFields } from './grouped-schema.ts';
import { advertiseOperation, callOperation, checkOperation, type RestFields } from './rest-action.ts';
import type { Strategies } from './strategies.ts';

/** `lean` says as little as a model can do with; `toon` lists the actions as a table. */
export type ToolStyle = 'full' | 'lean' | 'toon';

export interface ToolPlan {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly discriminator: string;
  readonly common?: z.ZodObject | undefined;
  readonly style: ToolStyle;
  readonly annotations: ToolHints;
  readonly middleware: readonly Middleware[];
  readonly actions: readonly PlacedAction[];
  readonly strategies: Strategies;
}

export interface CompiledAction {
  readonly key: string;
  readonly hints: ActionHints;
  readonly description: string | undefined;
  readonly fields: readonly string[];
  readonly required: readonly string[];
  /** Checks the arguments and runs the action, guarded as the gateway says. */
  readonly run: Handler;
}

export interface CompiledTool {
  readonly tool: Tool;
  readonly actions: ReadonlyMap<string, CompiledAction>;
}

/** In a gateway the native actions come under its government; REST ones do already. */
export function compileTool(plan: ToolPlan, government: NativeGovernment = UNGOVERNED): CompiledTool {
  const common = advertiseZod(plan.common);
  const own = plan.actions.map((action) => advertise(action, plan.discriminator));
  const hints = plan.actions.map(hintsOf);
  const checks = plan.actions.map((action, index) => checkOf(plan, action, own[index]!, common));
  const chains = plan.strategies.middleware(
    plan.actions.map((action, index) => ({
      key: action.key,
      middleware: [...action.groupMiddleware, ...(action.definition.middleware ?? [])],
      handler: handlerOf(action, own[index]!, common),
      recheck: (context, changed, before) => {
        const args = checks[index]?.(context.label, changed) ?? changed;
        const native = { operation: `${plan.name}.${action.key}`, hints: hints[index]! };
        if (!action.definition.operation && isConfirmed(native, government)) refuseChanges(context, args, before);
        return args;
      },
    })),
    plan.middleware,
  );
  const operations = plan.actions.map(({ key, definition }, index): NativeOperation => {
    const check = checks[index];
    const chain = chains.get(key)!;
    if (definition.operation) {
      return { controls: {}, run: check ? async (context, args) => chain(context, check(context.label, args)) : chain };
    }
    const native: NativeFunction = {
      operation: `${plan.name}.${key}`,
      identity: `${plan.name}/${key}`,
      summary: definition.description ?? plan.description ?? plan.name,
      hints: hints[index]!,
      keys: new Set([...Object.keys(common.fields), ...Object.keys(own[index]!.fields)]),
      validate: check ?? ((_tool, args) => args),
      execute: chain,
    };
    return compileNative(native, government);
  });
  const fields = own.map((action, index) => ({
    ...action,
    fields: { ...action.fields, ...operations[index]!.controls },
  }));
  const actions = plan.actions.map(({ key, definition: { description } }, index): [string, CompiledAction] => [
    key,
    {
      key,
      hints: hints[index]!,
      description,
      fields: union(Object.keys(common.fields), Object.keys(fields[index]!.fields)),
      required: union(common.required, fields[index]!.required),
      run: operations[index]!.run,
    },
  ]);
  return { tool: describeTool(plan, common, fields, hints), actions: new Map(actions) };
}

/** What a client sees of it. */
function describeTool(
  plan: ToolPlan,
  common: SharedFields,
  fields: readonly ActionFields[],
  hints: readonly ActionHints[],
): Tool {
  const { strategies } = plan;
  const lean = plan.style === 'lean';
  const shared = plan.common === undefined ? shareFields(plan.actions, fields) : common;
  const describe = plan.style === 'toon' ? strategies.toon : strategies.description;
  const actions = plan.actions.map((action, index) => toText(action, fields[index]!, hints[index]!, shared));
  const text = describe({ toolName: plan.name, description: plan.description, actions, lean });
  const { discriminator } = plan;
  const { actionText } = text;
  const inputSchema = strategies.schema({ actions: fields, discriminator, common: shared, lean, actionText });
  return new Tool({
    name: plan.name,
    title: plan.title,
    description: text.description,
    inputSchema: inputSchema as unknown as JsonSchema,
    annotations: strategies.annotations(hints, plan.annotations),
  });
}

type Advertised = ActionFields & Pick<RestFields, 'renamed'>;

function advertise({ key, definition }: PlacedAction, discriminator: string): Advertised {
  if (definition.operation) return { key, ...advertiseOperation(definition.operation, discriminator) };
  return { key, ...advertiseZod(definition.schema), renamed: new Map() };
}

function toText(
  { key, definition, group }: PlacedAction,
  own: ActionFields,
  hints: ActionHints,
  shared: SharedFields,
): ActionText {
  return {
    key,
    name: definition.name,
    group: group?.name,
    description: definition.description,
    required: own.required.filter((name) => !shared.required.includes(name)),
    destructive: hints.destructive === true,
  };
}

/** What the author says counts; for a REST operation the rest follows from its effect. */
function hintsOf({ definition }: Pick<PlacedAction, 'definition'>): ActionHints {
  const derived = definition.operation ? toActionHints(definition.operation.endpoint) : {};
  return {
    readOnly: definition.readOnly ?? derived.readOnly,
    destructive: definition.destructive ?? derived.destructive,
    idempotent: definition.idempotent ?? derived.idempotent,
  };
}

/**
 * In a tool of REST operations only, the fields that every action takes alike are told as common ones. So are the
 * gateway's own controls, whoever takes them: they are never worth a list of actions.
 */
function shareFields(actions: readonly PlacedAction[], fields: readonly ActionFields[]): SharedFields {
  if (!actions.every(({ definition }) => definition.operation !== undefined)) return { fields: {}, required: [] };
  const names = union(...fields.map((action) => Object.keys(action.fields)));
  const own = new Set(actions.flatMap(({ definition }) => definition.operation!.endpoint.args.map((arg) => arg.key)));
  const controls = new Set(actions.flatMap(({ definition }) => Object.keys(definition.operation!.controls)));
  const isControl = (name: string) => controls.has(name) && !own.has(name);
  const isShared = (name: string) => {
    if (isControl(name)) return true;
    const needing = fields.filter((action) => action.required.includes(name)).length;
    const using = fields.filter((action) => Object.hasOwn(action.fields, name)).length;
    return using === fields.length && (needing === 0 || needing === fields.length);
  };
  // Controls go last: they are the least of what a model should look at.
  const shared = names.filter(isShared);
  const ordered = [...shared.filter((name) => !isControl(name)), ...shared.filter(isControl)];
  return {
    fields: Object.fromEntries(
      ordered.map((name) => [name, fields.find((action) => Object.hasOwn(action.fields, name))!.fields[name]!]),
    ),
    required: ordered.filter((name) => fields.every((action) => action.required.includes(name))),
    silent: new Set(ordered.filter(isControl)),
  };
}

function handlerOf({ definition }: PlacedAction, { renamed }: Advertised, common: SharedFields): Handler {
  if (definition.operation) return callOperation(definition.operation, renamed, new Set(Object.keys(common.fields)));
  const { handler } = definition;
  return (context, args) => runForeign(context, () => handler(context, args as never));
}

function checkOf(
  plan: ToolPlan,
  { definition, groupMiddleware }: PlacedAction,
  own: Advertised,
  common: SharedFields,
): Validator | undefined {
  if (!definition.operation) return validateZod(plan.common, definition.schema);
  const commonKeys = new Set(Object.keys(common.fields));
  const checkCommon = plan.common && validateZod(plan.common, undefined);
  const wrapped = plan.middleware.length + groupMiddleware.length + (definition.middleware?.length ?? 0) > 0;
  const checkOwn = wrapped ? checkOperation(definition.operation, own.renamed, commonKeys) : undefined;
  if (!checkCommon) return checkOwn;
  return (tool, args) => {
    const parsed = checkCommon(tool, pick(args, commonKeys));
    checkOwn?.(tool, args);
    return { ...args, ...parsed };
  };
}

function pick(args: Args, keys: ReadonlySet<string>): Args {
  return Object.fromEntries(Object.entries(args).filter(([key]) => keys.has(key)));
}

function union(...lists: readonly (readonly string[])[]): string[] {
  return [...new Set(lists.flat())];
}
