// Strict arguments. A schema is compiled when its first call arrives; a call that fits costs one compiled function and
// no allocation. Only a call that does not fit pays for a second reading of its values and for an explanation.
import { overwrites } from '../../endpoint/conventions/effect.ts';
import { isObject } from '../../endpoint/is-object.ts';
import type { Args, Endpoint, JsonSchema, Parsed } from '../../endpoint/model.ts';
import { toOneLine } from '../../endpoint/plain-text.ts';
import { GatewayError } from '../../errors.ts';
import type { Problem } from '../explain/argument-problem.ts';
import { explain } from '../explain/explain-errors.ts';
import { MAX_PROBLEMS, refusal } from '../explain/refusal.ts';
import { showName } from '../explain/show.ts';
import {
  type BoundsVerdict,
  forbiddenKey,
  holdsRounded,
  MAX_DEPTH,
  MAX_KEYS,
  MAX_VALUES,
  withinBounds,
} from './bounds.ts';
import { coerce, type Reading, withLongIntegers } from './coerce.ts';
import type { Check } from './compile-schema.ts';
import { allowEffort, payFrom, TOO_MUCH_EFFORT } from './effort.ts';
import { resetPatternBudget } from './pattern.ts';
import { toStrictSchema } from './strict.ts';
import { createShelf, type Slot } from './validator-cache.ts';

export type Validator = (tool: string, args: Args) => Args;

export interface ValidatorOptions {
  /** Runs after the schema has accepted the arguments; what it returns goes on. */
  readonly parse?: ((args: Args) => Parsed) | undefined;
  /** Refuse names the schema does not declare, even where it does not say so itself. Default true. */
  readonly strict?: boolean;
  /** Integers beyond 2^53, given as text, go on as bigint. Default false: code that was not asked does not expect any. */
  readonly longIntegers?: boolean;
  /** A required value that may be null and is missing is null. Default true; see `fillsNull`. */
  readonly fillsNull?: boolean;
}

const shelf = createShelf();

/** The validator of an endpoint: returns the arguments to go on with, or throws VALIDATION. */
export function createValidator(endpoint: Endpoint): Validator {
  return build(() => endpoint.inputSchema, optionsOf(endpoint));
}

export function optionsOf(endpoint: Endpoint): ValidatorOptions {
  return { parse: endpoint.parse, longIntegers: endpoint.parse === undefined, fillsNull: fillsNull(endpoint) };
}

/**
 * When something is created, a missing value that may be null was left out by the client because it is null. When values are
 * replaced (PUT, PATCH, a POST that updates), the caller may as well have forgotten it, and null would erase what the API has:
 * there it must be given, and the refusal says so.
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
  const slot = shelf.createSlot(schema);
  return (tool, args) => {
    refuseUnusable(tool, args, schema);
    const reading = accept(tool, args, slot, schema, { longIntegers, fillsNull });
    return parse === undefined ? reading : parsed(tool, schema, parse(reading));
  };
}

/** How a call that does not fit may be read. */
interface Leeway {
  readonly longIntegers: boolean;
  readonly fillsNull: boolean;
}

function accept(tool: string, args: Args, slot: Slot, schema: () => JsonSchema, leeway: Leeway): Args {
  const isRounded = holdsRounded();
  resetPatternBudget();
  allowEffort();
  try {
    const check = slot.check();
    const reading = check(args) ? undefined : reconsider(tool, args, schema(), check, leeway);
    if (isRounded) refuseRounded(tool, reading?.args ?? args, schema());
    return reading === undefined ? args : withLongIntegers(reading);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    if (error !== TOO_MUCH_EFFORT) throw brokenSchema(tool, error);
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

/** Arguments that no schema should be asked about. */
function refuseUnusable(tool: string, args: Args, schema: () => JsonSchema): void {
  if (!isObject(args)) {
    throw refusal(tool, schema(), [
      limit(
        `arguments must be one JSON object; got ${args === null ? 'null' : Array.isArray(args) ? 'an array' : typeof args}`,
      ),
    ]);
  }
  const verdict = withinBounds(args);
  if (verdict !== 'ok') throw refusal(tool, schema(), [limit(OUT_OF_BOUNDS[verdict])]);
  const forbidden = forbiddenKey(args);
  // An API may have an argument called `constructor`, but never `__proto__`.
  if (forbidden !== undefined && (forbidden === '__proto__' || !declares(schema(), forbidden))) {
    throw refusal(tool, schema(), [
      { path: forbidden, problem: 'forbidden', message: `${showName(forbidden)} is never an argument; remove it` },
    ]);
  }
}

function limit(message: string): Problem {
  return { path: '', problem: 'limit', message };
}

function declares(schema: JsonSchema, key: string): boolean {
  return isObject(schema) && isObject(schema.properties) && Object.hasOwn(schema.properties, key);
}

/** The arguments in another reading, if that fits; otherwise throws the refusal. */
function reconsider(tool: string, args: Args, schema: JsonSchema, check: Check, leeway: Leeway): Reading {
  payFrom('read');
  const reading = coerce(schema, args, leeway.fillsNull);
  payFrom('check');
  const usable = leeway.longIntegers || reading.long.length === 0;
  if (usable && reading.args !== args && check(reading.args)) return reading;
  payFrom('explain');
  // The replacement for a long integer must not be shown as the caller's value.
  const problems = explain(schema, reading.long.length === 0 ? reading.args : args, { max: MAX_PROBLEMS + 1 });
  if (problems.length > 0) throw refusal(tool, schema, problems);
  throw refusal(tool, schema, [
    limit('the arguments do not match the schema, but there are too many values to say where; send fewer values'),
  ]);
}

/** An id that lost its last digits would identify something else. */
function refuseRounded(tool: string, args: Args, schema: JsonSchema): void {
  payFrom('read');
  const problems = explain(schema, args, { max: MAX_PROBLEMS + 1, exact: true });
  if (problems.length > 0) throw refusal(tool, schema, problems);
}

function parsed(tool: string, schema: () => JsonSchema, result: Parsed): Args {
  if (result.ok) return result.args;
  const problems = result.problems.map((text): Problem => ({ path: '', problem: 'rule', message: toOneLine(text) }));
  throw refusal(tool, schema(), problems.length > 0 ? problems : [limit('the arguments were refused')]);
}
