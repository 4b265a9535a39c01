// The actions of a grouped tool: a function written for it, or an operation of a REST API; and how a REST operation is advertised
// and called as an action.
import type { z } from 'zod';
import type { ExecutionContext } from '../../call/execution-context.ts';
import type { Handler, Middleware } from '../../call/handler.ts';
import type { Args, JsonSchema } from '../../endpoint/model.ts';
import { GatewayError } from '../../errors.ts';
import type { Operation } from '../../orchestration/operation.ts';
import { createValidator, type Validator } from '../../schema/check/validator.ts';
import { buildOperationSchema } from '../operation-schema.ts';
import type { SharedFields } from './grouped-schema.ts';

interface ActionBase<Data> {
  /** Without dots: `group.action` is how actions are called. */
  readonly name: string;
  readonly description?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly destructive?: boolean | undefined;
  readonly idempotent?: boolean | undefined;
  /** Innermost, closest to the handler. */
  readonly middleware?: readonly Middleware<Data>[] | undefined;
}

/** A function. It receives validated arguments and may return an Outcome, a text, or any JSON value. */
export interface NativeAction<Schema extends z.ZodObject = z.ZodObject, Common = unknown, Data = unknown>
  extends ActionBase<Data> {
  readonly schema?: Schema | undefined;
  readonly handler: (context: ExecutionContext<Data>, args: z.output<Schema> & Common) => unknown;
  readonly operation?: never;
}

/** A REST operation, with its own schema, guard and error messages. */
export interface RestAction<Data = unknown> extends ActionBase<Data> {
  readonly operation: Operation;
  readonly schema?: never;
  readonly handler?: never;
}

export type AnyAction = NativeAction<z.ZodObject, never> | RestAction;

/** An action and its place in the tool. */
export interface PlacedAction {
  /** `list`, or `users.list` inside a group. */
  readonly key: string;
  readonly definition: AnyAction;
  readonly group?: { readonly name: string; readonly description?: string | undefined } | undefined;
  readonly groupMiddleware: readonly Middleware[];
}

/** Many operations share one tool, so each is described briefly. The enforced schema keeps everything. */
const SLIM = { maxText: 66, oneSentence: true, examples: false, limits: false } as const;
const MAX_DEPTH = 2;
/** If the schema of a field has more characters, only the names of its properties are shown. */
const MAX_FIELD = 240;

export interface RestFields extends SharedFields {
  /** Public name → argument of the endpoint, for arguments that had the name of the discriminator. */
  readonly renamed: ReadonlyMap<string, string>;
  readonly open: boolean;
}

export function advertiseOperation(operation: Operation, discriminator: string, detail: 'full' | 'slim'): RestFields {
  const schema = buildOperationSchema(operation, detail === 'full' ? {} : { maxDepth: MAX_DEPTH, slim: SLIM });
  const { properties, required = [] } = schema;
  const isLong = (field: JsonSchema) => detail === 'slim' && JSON.stringify(field).length > MAX_FIELD;
  const shallow = Object.values(properties).some(isLong)
    ? buildOperationSchema(operation, { maxDepth: 1, slim: SLIM }).properties
    : {};
  const alias = aliasFor(discriminator, properties);
  const toPublic = (name: string) => (name === discriminator ? alias : name);
  return {
    fields: Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [
        toPublic(name),
        isLong(field) ? (shallow[name] ?? field) : field,
      ]),
    ),
    required: required.map(toPublic),
    open: schema.additionalProperties,
    renamed: new Map(alias === discriminator ? [] : [[alias, discriminator]]),
  };
}

/** What an argument with the discriminator's name is called in a grouped tool. */
export function aliasFor(discriminator: string, properties: Readonly<Record<string, unknown>>): string {
  let alias = discriminator;
  while (Object.hasOwn(properties, alias)) alias += '_';
  return alias;
}

/** An operation that is called with the arguments of its tool. */
export interface BoundOperation {
  readonly handler: Handler;
  /**
   * Checks its arguments before middleware sees them. `handler` checks again, and it alone decides what is sent:
   * middleware may have changed the arguments since.
   */
  readonly createCheck: () => Validator;
}

/** Restores renamed arguments, and leaves out the fields of the tool's common schema. */
export function bindOperation(
  operation: Operation,
  aliases: ReadonlyMap<string, string>,
  common: readonly string[],
): BoundOperation {
  const { endpoint, controls } = operation;
  const own = new Set([...endpoint.args.map((arg) => arg.key), ...Object.keys(controls)]);
  const foreign = new Set(common.filter((key) => !own.has(key)));
  const toOwn = (args: Args): Args => {
    if (aliases.size === 0 && foreign.size === 0) return args;
    const ours = Object.entries(args).filter(([key]) => !foreign.has(key));
    return Object.fromEntries(ours.map(([key, value]) => [aliases.get(key) ?? key, value]));
  };
  const runRenamed: Handler = async (context, args) => {
    try {
      return await operation.run(context, toOwn(args));
    } catch (error) {
      throw withPublicNames(error, aliases);
    }
  };
  return {
    handler: aliases.size === 0 ? (context, args) => operation.run(context, toOwn(args)) : runRenamed,
    createCheck: () => {
      const validate = createValidator(endpoint);
      return (tool, args) => {
        const entries = Object.entries(toOwn(args)).filter(([key]) => !Object.hasOwn(controls, key));
        validate(tool, Object.fromEntries(entries));
        return args;
      };
    },
  };
}

/** The operation's refusal names arguments as the API does; this restores the names they have in the tool. */
function withPublicNames(error: unknown, aliases: ReadonlyMap<string, string>): unknown {
  if (!(error instanceof GatewayError) || error.code !== 'VALIDATION') return error;
  const lines = [...aliases].map(([alias, name]) => `In this tool the argument \`${name}\` is called \`${alias}\`.`);
  return new GatewayError(error.code, [error.message, ...lines].join('\n'), { ...error.details }, error);
}
