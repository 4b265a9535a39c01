// Validates arguments strictly. A schema is compiled when its first call arrives. A call that fits costs one compiled function. Only a
// call that does not fit pays for a second reading of its values and for an explanation.
import { overwrites } from '../../endpoint/conventions/effect.ts';
import { isObject } from '../../endpoint/is-object.ts';
import type { Args, Endpoint, JsonSchema, Parsed } from '../../endpoint/model.ts';
import { toOneLine } from '../../endpoint/plain-text.ts';
import { GatewayError } from '../../errors.ts';
import { explain } from '../explain/explain-errors.ts';
import { isRequiredOnly } from '../explain/explain-unions.ts';
import { type ArgumentProblem, MAX_PROBLEMS, refusal } from '../explain/refusal.ts';
import { showName } from '../explain/show.ts';
import { COMPOSITIONS, DEFINITION_KEYWORDS, OPENINGS } from '../keywords.ts';
import { memoizeByObject } from '../memoize.ts';
import { declaredNames, deref, type SchemaObject, schemasOf } from '../references.ts';
import { type BoundsVerdict, forbiddenKey, MAX_DEPTH, MAX_KEYS, MAX_VALUES, withinBounds } from './bounds.ts';
import { BUDGET_EXCEEDED, Budget } from './budget.ts';
import { coerce, type Reading, withLongIntegers } from './coerce.ts';
import { createCheck, type SchemaCheck } from './compile-schema.ts';
import { ValidatorCache } from './validator-cache.ts';

/** Returns the arguments to use, or throws VALIDATION. `budget`: for callers that use more of it afterwards. */
export type Validator = (tool: string, args: Args, budget?: Budget) => Args;

export interface ValidatorOptions {
  /** Runs after the schema has accepted the arguments; its result replaces them. */
  readonly parse?: ((args: Args) => Parsed) | undefined;
  /** Refuse undeclared names, even if the schema itself does not forbid them. Default true. */
  readonly strict?: boolean;
  /** Integers beyond 2^53, given as text, become bigints. Default false: only the code of this gateway expects bigints. */
  readonly longIntegers?: boolean;
  /** A missing required value that may be null becomes null. Default true; see `fillsNull`. */
  readonly fillsNull?: boolean;
}

const cache = new ValidatorCache();

/** The validator of an endpoint. */
export function createValidator(endpoint: Endpoint): Validator {
  return build(() => endpoint.inputSchema, optionsOf(endpoint));
}

export function optionsOf(endpoint: Endpoint): ValidatorOptions {
  return { parse: endpoint.parse, longIntegers: endpoint.parse === undefined, fillsNull: fillsNull(endpoint) };
}

/**
 * When something is created, a missing value that may be null becomes null, because some clients leave out null values. When values
 * are replaced (PUT, PATCH, a POST that updates), the caller may have forgotten the value, and null would erase the existing one.
 * There the value must be given, and the refusal explains it.
 */
function fillsNull(endpoint: Endpoint): boolean {
  return !overwrites(endpoint);
}

/** The same for a bare schema, for native tools and grouped builders. */
export function createSchemaValidator(schema: JsonSchema, options: ValidatorOptions = {}): Validator {
  return build(() => schema, options);
}

function build(source: () => JsonSchema, options: ValidatorOptions): Validator {
  const { parse, strict = true, longIntegers = false, fillsNull = true } = options;
  const schema = (): JsonSchema => (strict ? toStrictSchema(source()) : source());
  const findCheck = cache.add(schema);
  return (tool, args, budget = new Budget()) => {
    refuseUnusable(tool, args, schema, budget);
    const reading = accept(tool, args, findCheck, schema, { longIntegers, fillsNull }, budget);
    return parse === undefined ? reading : parsed(tool, schema, parse(reading));
  };
}

/**
 * The schema as it is enforced: an undeclared name is an error and is never dropped silently. If the schema has no rule about other
 * names, none are accepted: through `additionalProperties` or, if parts of it may declare names as well, `unevaluatedProperties`.
 * A schema that is explicitly open, or declares nothing at all, stays open.
 */
function toStrictSchema(schema: JsonSchema): JsonSchema {
  return isObject(schema) ? closeSchema(schema) : schema;
}

// Memoized also because facts about a schema (its types, its names) are cached by its object.
const closeSchema = memoizeByObject((schema: SchemaObject): SchemaObject => {
  const whole = withFieldSets(schema);
  if (OPENINGS.some((keyword) => Object.hasOwn(whole, keyword))) return whole;
  if (!COMPOSITIONS.some((keyword) => Object.hasOwn(whole, keyword)))
    return isObject(whole.properties) ? { ...whole, additionalProperties: false } : whole;
  return declaredNames(whole, whole).size > 0 ? { ...whole, unevaluatedProperties: false } : whole;
});

/** `oneOf` of nothing but required names means at least one of these sets: giving more than one is no contradiction. */
function withFieldSets(schema: SchemaObject): SchemaObject {
  const branches = schemasOf(schema.oneOf);
  if (branches.length === 0 || schema.anyOf !== undefined) return schema;
  if (!branches.every((branch) => isRequiredOnly(deref(schema, branch)))) return schema;
  const { oneOf, ...rest } = schema;
  return { ...rest, anyOf: oneOf };
}

/** How a call that does not fit may be read. */
interface ReadingOptions {
  readonly longIntegers: boolean;
  readonly fillsNull: boolean;
}

function accept(
  tool: string,
  args: Args,
  findCheck: () => SchemaCheck,
  schema: () => JsonSchema,
  options: ReadingOptions,
  budget: Budget,
): Args {
  const { holdsRounded } = budget;
  try {
    const check = findCheck();
    const reading = check(args, budget) ? undefined : reconsider(tool, args, schema(), check, options, budget);
    if (holdsRounded) refuseRounded(tool, reading?.args ?? args, schema(), budget);
    return reading === undefined ? args : withLongIntegers(reading);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    if (error !== BUDGET_EXCEEDED) throw brokenSchema(tool, error);
    throw refusal(tool, schema(), [limit('checking these arguments takes too long; send fewer nested values')]);
  }
}

/** A schema that does not compile, not even repaired. */
function brokenSchema(tool: string, cause: unknown): GatewayError {
  const why = cause instanceof Error ? toOneLine(cause.message).slice(0, 200) : String(cause);
  return new GatewayError(
    'VALIDATION',
    `${tool} cannot be called: the schema of its arguments is broken (${why}). Nothing was sent, and other arguments will not help: the API description has to be corrected.`,
    { tool, errors: [limit(why)], required: [] },
    cause,
  );
}

const OUT_OF_BOUNDS: Readonly<Record<Exclude<BoundsVerdict, 'ok'>, string>> = {
  too_deep: `arguments are nested deeper than ${MAX_DEPTH} levels; flatten them`,
  too_many: `arguments hold more than ${MAX_VALUES} values; split them over several calls`,
  too_wide: `arguments hold an object of more than ${MAX_KEYS} fields; split them over several calls`,
};

/** Refuses arguments that must not reach any schema. */
function refuseUnusable(tool: string, args: Args, schema: () => JsonSchema, budget: Budget): void {
  if (!isObject(args)) {
    throw refusal(tool, schema(), [
      limit(
        `arguments must be one JSON object; got ${args === null ? 'null' : Array.isArray(args) ? 'an array' : typeof args}`,
      ),
    ]);
  }
  const verdict = withinBounds(args, budget);
  if (verdict !== 'ok') throw refusal(tool, schema(), [limit(OUT_OF_BOUNDS[verdict])]);
  const forbidden = forbiddenKey(args);
  // An API may have an argument called `constructor`, but never `__proto__`.
  if (forbidden !== undefined && (forbidden === '__proto__' || !declares(schema(), forbidden))) {
    throw refusal(tool, schema(), [
      { path: forbidden, problem: 'forbidden', message: `${showName(forbidden)} is never an argument; remove it` },
    ]);
  }
}

function limit(message: string): ArgumentProblem {
  return { path: '', problem: 'limit', message };
}

function declares(schema: JsonSchema, key: string): boolean {
  return isObject(schema) && isObject(schema.properties) && Object.hasOwn(schema.properties, key);
}

/** The arguments in another reading, if that fits; otherwise throws the refusal. */
function reconsider(
  tool: string,
  args: Args,
  schema: JsonSchema,
  check: SchemaCheck,
  options: ReadingOptions,
  budget: Budget,
): Reading {
  budget.payFrom('read');
  const reading = coerce(schema, args, budget, options.fillsNull);
  budget.payFrom('check');
  const usable = options.longIntegers || reading.long.length === 0;
  if (usable && reading.args !== args && check(reading.args, budget)) return reading;
  budget.payFrom('explain');
  // The replacement for a long integer must not be shown as the caller's value.
  const value = reading.long.length === 0 ? reading.args : args;
  const problems = explain(schema, value, { budget, max: MAX_PROBLEMS + 1 });
  if (problems.length > 0) throw refusal(tool, schema, problems);
  throw refusal(tool, schema, [
    limit('the arguments do not match the schema, but there are too many values to say where; send fewer values'),
  ]);
}

/** An id that lost its last digits would identify something else. */
function refuseRounded(tool: string, args: Args, schema: JsonSchema, budget: Budget): void {
  budget.payFrom('read');
  const problems = explain(schema, args, { budget, max: MAX_PROBLEMS + 1, exact: true });
  if (problems.length > 0) throw refusal(tool, schema, problems);
}

function parsed(tool: string, schema: () => JsonSchema, result: Parsed): Args {
  if (result.ok) return result.args;
  const problems = result.problems.map(
    (text): ArgumentProblem => ({ path: '', problem: 'rule', message: toOneLine(text) }),
  );
  throw refusal(tool, schema(), problems.length > 0 ? problems : [limit('the arguments were refused')]);
}

/**
 * For values that are not arguments of a call (a default, a fixed value, a setting of a domain file): what is wrong with one, as the
 * end of a sentence (`must be integer; got string "a"`). Undefined when it fits, or when the schema cannot be used. Definitions are
 * those of `root`.
 */
export function explainMisfit(value: unknown, schema: JsonSchema, root: JsonSchema = schema): string | undefined {
  const whole = withDefinitions(schema, root);
  const budget = new Budget();
  try {
    if (createCheck(whole)(value, budget)) return undefined;
    const [problem] = explain(whole, value, { budget, max: 1, subject: '' });
    return problem?.message ?? 'does not fit its schema';
  } catch (error) {
    return error === BUDGET_EXCEEDED ? 'takes too long to be checked; simplify it' : undefined;
  }
}

function withDefinitions(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (!isObject(schema) || !isObject(root)) return schema;
  const definitions = [...DEFINITION_KEYWORDS].filter((keyword) => Object.hasOwn(root, keyword));
  return { ...Object.fromEntries(definitions.map((keyword) => [keyword, root[keyword]])), ...schema };
}
