// Strings, numbers and arrays: lengths, ranges, patterns and formats in words.

import { toOneLine } from '../../endpoint/plain-text.ts';
import { FORMATS } from '../check/formats.ts';
import { haveDuplicates } from '../check/json-equality.ts';
import { safePattern } from '../check/pattern.ts';
import { isSchema, ownSchema, type SchemaObject, schemasOf } from '../schema-view.ts';
import type { Problem } from './argument-problem.ts';
import type { Place, Walk } from './explain-problems.ts';
import { explainPlace, fits, nameOf, problemAt } from './explain-problems.ts';
import { cut, joinPath, showValue } from './show.ts';

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

export function explainString(schema: SchemaObject, place: Place): Problem[] {
  const value = place.value as string;
  const got = showValue(value, place.key, schema);
  const found: Problem[] = [];
  const length = lengthOf(value);
  const { minLength, maxLength, pattern, format } = schema;
  if (typeof minLength === 'number' && length < minLength) {
    const expected = minLength === 1 ? 'a non-empty string' : `at least ${plural(minLength, 'character')}`;
    const words = minLength === 1 ? 'must not be empty' : `must have ${expected}`;
    found.push(problemAt(place, 'length', `${nameOf(place)} ${words}; got ${got}`, { expected, got }));
  }
  if (typeof maxLength === 'number' && length > maxLength) {
    const expected = `at most ${plural(maxLength, 'character')}`;
    found.push(
      problemAt(place, 'length', `${nameOf(place)} must have ${expected}; it has ${length}`, {
        expected,
        got: `${length}`,
      }),
    );
  }
  if (typeof pattern === 'string') found.push(...explainPattern(pattern, value, got, place));
  const rule = typeof format === 'string' ? FORMATS.get(format) : undefined;
  if (rule?.on === 'string' && !rule.test(value as never)) {
    found.push(
      problemAt(place, 'format', `${nameOf(place)} must be ${rule.expected}; got ${got}`, {
        expected: rule.expected,
        got,
      }),
    );
  }
  return found;
}

function explainPattern(source: string, value: string, got: string, place: Place): Problem[] {
  const verdict = safePattern(source).verdict(value);
  if (verdict === 'match') return [];
  const expected = `/${cut(toOneLine(source), 120)}/`;
  const words = {
    mismatch: `must match ${expected}; got ${got}`,
    too_long: `is too long (${value.length} characters) to be checked against ${expected}; send a shorter value`,
    unsafe: `could not be checked against ${expected} in time; send a shorter or simpler value`,
    unusable: `cannot be accepted: its pattern ${expected} is not a usable regular expression; leave it out, or have the API description corrected`,
  }[verdict];
  return [problemAt(place, 'pattern', `${nameOf(place)} ${words}`, { expected, got })];
}

/** Code points, as JSON Schema counts; a surrogate pair is one. */
function lengthOf(value: string): number {
  let pairs = 0;
  for (let index = 0; index < value.length - 1; index++) {
    if (value.charCodeAt(index) >>> 10 === 0x36 && value.charCodeAt(index + 1) >>> 10 === 0x37) pairs++;
  }
  return value.length - pairs;
}

export function explainNumber(schema: SchemaObject, place: Place): Problem[] {
  const value = place.value as number;
  const got = showValue(value, place.key, schema);
  const found: Problem[] = [];
  const range = rangeWords(schema);
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, format } = schema;
  const outside =
    (typeof minimum === 'number' && value < minimum) ||
    (typeof maximum === 'number' && value > maximum) ||
    (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) ||
    (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum);
  if (outside)
    found.push(problemAt(place, 'range', `${nameOf(place)} must be ${range}; got ${got}`, { expected: range, got }));
  if (typeof multipleOf === 'number' && multipleOf > 0 && !isMultiple(value, multipleOf)) {
    const expected = `a multiple of ${multipleOf}`;
    found.push(problemAt(place, 'range', `${nameOf(place)} must be ${expected}; got ${got}`, { expected, got }));
  }
  const rule = typeof format === 'string' ? FORMATS.get(format) : undefined;
  if (rule?.on === 'number' && !rule.test(value as never)) {
    found.push(
      problemAt(place, 'format', `${nameOf(place)} must be ${rule.expected}; got ${got}`, {
        expected: rule.expected,
        got,
      }),
    );
  }
  return found;
}

/** As tolerant as the compiled check. */
function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(Math.round(times) - times) <= 1e-8;
}

/** `from 1 to 100`, `at least 0`, `above 0 and below 1`. */
function rangeWords(schema: SchemaObject): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const plainLow = typeof minimum === 'number' && typeof exclusiveMinimum !== 'number';
  const plainHigh = typeof maximum === 'number' && typeof exclusiveMaximum !== 'number';
  if (plainLow && plainHigh) return `from ${minimum} to ${maximum}`;
  const words: string[] = [];
  if (typeof exclusiveMinimum === 'number') words.push(`above ${exclusiveMinimum}`);
  if (typeof minimum === 'number') words.push(`at least ${minimum}`);
  if (typeof exclusiveMaximum === 'number') words.push(`below ${exclusiveMaximum}`);
  if (typeof maximum === 'number') words.push(`at most ${maximum}`);
  return words.join(' and ');
}

export function explainArray(walk: Walk, schema: SchemaObject, place: Place, items: readonly unknown[]): Problem[] {
  const found: Problem[] = [];
  const { minItems, maxItems, uniqueItems, contains } = schema;
  const say = (words: string, expected: string): void => {
    found.push(problemAt(place, 'items', `${nameOf(place)} ${words}`, { expected, got: plural(items.length, 'item') }));
  };
  if (typeof minItems === 'number' && items.length < minItems) {
    const expected = `at least ${plural(minItems, 'item')}`;
    say(
      items.length === 0 && minItems === 1 ? 'must not be empty' : `must have ${expected}; it has ${items.length}`,
      expected,
    );
  }
  if (typeof maxItems === 'number' && items.length > maxItems) {
    const expected = `at most ${plural(maxItems, 'item')}`;
    say(`must have ${expected}; it has ${items.length}`, expected);
  }
  if (uniqueItems === true && haveDuplicates(items)) say('must not contain the same item twice', 'unique items');
  const first = schemasOf(schema.prefixItems);
  const rest = ownSchema(schema, 'items');
  for (const [index, value] of items.entries()) {
    if (found.length >= walk.max || walk.steps.left <= 0) break;
    const item = first[index] ?? rest;
    if (item === undefined) continue;
    found.push(
      ...explainPlace(walk, item, { value, path: joinPath(place.path, index), key: place.key, depth: place.depth + 1 }),
    );
  }
  if (isSchema(contains)) found.push(...explainContains(walk, schema, contains, place, items));
  return found;
}

function explainContains(
  walk: Walk,
  schema: SchemaObject,
  contains: NonNullable<unknown>,
  place: Place,
  items: readonly unknown[],
): Problem[] {
  if (!isSchema(contains)) return [];
  const min = typeof schema.minContains === 'number' ? schema.minContains : 1;
  const max = typeof schema.maxContains === 'number' ? schema.maxContains : Number.POSITIVE_INFINITY;
  let count = 0;
  for (const value of items) if (fits(walk, contains, { ...place, value })) count++;
  if (count >= min && count <= max) return [];
  const expected = count < min ? `at least ${plural(min, 'item')}` : `at most ${plural(max, 'item')}`;
  return [
    problemAt(place, 'items', `${nameOf(place)} must have ${expected} of the required kind; it has ${count}`, {
      expected,
      got: `${count}`,
    }),
  ];
}
