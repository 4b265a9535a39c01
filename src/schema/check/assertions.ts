// Keywords that restrict a value without holding schemas: what the keyword's own value has to look like, and whether a value
// satisfies it. ajv has code of its own for most of them and uses only the first part.
import { isObject } from '../../endpoint/is-object.ts';
import { ANY, ARRAY, NUMBER, OBJECT, STRING } from '../json-types.ts';
import { TYPES } from '../keywords.ts';
import { type Budget, KEY_COST } from './budget.ts';
import { FORMATS } from './formats.ts';
import { haveDuplicates, sameJson, valueSetOf } from './json-equality.ts';
import { safePattern } from './pattern.ts';

export interface KeywordAssertion {
  /** JSON types that it applies to, as bits. */
  readonly on: number;
  readonly holds: (value: never, limit: never, budget: Budget) => boolean;
  /** Whether the keyword's own value is one that can be enforced. */
  readonly isUsable: (limit: unknown) => boolean;
}

const isNumber = (limit: unknown): boolean => typeof limit === 'number' && Number.isFinite(limit);
const isCount = (limit: unknown): boolean => Number.isInteger(limit) && (limit as number) >= 0;
const isText = (limit: unknown): boolean => typeof limit === 'string';
const isNames = (limit: unknown): boolean => Array.isArray(limit) && limit.every(isText);
const isList = (limit: unknown): boolean => Array.isArray(limit) && limit.length > 0;
const isStep = (limit: unknown): boolean => isNumber(limit) && (limit as number) > 0;
const isFlag = (limit: unknown): boolean => typeof limit === 'boolean';
const isAnything = (): boolean => true;

const on =
  <V>(types: number) =>
  <L>(
    isUsable: (limit: unknown) => boolean,
    holds: (value: V, limit: L, budget: Budget) => boolean,
  ): KeywordAssertion => ({
    on: types,
    holds: holds as KeywordAssertion['holds'],
    isUsable,
  });
const onNumbers = on<number>(NUMBER);
const onStrings = on<string>(STRING);
const onArrays = on<readonly unknown[]>(ARRAY);
const onObjects = on<object>(OBJECT);

/** Prices in cents: 19.99 is a multiple of 0.01, though not in binary. */
const MULTIPLE_PRECISION = 1e-8;

/** In the order in which violations are reported. */
export const ASSERTIONS: Readonly<Record<string, KeywordAssertion>> = {
  maximum: onNumbers(isNumber, (value, limit: number) => value <= limit),
  minimum: onNumbers(isNumber, (value, limit: number) => value >= limit),
  exclusiveMaximum: onNumbers(isNumber, (value, limit: number) => value < limit),
  exclusiveMinimum: onNumbers(isNumber, (value, limit: number) => value > limit),
  multipleOf: onNumbers(
    isStep,
    (value, step: number) => Math.abs(Math.round(value / step) - value / step) <= MULTIPLE_PRECISION,
  ),
  // A character has at most two units, so characters are counted only in strings of about that length.
  maxLength: onStrings(
    isCount,
    (value, limit: number, budget) =>
      value.length <= limit || (value.length <= 2 * limit && countChars(value, budget) <= limit),
  ),
  minLength: onStrings(
    isCount,
    (value, limit: number, budget) =>
      value.length >= 2 * limit || (value.length >= limit && countChars(value, budget) >= limit),
  ),
  pattern: onStrings(isText, (value, source: string, budget) => safePattern(source).test(value, budget)),
  format: on<string | number>(STRING | NUMBER)(isText, (value, name: string, budget) => {
    const format = FORMATS.get(name);
    return format?.on !== typeof value || format.test(value as never, budget);
  }),
  const: on(ANY)(isAnything, (value, fixed: unknown, budget) => sameJson(value, fixed, budget)),
  enum: on(ANY)(isList, (value, values: readonly unknown[], budget) => valueSetOf(values, budget).has(value, budget)),
  maxItems: onArrays(isCount, (value, limit: number) => value.length <= limit),
  minItems: onArrays(isCount, (value, limit: number) => value.length >= limit),
  uniqueItems: onArrays(isFlag, (value, unique: boolean, budget) => !unique || !haveDuplicates(value, budget)),
  maxProperties: onObjects(isCount, (value, limit: number, budget) => countKeys(value, budget) <= limit),
  minProperties: onObjects(isCount, (value, limit: number, budget) => countKeys(value, budget) >= limit),
};

/** For each keyword without schemas: whether the keyword's own value can be used. */
export const USABLE: ReadonlyMap<string, (limit: unknown) => boolean> = new Map([
  ...Object.entries(ASSERTIONS).map(([keyword, { isUsable }]) => [keyword, isUsable] as const),
  ['type', (limit) => isList([limit].flat()) && [limit].flat().every((name) => TYPES.includes(name as string))],
  ['minContains', isCount],
  ['maxContains', isCount],
  // Parameters and older drafts write a boolean here: nothing to enforce, and nothing to report.
  ['required', (limit) => isNames(limit) || isFlag(limit)],
  ['dependentRequired', (limit) => isObject(limit) && Object.values(limit).every(isNames)],
]);

function countKeys(object: object, budget: Budget): number {
  const { length } = Object.keys(object);
  budget.spend(length * KEY_COST);
  return length;
}

function countChars(value: string, budget: Budget): number {
  budget.spendOnText(value);
  return lengthOf(value);
}

/** Code points, as JSON Schema counts; a surrogate pair is one. */
export function lengthOf(value: string): number {
  let pairs = 0;
  for (let index = 0; index < value.length - 1; index++) {
    if (value.charCodeAt(index) >>> 10 === 0x36 && value.charCodeAt(index + 1) >>> 10 === 0x37) pairs++;
  }
  return value.length - pairs;
}
