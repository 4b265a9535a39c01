// One sentence for each broken rule that stands for itself: types, choices, ranges, lengths, patterns, formats, names.

import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { toOneLine } from '../../endpoint/plain-text.ts';
import { askFor, closest } from '../../endpoint/suggest.ts';
import { lengthOf } from '../check/assertions.ts';
import { FORMATS } from '../check/formats.ts';
import { safePattern } from '../check/pattern.ts';
import { ARRAY, NULL, namedTypes, OBJECT, typeOf, typesOf } from '../json-types.ts';
import { findKeyword, isSchema, ownSchema, type SchemaObject } from '../references.ts';
import { type CheckError, fitsSchema } from '../walk/walk-schema.ts';
import type { Finding, Problem } from './argument-problem.ts';
import type { Place, View } from './explain-errors.ts';
import { explainUnknown } from './explain-names.ts';
import {
  cut,
  describePurpose,
  describeType,
  isSecret,
  joinPath,
  namesOf,
  showChoices,
  showName,
  showValue,
} from './show.ts';

/** `params` are those of the error, and `limit`, the value of the keyword. */
type Rule = (place: Place, params: CheckError['params'] & { readonly limit?: unknown }, view: View) => Finding;

/** The problem behind one error. */
export function explainRule({ keyword, params }: CheckError, place: Place, view: View): Finding {
  const rule = RULES[keyword];
  if (rule !== undefined) return rule(place, { limit: place.schema[keyword], ...params }, view);
  return problemAt(place, 'rule', `must satisfy \`${keyword}\` of the schema`);
}

export function problemAt(
  place: Place,
  problem: Problem['problem'],
  words: string,
  more: Partial<Problem> = {},
): Problem {
  return { path: place.path, problem, message: `${place.name} ${words}`.trimStart(), ...more };
}

const mustBe = (place: Place, problem: Problem['problem'], expected: string, more = ''): Problem => {
  const got = shown(place);
  return problemAt(place, problem, `must be ${expected}; got ${got}${more}`, { expected, got });
};

const mustHave = (place: Place, problem: 'length' | 'items', expected: string, count: number, what = ''): Problem => {
  const got = problem === 'items' && what === '' ? plural(count, 'item') : `${count}`;
  return problemAt(place, problem, `must have ${expected}${what}; it has ${count}`, { expected, got });
};

const shown = ({ value, key, schema }: Place): string => showValue(value, key, schema);
const plural = (count: unknown, noun: string): string => `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
const countOf = (place: Place): number => (place.value as unknown[]).length;

const range: Rule = (place) => mustBe(place, 'range', rangeWords(place.schema));
const unknownName: Rule = (place, params, view) =>
  explainUnknown(place, String(params.additionalProperty ?? params.unevaluatedProperty), view, suggest);

const RULES: Readonly<Record<string, Rule | undefined>> = Object.assign(Object.create(null), {
  type: explainType,
  rounded: (place) =>
    problemAt(
      place,
      'range',
      'has more digits than a JSON number keeps, so the last ones may be wrong; send it as a string of digits',
    ),
  'false schema': (place) => problemAt(place, 'unknown', 'is not accepted here; remove it'),
  enum: explainChoice,
  const: explainChoice,
  required: explainMissing,
  dependentRequired: explainMissing,
  additionalProperties: unknownName,
  unevaluatedProperties: unknownName,
  minimum: range,
  maximum: range,
  exclusiveMinimum: range,
  exclusiveMaximum: range,
  multipleOf: (place, { limit }) => mustBe(place, 'range', `a multiple of ${String(limit)}`),
  format: (place, { limit }) => mustBe(place, 'format', FORMATS.get(limit as string)!.expected),
  pattern: explainPattern,
  minLength: (place, { limit }) => {
    const expected = limit === 1 ? 'a non-empty string' : `at least ${plural(limit, 'character')}`;
    const got = shown(place);
    const words = limit === 1 ? 'must not be empty' : `must have ${expected}`;
    return problemAt(place, 'length', `${words}; got ${got}`, { expected, got });
  },
  maxLength: (place, { limit }) =>
    mustHave(place, 'length', `at most ${plural(limit, 'character')}`, lengthOf(place.value as string)),
  minItems: (place, { limit }) => {
    const expected = `at least ${plural(limit, 'item')}`;
    if (limit === 1) return problemAt(place, 'items', 'must not be empty', { expected, got: '0 items' });
    return mustHave(place, 'items', expected, countOf(place));
  },
  maxItems: (place, { limit }) => mustHave(place, 'items', `at most ${plural(limit, 'item')}`, countOf(place)),
  contains: (place, { count, min, max }) => {
    const tooFew = (count as number) < (min as number);
    const expected = tooFew ? `at least ${plural(min, 'item')}` : `at most ${plural(max, 'item')}`;
    return mustHave(place, 'items', expected, count as number, ' of the required kind');
  },
  uniqueItems: (place) =>
    problemAt(place, 'items', 'must not contain the same item twice', {
      expected: 'unique items',
      got: plural(countOf(place), 'item'),
    }),
  minProperties: (place, { limit }) => explainCount(place, `at least ${String(limit)}`),
  maxProperties: (place, { limit }) => explainCount(place, `at most ${String(limit)}`),
  propertyNames: (place, { propertyName }) =>
    problemAt(place, 'rule', `must not have a key like ${showName(String(propertyName))}`),
  not: (place, { limit }, { root }) => {
    const words = isSchema(limit) ? describeType(root, limit) : 'any value';
    const got = shown(place);
    const what = words === 'any value' ? 'given in this form' : words;
    return problemAt(place, 'rule', `must not be ${what}; got ${got}`, { got });
  },
} satisfies Record<string, Rule>);

/** Also for a union none of whose branches accepts the type: all types are named at once. */
export function explainType(place: Place, _: unknown, { root }: View): Problem {
  const { schema } = place;
  const named = namedTypes(schema.type) | (schema.nullable === true ? NULL : 0);
  const takes = schema.type === undefined ? typesOf(root, schema) : named;
  const { hint, suggestion } = listHint(place, root, takes);
  const problem = mustBe(place, 'type', describeType(root, schema) + fieldWords(root, schema, takes), hint);
  return suggestion === undefined ? problem : { ...problem, suggestion };
}

/** One value where a list is asked for, or a list of one where a value is: what it would look like. */
function listHint(
  place: Place,
  root: JsonSchema,
  takes: number,
): { readonly hint: string; readonly suggestion?: string } {
  const { value, key, schema } = place;
  const item: unknown =
    takes & ARRAY && !Array.isArray(value) ? (findKeyword(root, schema, 'items') ?? true) : undefined;
  const only: unknown = Array.isArray(value) && value.length === 1 && !(takes & ARRAY) ? value[0] : undefined;
  const reading = isSchema(item) ? readList(root, item, value) : takes & typeOf(only) ? only : undefined;
  if (reading === undefined || [reading].flat().some((each) => isSecret(each, key, schema))) return { hint: '' };
  const text = JSON.stringify(reading);
  if (text.length > MAX_HINT_CHARS || toOneLine(text) !== text)
    return { hint: isSchema(item) ? ' — put it in a list' : '' };
  return { hint: ` — ${askFor(text)}`, suggestion: text };
}

const MAX_HINT_CHARS = 80;

/** `open` or `open,closed` as a list, where its items take that. */
function readList(root: JsonSchema, item: JsonSchema, value: unknown): readonly unknown[] | undefined {
  const isTaken = (each: unknown) => fitsSchema(root, item, each);
  if (value === null) return undefined;
  if (isTaken(value) && !(typeof value === 'string' && value.includes(','))) return [value];
  if (typeof value !== 'string' || value.length > MAX_HINT_CHARS) return isTaken(value) ? [value] : undefined;
  const parts = value.split(',').map((part) => part.trim());
  const numbers = parts.map(Number);
  const isNumeric = parts.every((part) => /^-?\d{1,15}(?:\.\d{1,15})?$/.test(part));
  return [parts, ...(isNumeric ? [numbers] : [])].find((list) => list.every(isTaken));
}

const MAX_FIELDS_SHOWN = 6;

/** ` {name, color?}`: the fields of the object that was expected. */
function fieldWords(root: JsonSchema, schema: SchemaObject, takes: number): string {
  if ((takes & ~NULL) !== OBJECT) return '';
  const properties = findKeyword(root, schema, 'properties');
  if (!isObject(properties)) return '';
  const required = new Set(namesOf(findKeyword(root, schema, 'required')));
  const names = Object.keys(properties).filter((name) => properties[name] !== false);
  const sorted = [...names.filter((name) => required.has(name)), ...names.filter((name) => !required.has(name))];
  const fields = sorted
    .slice(0, MAX_FIELDS_SHOWN)
    .map((name) => cut(toOneLine(name), 24) + (required.has(name) ? '' : '?'));
  if (fields.length === 0) return '';
  return ` {${fields.join(', ')}${sorted.length > fields.length ? ', …' : ''}}`;
}

function explainChoice(place: Place, _: unknown, view: View): Problem {
  const { schema, value } = place;
  const choices = Array.isArray(schema.enum) ? schema.enum : [schema.const];
  const words = choices.filter((each): each is string => typeof each === 'string');
  const near = typeof value === 'string' && choices.length > 1 ? suggest(view, value, words) : undefined;
  const hint = near === undefined ? '' : ` — ${askFor(showChoices([near]))}`;
  const expected = choices.length === 1 ? showChoices(choices) : `one of ${showChoices(choices)}`;
  return { ...mustBe(place, 'enum', expected, hint), ...(near !== undefined && { suggestion: near }) };
}

/** Suggestions from longer lists use up more of the budget. */
const CANDIDATES_PER_SUGGESTION = 400;
const DEAREST_SUGGESTION = 12;

function suggest(view: View, word: string, candidates: readonly string[]): string | undefined {
  view.budget.suggestions -= 1 + Math.min(DEAREST_SUGGESTION, candidates.length / CANDIDATES_PER_SUGGESTION);
  return view.budget.suggestions < 0 ? undefined : closest(word, candidates);
}

function explainPattern(place: Place, { limit }: { readonly limit?: unknown }): Problem {
  const value = place.value as string;
  const source = limit as string;
  const expected = `/${cut(toOneLine(source), 120)}/`;
  const got = shown(place);
  const words = {
    match: `must match ${expected}; got ${got}`,
    mismatch: `must match ${expected}; got ${got}`,
    too_long: `is too long (${value.length} characters) to be checked against ${expected}; send a shorter value`,
    too_many: `could not be checked against ${expected} in time; send fewer or shorter values`,
    unusable: `cannot be accepted: its pattern ${expected} is not a usable regular expression; leave it out, or have the API description corrected`,
  }[safePattern(source).verdict(value)];
  return problemAt(place, 'pattern', words, { expected, got });
}

/** `from 1 to 100`, `at least 0`, `above 0 and below 1`. */
function rangeWords({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: SchemaObject): string {
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

function explainCount(place: Place, expected: string): Problem {
  const count = Object.keys(place.value as object).length;
  const message =
    place.path === ''
      ? `${expected} argument(s) must be given; got ${count}`
      : `${place.name}: ${expected} field(s) must be in it; got ${count}`;
  return { path: place.path, problem: 'items', message, expected, got: `${count}` };
}

function explainMissing(place: Place, params: CheckError['params'], view: View): Problem {
  const name = String(params.missingProperty);
  const schema =
    ownSchema(place.schema.properties, name) ??
    ownSchema(findKeyword(view.root, view.root, 'properties'), name) ??
    true;
  const expected = describeType(view.root, schema);
  const purpose = describePurpose(view.root, schema);
  const path = joinPath(place.path, name);
  const because = typeof params.property === 'string' ? `, needed together with ${showName(params.property)}` : '';
  const message = `missing ${showName(path)} (${expected})${because}${purpose === '' ? '' : `: ${purpose}`}`;
  return { path, problem: 'missing', message, expected };
}
