// A REST operation as one action of a grouped tool: what is advertised of it, and how a call reaches it.

import type { Handler } from '../../call/handler.ts';
import type { Args, JsonSchema } from '../../endpoint/model.ts';
import type { Operation } from '../../orchestration/operation.ts';
import { createValidator, type Validator } from '../../schema/check/validator.ts';
import { buildOperationSchema } from '../operation-schema.ts';
import type { SharedFields } from './grouped-schema.ts';

/** Many operations share one tool, so each is told briefly; the enforced schema keeps everything. */
const SLIM = { maxText: 66, oneSentence: true, examples: false, limits: false } as const;
const MAX_DEPTH = 2;
/** A field that takes more characters than this to tell is told by the names of its parts. */
const MAX_FIELD = 240;

export interface RestFields extends SharedFields {
  /** Public name → argument of the endpoint, where the discriminator took its name. */
  readonly renamed: ReadonlyMap<string, string>;
}

export function advertiseOperation(operation: Operation, discriminator: string): RestFields {
  const schema = buildOperationSchema(operation, { maxDepth: MAX_DEPTH, slim: SLIM });
  const isLong = (field: JsonSchema) => JSON.stringify(field).length > MAX_FIELD;
  const shallow = Object.values(schema.properties).some(isLong)
    ? buildOperationSchema(operation, { maxDepth: 1, slim: SLIM }).properties
    : {};
  const renamed = new Map<string, string>();
  const names = new Set(Object.keys(schema.properties));
  const rename = (name: string) => {
    if (name !== discriminator) return name;
    let free = `${name}_`;
    while (names.has(free)) free += '_';
    renamed.set(free, name);
    return free;
  };
  const fields = Object.entries(schema.properties).map(([name, field]): [string, JsonSchema] => [
    rename(name),
    isLong(field) ? (shallow[name] ?? field) : field,
  ]);
  const required = (schema.required ?? []).map((name) => {
    const alias = [...renamed].find(([, original]) => original === name);
    return alias ? alias[0] : name;
  });
  return { fields: Object.fromEntries(fields), required, renamed };
}

/** Runs the operation with its own arguments: names restored, fields of the tool's common schema left out. */
export function callOperation(
  operation: Operation,
  renamed: ReadonlyMap<string, string>,
  common: ReadonlySet<string>,
): Handler {
  const toOwn = ownArguments(operation, renamed, common);
  return (context, args) => operation.run(context, toOwn(args));
}

/**
 * Checks an operation's arguments before middleware sees them. `run` checks again, and it alone decides what is sent:
 * middleware may have changed the arguments since.
 */
export function checkOperation(
  operation: Operation,
  renamed: ReadonlyMap<string, string>,
  common: ReadonlySet<string>,
): Validator {
  const validate = createValidator(operation.endpoint);
  const toOwn = ownArguments(operation, renamed, common);
  return (tool, args) => {
    const own = toOwn(args);
    validate(
      tool,
      omit(own, (key) => Object.hasOwn(operation.controls, key)),
    );
    return args;
  };
}

function ownArguments(operation: Operation, renamed: ReadonlyMap<string, string>, common: ReadonlySet<string>) {
  const own = new Set([...operation.endpoint.args.map((arg) => arg.key), ...Object.keys(operation.controls)]);
  const foreign = [...common].filter((key) => !own.has(key));
  if (renamed.size === 0 && foreign.length === 0) return (args: Args) => args;
  return (args: Args): Args => {
    const ours = omit(args, (key) => foreign.includes(key));
    return Object.fromEntries(Object.entries(ours).map(([key, value]) => [renamed.get(key) ?? key, value]));
  };
}

function omit(args: Args, drop: (key: string) => boolean): Args {
  return Object.fromEntries(Object.entries(args).filter(([key]) => !drop(key)));
}
