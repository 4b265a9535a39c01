// Turns parameters and body fields into the flat list of public arguments. Every argument has a key that all clients accept, and
// exactly one place in the request.
import type { Arg, FixedValue, Target } from '../endpoint/model.ts';
import { fitName, MAX_ARGUMENT_KEY, toArgumentKey, toSnakeCase } from '../endpoint/names.ts';
import type { Parameter } from './objects/parameter.ts';
import type { BodyDraft } from './objects/request-body.ts';
import { type ArgumentExtension, argumentExtension } from './objects/x-mcp.ts';
import type { DocumentPlace } from './source/resolve.ts';

/** Where an argument's schema comes from; the schema is built on demand. */
export type ArgumentOrigin =
  | { readonly kind: 'parameter'; readonly parameter: Parameter }
  | {
      readonly kind: 'field';
      readonly schemas: readonly DocumentPlace[];
      readonly file: boolean;
      readonly readOnly: boolean;
    }
  | { readonly kind: 'rest'; readonly schema: DocumentPlace | 'anything'; readonly names: readonly string[] }
  | { readonly kind: 'whole'; readonly body: BodyDraft };

export interface Argument {
  readonly key: string;
  readonly wireName: string;
  readonly location: Parameter['in'] | 'body';
  /** As declared in the document. A required field of an optional body is only needed if the body is sent. */
  readonly required: boolean;
  readonly to: readonly Target[];
  readonly origin: ArgumentOrigin;
  readonly extension: ArgumentExtension;
}

export interface FlatArguments {
  readonly arguments: readonly Argument[];
  readonly args: readonly Arg[];
  readonly fixed: readonly FixedValue[];
  /** Targets of arguments that the document hides, or that are credentials. */
  readonly withheld: readonly Target[];
  /** Arguments that the document hides but also requires, without giving a value. They are offered anyway. */
  readonly hiddenButRequired: readonly string[];
}

/** Models expect `id` to be the one in the path, so a body field with the same name gets another key. */
const PRECEDENCE: readonly Argument['location'][] = ['path', 'query', 'querystring', 'header', 'cookie', 'body'];
const NO_EXTENSION: ArgumentExtension = Object.freeze({});

/** readOnly fields that are accepted; each operation has an argument for every one of them. */
const MAX_READ_ONLY = 400;

/** A shared parameter is one argument of all operations that use it. */
const sharedArguments = new WeakMap<Parameter, Argument>();

/** `keys`: fields of the body that are credentials. */
export function planArguments(
  parameters: readonly Parameter[],
  body: BodyDraft | undefined,
  keys: readonly { readonly field: string }[] = [],
): FlatArguments {
  const fixed: FixedValue[] = [];
  const withheld: Target[] = [];
  const hiddenButRequired: string[] = [];
  const drafts: Argument[] = [];
  const isKey = ({ location, wireName }: Argument) =>
    location === 'body' && keys.some(({ field }) => field === wireName);
  for (const argument of [...parameters.map(parameterArgument), ...(body ? bodyArguments(body) : [])]) {
    const { extension, required, to } = argument;
    if (keys.length > 0 && isKey(argument)) withheld.push(...to);
    else if (extension.fixed !== undefined)
      for (const target of to) fixed.push({ value: extension.fixed.value, to: target });
    else if (extension.hidden && !required) withheld.push(...to);
    else {
      if (extension.hidden) hiddenButRequired.push(argument.wireName);
      drafts.push(argument);
    }
  }
  if (body?.constant !== undefined) fixed.push({ value: body.constant, to: { in: 'body-root' } });

  const publicKeys = chooseKeys(drafts);
  const list = drafts.map((argument, index) => {
    const key = publicKeys[index]!;
    return key === argument.key ? argument : { ...argument, key };
  });
  const args = list.map((argument): Arg => {
    const { key, to } = argument;
    const arg = { key, required: isRequired(argument, body), to };
    return isReadOnlyArgument(argument) ? { ...arg, readOnly: true } : arg;
  });
  return { arguments: list, fixed, args, withheld, hiddenButRequired };
}

/** Whether every call must have it. The required fields of an optional body are only required together. */
export function isRequired({ required, location }: Argument, body: BodyDraft | undefined): boolean {
  return required && !(location === 'body' && body?.plan.required === false);
}

/** Whether a field is accepted but not offered. */
export function isReadOnlyArgument({ origin }: Argument): boolean {
  return origin.kind === 'field' && origin.readOnly;
}

function parameterArgument(parameter: Parameter): Argument {
  let argument = sharedArguments.get(parameter);
  if (!argument) {
    const { name, in: location, required, target, object, schema } = parameter;
    const extension = argumentExtension(object, required ? schema.value : undefined);
    const key = bareKey(name, location, extension);
    const origin: ArgumentOrigin = { kind: 'parameter', parameter };
    argument = { key, location, wireName: name, required, to: [target], origin, extension };
    sharedArguments.set(parameter, argument);
  }
  return argument;
}

function bodyArguments(body: BodyDraft): Argument[] {
  const { plan, whole, shape } = body;
  if (whole) return [bodyArgument(whole.key, whole.key, plan.required, { kind: 'whole', body })];
  const readOnlyFields = new Set(shape?.readOnlyFields?.slice(0, MAX_READ_ONLY));
  const fields = [...body.fields, ...readOnlyFields].map((field): Argument => {
    const { name, required, schemas } = field;
    const extension = argumentExtension(schemas[0]?.value, required ? schemas[0]?.value : undefined);
    return {
      key: bareKey(name, 'body', extension),
      location: 'body',
      wireName: name,
      required,
      to: [{ in: 'body', at: [name] }],
      origin: {
        kind: 'field',
        schemas,
        file: plan.encoding?.[name]?.file === true,
        readOnly: readOnlyFields.has(field),
      },
      extension,
    };
  });
  const { rest: schema, names = [] } = shape ?? {};
  // Fields that the document allows without naming them are merged into the body.
  if (schema !== undefined) fields.push(bodyArgument('additional_fields', '*', false, { kind: 'rest', schema, names }));
  return fields;
}

/** An argument that is merged into the body, or is all of it. */
function bodyArgument(key: string, wireName: string, required: boolean, origin: ArgumentOrigin): Argument {
  return { key, wireName, location: 'body', required, to: [{ in: 'body-root' }], origin, extension: NO_EXTENSION };
}

/** The keys, in the order of the arguments. Precedence decides which argument keeps a plain name, order which one gets a number. */
function chooseKeys(drafts: readonly Argument[]): string[] {
  const keys = drafts.map((argument) => argument.key);
  const keysInUse = new Set(keys);
  if (keysInUse.size === keys.length) return keys;
  const holders = new Map<string, number>();
  const order = drafts.map((_, index) => index).sort((a, b) => rank(drafts[a]!) - rank(drafts[b]!) || a - b);
  for (const index of order) if (!holders.has(keys[index]!)) holders.set(keys[index]!, index);
  const result = [...keys];
  for (const index of order) {
    const bare = keys[index]!;
    const argument = drafts[index]!;
    const holder = drafts[holders.get(bare)!]!;
    if (holder === argument) continue;
    const distinct = holder.location === argument.location ? bare : besideKey(argument, holder);
    result[index] = freeKey(distinct, keysInUse);
    keysInUse.add(result[index]!);
  }
  return result;
}

function rank(argument: Argument): number {
  const { location, wireName, origin } = argument;
  // Hidden arguments never take a key from visible ones.
  if (isReadOnlyArgument(argument)) return Number.MAX_SAFE_INTEGER;
  // Models expect a whole body to be called `body`, so it keeps that key against all others.
  if (origin.kind === 'whole' && wireName === 'body') return -1;
  // With equal precedence, a name that is already a valid key stays unchanged.
  return PRECEDENCE.indexOf(location) * 2 + (toArgumentKey(wireName, '') === wireName ? 0 : 1);
}

function bareKey(wireName: string, location: Argument['location'], extension: ArgumentExtension): string {
  if (extension.name !== undefined) return toArgumentKey(extension.name, 'argument');
  const key = toArgumentKey(wireName, location === 'body' ? 'field' : `${location}_value`);
  // Header names are case-insensitive: `X-Request-Id` reads best as x_request_id.
  return location === 'header' && key !== wireName ? fitName(toSnakeCase(wireName) || key, MAX_ARGUMENT_KEY) : key;
}

/** `body_<name>` for a body field, `<name>_<in>` for a parameter, `body_field` if another argument is the whole body. */
function besideKey({ location, key }: Argument, holder: Argument): string {
  if (holder.origin.kind === 'whole') return 'body_field';
  return location === 'body' ? `body_${key}` : `${key}_${location}`;
}

function freeKey(name: string, keysInUse: ReadonlySet<string>): string {
  const key = fitName(name, MAX_ARGUMENT_KEY);
  if (!keysInUse.has(key)) return key;
  for (let number = 2; ; number++) {
    const suffix = `_${number}`;
    const candidate = fitName(name, MAX_ARGUMENT_KEY - suffix.length) + suffix;
    if (!keysInUse.has(candidate)) return candidate;
  }
}
