// Turns the actions of a grouped tool into its definition and one compiled function per action. All the work of a call
// that does not depend on the call happens here.
import type { z } from 'zod';
import type { Handler, Middleware } from '../../call/handler.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { didYouMean } from '../../endpoint/suggest.ts';
import { GatewayError } from '../../errors.ts';
import type { ToolHints } from '../../model/annotations.ts';
import { Tool } from '../../model/tool.ts';
import { CONTROL_NAMES, type ControlName } from '../../orchestration/controls.ts';
import { toFailure } from '../../orchestration/failure.ts';
import { markFailure, runHandler } from '../../orchestration/handler-result.ts';
import {
  compileNative,
  type GuardSettings,
  isConfirmed,
  type NativeOperation,
  UNGUARDED,
} from '../../orchestration/native-operation.ts';
import { refuseChanges } from '../../orchestration/pipeline.ts';
import type { Validator } from '../../schema/check/validator.ts';
import { type ActionHints, toActionHints } from '../aggregate-hints.ts';
import { advertiseZod, validateZod } from '../native/native-function.ts';
import { type AnyAction, advertiseOperation, bindOperation, type PlacedAction } from './action.ts';
import type { ActionFields, SharedFields } from './grouped-schema.ts';
import type { ChainedAction, Strategies } from './strategies.ts';

export interface ToolPlan {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** The argument that picks the action. */
  readonly discriminator: string;
  /** Fields of every action. */
  readonly common?: z.ZodObject | undefined;
  /** `lean`: the shortest text that is sufficient for a model; `toon`: lists the actions as a table. */
  readonly style: 'full' | 'lean' | 'toon';
  readonly annotations: ToolHints;
  readonly middleware: readonly Middleware[];
  readonly actions: readonly PlacedAction[];
  readonly strategies: Strategies;
  /** `full`: fields of REST operations as in a tool of their own. */
  readonly detail: 'full' | 'slim';
  /** Advice about an action that this tool does not have: what was probably meant, here or in another tool. */
  readonly elsewhere?: ((tool: string, choice: string) => Promise<string | undefined>) | undefined;
}

export interface CompiledAction extends ActionFields {
  readonly placed: PlacedAction;
  readonly hints: ActionHints;
  /** Which of its fields are controls of the gateway. */
  readonly controls: readonly string[];
  /** Checks the arguments and runs the action, with the gateway's guard. */
  readonly run: Handler;
}

export interface CompiledTool {
  readonly tool: Tool;
  /** The tool's common fields, as advertised. */
  readonly common: SharedFields;
  readonly actions: readonly CompiledAction[];
  /** Runs the action the arguments pick. Failures are outcomes too, prefixed `[tool/action]`. */
  readonly run: Handler;
}

/** `guardSettings` are the gateway's policy for native actions; REST operations have it built in. */
export function compileTool(plan: ToolPlan, guardSettings: GuardSettings = UNGUARDED): CompiledTool {
  const common = advertiseZod(plan.common);
  const drafts = plan.actions.map((action) => draftAction(plan, action, Object.keys(common.fields), guardSettings));
  const chains = plan.strategies.middleware(drafts, plan.middleware);
  const actions = drafts.map((draft) => finishAction(plan, draft, chains.get(draft.key)!, common, guardSettings));
  return { tool: describeTool(plan, common, actions), common, actions, run: createDispatch(plan, actions) };
}

/** An action before middleware is put around its handler. */
interface Draft extends ChainedAction {
  readonly placed: PlacedAction;
  readonly hints: ActionHints;
  readonly own: SharedFields & Pick<ActionFields, 'open'>;
  readonly check: Validator | undefined;
}

function draftAction(
  plan: ToolPlan,
  action: PlacedAction,
  commonKeys: readonly string[],
  guardSettings: GuardSettings,
): Draft {
  const { key, definition, groupMiddleware } = action;
  const hints = hintsOf(definition);
  const middleware = [...groupMiddleware, ...(definition.middleware ?? [])];
  const isWrapped = plan.middleware.length + middleware.length > 0;
  const draft = definition.operation
    ? draftOperation(plan, definition.operation, commonKeys, isWrapped)
    : draftFunction(plan, definition);
  const needsConsent = !definition.operation && isConfirmed({ operation: `${plan.name}.${key}`, hints }, guardSettings);
  const recheck: Draft['recheck'] = (context, after, before) => {
    const args = draft.check?.(context.label, after) ?? after;
    if (needsConsent) refuseChanges(context, args, before);
    return args;
  };
  return { key, placed: action, hints, middleware, recheck, ...draft };
}

type DraftHandler = Pick<Draft, 'own' | 'check' | 'handler'>;

function draftFunction(plan: ToolPlan, { schema, handler }: Exclude<AnyAction, { operation: object }>): DraftHandler {
  return {
    own: advertiseZod(schema),
    check: validateZod(plan.common, schema),
    handler: (context, args) => runHandler(context, () => handler(context, args as never)),
  };
}

/** The operation validates its arguments itself. A check before that is needed only if middleware sees the arguments first. */
function draftOperation(
  plan: ToolPlan,
  operation: NonNullable<AnyAction['operation']>,
  commonKeys: readonly string[],
  isWrapped: boolean,
): DraftHandler {
  const own = advertiseOperation(operation, plan.discriminator, plan.detail);
  const { handler, createCheck } = bindOperation(operation, own.renamed, commonKeys);
  const checkOwn = isWrapped ? createCheck() : undefined;
  const checkCommon = plan.common && validateZod(plan.common, undefined);
  const check: Validator | undefined = checkCommon
    ? (tool, args) => {
        const entries = Object.entries(args).filter(([key]) => commonKeys.includes(key));
        const commonArgs = checkCommon(tool, Object.fromEntries(entries));
        checkOwn?.(tool, args);
        return { ...args, ...commonArgs };
      }
    : checkOwn;
  return { own, handler, check };
}

function finishAction(
  plan: ToolPlan,
  { key, placed, hints, own, check }: Draft,
  chain: Handler,
  common: SharedFields,
  guardSettings: GuardSettings,
): CompiledAction {
  const { description, operation } = placed.definition;
  const { run, controls }: NativeOperation = operation
    ? {
        controls: operation.controls,
        run: check ? async (context, args) => chain(context, check(context.label, args)) : chain,
      }
    : compileNative(
        {
          operation: `${plan.name}.${key}`,
          identity: `${plan.name}/${key}`,
          summary: description ?? plan.description ?? plan.name,
          hints,
          keys: new Set([...Object.keys(common.fields), ...Object.keys(own.fields)]),
          validate: check ?? ((_tool, args) => args),
          execute: chain,
        },
        guardSettings,
      );
  return {
    key,
    placed,
    hints,
    run,
    // The fields of a REST operation include its controls already.
    fields: operation ? own.fields : { ...own.fields, ...controls },
    controls: Object.keys(controls),
    required: own.required,
    open: own.open,
  };
}

/** The tool as clients see it. */
function describeTool(plan: ToolPlan, common: SharedFields, actions: readonly CompiledAction[]): Tool {
  const { name, title, description, discriminator, style, strategies } = plan;
  const lean = style === 'lean';
  const commonFields = plan.common === undefined ? findCommonFields(actions) : common;
  const describe = style === 'toon' ? strategies.toon : strategies.description;
  const texts = actions.map(({ key, placed: { definition, group }, required, hints }) => ({
    key,
    name: definition.name,
    group: group?.name,
    description: definition.description,
    required: required.filter((field) => !commonFields.required.includes(field)),
    destructive: hints.destructive === true,
  }));
  const text = describe({ toolName: name, description, actions: texts, lean });
  const { actionText } = text;
  return new Tool({
    name,
    title,
    description: text.description,
    inputSchema: strategies.schema({
      actions,
      discriminator,
      common: commonFields,
      lean,
      actionText,
    }) as unknown as JsonSchema,
    annotations: strategies.annotations(
      actions.map(({ hints }) => hints),
      plan.annotations,
    ),
  });
}

/** The author's hints. For a REST operation, those that are missing follow from its effect. */
function hintsOf({ operation, readOnly, destructive, idempotent }: AnyAction): ActionHints {
  const defaults = operation ? toActionHints(operation.endpoint) : {};
  return {
    readOnly: readOnly ?? defaults.readOnly,
    destructive: destructive ?? defaults.destructive,
    idempotent: idempotent ?? defaults.idempotent,
    overwrites: destructive === undefined && readOnly === undefined && defaults.overwrites,
  };
}

/**
 * In a tool of REST operations only, fields that every action accepts in the same way are listed as common. So are the gateway's
 * own controls, even if only some actions take them, because that is not worth a note. The exception is a control that is renamed
 * in one action because an argument of the API has its name.
 */
function findCommonFields(actions: readonly CompiledAction[]): SharedFields {
  const operations = actions.flatMap(({ placed }) => placed.definition.operation ?? []);
  if (operations.length < actions.length) return { fields: {}, required: [] };
  const own = new Set(operations.flatMap(({ endpoint }) => endpoint.args.map((arg) => arg.key)));
  const controls = new Set<string>(operations.flatMap((operation) => Object.keys(operation.controls)));
  const isControl = (name: string) =>
    controls.has(name) && CONTROL_NAMES.includes(name as ControlName) && !own.has(name);
  const isAlike = (name: string) => {
    const needing = actions.filter((action) => action.required.includes(name)).length;
    return actions.every(({ fields }) => Object.hasOwn(fields, name)) && (needing === 0 || needing === actions.length);
  };
  const schemaOf = (name: string) => actions.find(({ fields }) => Object.hasOwn(fields, name))!.fields[name]!;
  const names = [...new Set(actions.flatMap((action) => Object.keys(action.fields)))];
  // Controls go last: they matter least to a model.
  const alike = names.filter((name) => !isControl(name) && isAlike(name));
  const silent = names.filter(isControl);
  const commonNames = [...alike, ...silent];
  return {
    fields: Object.fromEntries(commonNames.map((name) => [name, schemaOf(name)])),
    required: commonNames.filter((name) => actions.every((action) => action.required.includes(name))),
    silent: new Set(silent),
  };
}

function createDispatch({ name, discriminator, elsewhere }: ToolPlan, actions: readonly CompiledAction[]): Handler {
  const byKey = new Map(actions.map((action) => [action.key, action]));
  return async (context, args) => {
    const { [discriminator]: choice, ...own } = args ?? {};
    const action = typeof choice === 'string' ? byKey.get(choice) : undefined;
    if (!action) {
      const advice = typeof choice === 'string' && choice !== '' ? await elsewhere?.(name, choice) : undefined;
      return markFailure(
        toFailure(context, refuseChoice(name, discriminator, choice, [...byKey.keys()], advice)),
        name,
      );
    }
    const inner = context.withAction(action.key);
    try {
      return markFailure(await action.run(inner, own), inner.label);
    } catch (error) {
      return markFailure(toFailure(inner, error), inner.label);
    }
  };
}

function refuseChoice(
  tool: string,
  field: string,
  choice: unknown,
  keys: readonly string[],
  elsewhere: string | undefined,
): GatewayError {
  const advice = elsewhere ?? didYouMean(typeof choice === 'string' ? choice : '', keys, 'pick one of them.');
  const isMissing = choice === undefined || choice === null || choice === '';
  const problem = isMissing ? `${field} is required.` : `Unknown ${field} ${JSON.stringify(choice)}; ${advice}`;
  const message = `${problem} Available: ${keys.join(', ')}`;
  return new GatewayError('VALIDATION', message, { tool, errors: [{ path: field, message }] });
}
