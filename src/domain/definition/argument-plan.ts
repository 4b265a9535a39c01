// The arguments of a hand-written endpoint, however they were written (zod object, object of zod types, object of JSON
// Schemas, one JSON Schema), as one enforced schema, a parse function and the placements that were given with them.
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { FILE_SCHEMA } from '../../endpoint/conventions/file-types.ts';
import { isObject } from '../../endpoint/is-object.ts';
import type { Args, JsonSchema, Parsed } from '../../endpoint/model.ts';
import { ARGUMENT_KEY } from '../../endpoint/names.ts';
import { formatFieldPath, type Problem, toProblems } from '../../endpoint/problems.ts';
import { GatewayError } from '../../errors.ts';
import { createSchemaValidator } from '../../schema/check/validator.ts';
import { setOwn } from '../../schema/keywords.ts';
import { checkSchema, toCurrentSchema } from './argument-schema.ts';
import { fillDefaults } from './argument-values.ts';
import type { EndpointDefinition, Placement } from './definition-types.ts';
import { PLACEMENT_KEYS, placement } from './shape/placement-schema.ts';

type Node = Record<string, unknown>;
type Path = readonly (string | number)[];

export interface DefinedArguments {
  /** type object, additionalProperties false. */
  readonly schema: Node;
  /** In order of appearance. */
  readonly properties: ReadonlyMap<string, JsonSchema>;
  readonly required: ReadonlySet<string>;
  /** Has a default, so a value is always present. */
  readonly defaulted: ReadonlySet<string>;
  readonly placements: ReadonlyMap<string, Placement>;
  readonly parse?: (args: Args) => Parsed;
}

/** State shared by the readers of all ways to write arguments. */
interface Reading {
  readonly placements: Map<string, Placement>;
  readonly path: Path;
  readonly problems: Problem[];
}

const NO_ARGUMENTS: Node = { type: 'object', properties: {} };

/** Reads the arguments of one endpoint; problems are collected, never thrown. */
export function readArguments(definition: EndpointDefinition, at: Path, problems: Problem[]): DefinedArguments {
  const placements = new Map<string, Placement>();
  for (const [key, placement] of Object.entries(definition.place ?? {}))
    placements.set(key, typeof placement === 'string' ? { in: placement } : placement);

  const { args, inputSchema } = definition;
  if (args !== undefined && inputSchema !== undefined) {
    problems.push({ path: [...at, 'inputSchema'], message: 'give args or inputSchema, not both' });
  }
  if (inputSchema !== undefined) return fromSchema(inputSchema, { placements, path: [...at, 'inputSchema'], problems });
  if (args === undefined) return finish(NO_ARGUMENTS, { placements, path: at, problems });
  const reading = { placements, path: [...at, 'args'], problems };
  if (isZod(args)) return fromZod(args, reading);
  if (!Object.values(args).some(isZod)) return fromMap(args as Node, reading);
  for (const [key, value] of Object.entries(args)) {
    const message = 'must be a zod type, like the other arguments';
    if (!isZod(value)) problems.push({ path: [...reading.path, key], message });
  }
  return fromZod(z.strictObject(args as Record<string, z.ZodType>), reading);
}

function isZod(value: unknown): value is z.ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value;
}

function fromZod(type: z.ZodType, reading: Reading): DefinedArguments {
  const { path, problems } = reading;
  let schema: Node;
  try {
    schema = withoutNoise(z.toJSONSchema(type, { io: 'input' })) as Node;
  } catch (error) {
    const message = `cannot be described to a client: ${(error as Error).message}; use types that exist in JSON`;
    problems.push({ path, message });
    return finish(NO_ARGUMENTS, reading);
  }
  return {
    ...finish(schema, reading),
    parse: (args) => {
      const result = runZod(type, args, path);
      if (result.success) return { ok: true, args: result.data as Args };
      return { ok: false, problems: toProblems(result.error.issues).map(toSentence) };
    },
  };
}

/** A refinement that throws, or that is asynchronous, is a fault of the file and not of the arguments. */
function runZod(type: z.ZodType, args: Args, path: Path): z.ZodSafeParseResult<unknown> {
  try {
    return type.safeParse(args, { reportInput: true });
  } catch (error) {
    const reason = isAsyncError(error) ? 'it is asynchronous, which is not possible' : String(error);
    const message = `A check of the domain file (${formatFieldPath(path)}) failed: ${reason}.`;
    throw new GatewayError('HANDLER_FAILED', message, {}, error);
  }
}

/** By its name: a file may have another copy of zod than the gateway. */
function isAsyncError(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === '$ZodAsyncError';
}

function toSentence(problem: Problem): string {
  if (problem.path.length === 0) return problem.message;
  return `\`${formatFieldPath(problem.path)}\`${/^[A-Z]/.test(problem.message) ? ':' : ''} ${problem.message}`;
}

/** zod writes the safe-integer range into every integer and a pattern for every format; neither is of use to a model. */
function withoutNoise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNoise);
  if (!isObject(value)) return value;
  const out: Node = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$schema' && typeof inner === 'string') continue;
    if (key === 'maximum' && inner === Number.MAX_SAFE_INTEGER) continue;
    if (key === 'minimum' && inner === Number.MIN_SAFE_INTEGER) continue;
    if (key === 'pattern' && typeof inner === 'string' && typeof value.format === 'string') continue;
    setOwn(out, key, withoutNoise(inner));
  }
  return out;
}

/** `args:` of a YAML file: each argument is a JSON Schema with its placement and `required: true` beside it. */
function fromMap(args: Node, reading: Reading): DefinedArguments {
  const { placements, path, problems } = reading;
  if (args.type === 'object' && isObject(args.properties)) {
    problems.push({ path, message: 'is a whole JSON Schema; call the key inputSchema instead of args' });
    return finish(NO_ARGUMENTS, reading);
  }
  const properties: Node = {};
  const required: string[] = [];
  for (const [key, declaration] of Object.entries(args)) {
    if (!isObject(declaration)) {
      const message = `must be an object, such as { type: string }; got ${JSON.stringify(declaration)}`;
      problems.push({ path: [...path, key], message });
      continue;
    }
    const schema: Node = {};
    const beside: Node = {};
    for (const [word, value] of Object.entries(declaration)) {
      if (word === 'required' && !Array.isArray(value)) {
        if (value !== false) required.push(key);
        const message = `must be true or false, without quotes; got ${JSON.stringify(value)}`;
        if (typeof value !== 'boolean') problems.push({ path: [...path, key, word], message });
      } else if (PLACEMENT_KEYS.has(word)) beside[word] = value;
      else setOwn(schema, word, value);
    }
    const result = placement.safeParse(beside, { reportInput: true });
    if (!result.success) {
      for (const problem of toProblems(result.error.issues)) {
        problems.push({ path: [...path, key, ...problem.path], message: problem.message });
      }
    } else if (Object.keys(beside).length > 0) placements.set(key, { ...placements.get(key), ...result.data });
    const slips = checkSchema(schema, [...path, key]);
    problems.push(...slips);
    const current = slips.length > 0 ? {} : (toCurrentSchema(schema) as Node);
    setOwn(properties, key, beside.file === true ? { ...(FILE_SCHEMA as Node), ...current } : current);
  }
  return withDefaults(finish({ type: 'object', properties, required }, reading));
}

function fromSchema(declaration: JsonSchema, reading: Reading): DefinedArguments {
  const slips = checkSchema(declaration, reading.path);
  reading.problems.push(...slips);
  const schema = slips.length > 0 || !isObject(declaration) ? {} : (toCurrentSchema(declaration) as Node);
  return withDefaults(finish(schema, reading));
}

function withDefaults(plan: DefinedArguments): DefinedArguments {
  return { ...plan, ...fillDefaults(defaultsOf(plan), undefined) };
}

export function defaultsOf({ defaulted, properties }: DefinedArguments): ReadonlyMap<string, unknown> {
  return new Map([...defaulted].map((key) => [key, (properties.get(key) as Node).default]));
}

function finish(schema: Node, { placements, path, problems }: Reading): DefinedArguments {
  const branches = [schema.oneOf, schema.anyOf].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []));
  if (schema.type !== undefined && schema.type !== 'object') {
    problems.push({ path, message: `must describe an object of arguments; got type ${JSON.stringify(schema.type)}` });
  }
  const open = schema.additionalProperties;
  if (open !== undefined && open !== false) {
    problems.push({
      path,
      message: 'must name every argument: the gateway cannot place an undeclared one in the request',
    });
  }
  const properties = new Map<string, JsonSchema>();
  for (const [key, inner] of Object.entries(isObject(schema.properties) ? schema.properties : {}))
    properties.set(key, inner as JsonSchema);
  collectBranches(branches, properties);
  const required = new Set<string>(Array.isArray(schema.required) ? (schema.required as string[]) : []);
  for (const key of properties.keys()) {
    const message =
      'is not a usable argument name (letters, digits and _, at most 64); rename it and give the real one as its wire name';
    if (!ARGUMENT_KEY.test(key)) problems.push({ path: [...path, key], message });
  }
  for (const key of required) {
    if (!properties.has(key)) problems.push({ path, message: `requires "${key}", which is not among its properties` });
  }
  const whole: Node = {
    ...schema,
    type: 'object',
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
  if (required.size === 0) delete whole.required;
  else whole.required = [...required];
  const defaultKeys = new Set(
    [...properties].filter(([, inner]) => isObject(inner) && 'default' in inner).map(([key]) => key),
  );
  for (const key of defaultKeys) problems.push(...checkDefault(key, whole, path));
  return { schema: whole, properties, required, defaulted: defaultKeys, placements };
}

/** A default is sent like an argument, so the schema must accept it without conversion. */
function checkDefault(key: string, { $defs, properties }: Node, path: Path): Problem[] {
  const property = (properties as Node)[key] as Node;
  const schema: Node = { type: 'object', properties: { [key]: property }, ...($defs === undefined ? {} : { $defs }) };
  const args = { [key]: property.default };
  const at = [...path, key, 'default'];
  try {
    const value = createSchemaValidator(schema)(key, args)[key];
    if (isDeepStrictEqual(value, property.default)) return [];
    return [{ path: at, message: `must be written as ${JSON.stringify(value)}` }];
  } catch (error) {
    const [first] = ((error as GatewayError).details?.errors ?? []) as { message: string }[];
    return [{ path: at, message: `is refused: ${first?.message ?? (error as Error).message}` }];
  }
}

/** A union at the root (zod discriminated unions): every branch's properties are arguments, and stay checked per branch. */
function collectBranches(branches: readonly Node[], properties: Map<string, JsonSchema>): void {
  const byKey = new Map<string, JsonSchema[]>();
  for (const branch of branches) {
    for (const [key, inner] of Object.entries(isObject(branch.properties) ? branch.properties : {})) {
      if (properties.has(key)) continue;
      const list = byKey.get(key) ?? [];
      if (!list.some((other) => JSON.stringify(other) === JSON.stringify(inner))) list.push(inner as JsonSchema);
      byKey.set(key, list);
    }
  }
  for (const [key, list] of byKey) properties.set(key, list.length === 1 ? list[0]! : { anyOf: list });
}
