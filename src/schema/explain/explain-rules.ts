// One sentence for each broken rule: types, choices, ranges, lengths, patterns, formats, names. Unions are explained in
// explain-unions.ts, unknown names in explain-names.ts.

import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { toOneLine, toSummary } from '../../endpoint/plain-text.ts';
import { askFor } from '../../endpoint/suggest.ts';
import { lengthOf } from '../check/assertions.ts';
import { FORMATS } from '../check/formats.ts';
import { safePattern } from '../check/pattern.ts';
import { ARRAY, NULL, OBJECT, ownTypes, possibleTypes, typeOf } from '../json-types.ts';
import { findKeyword, findProperty, isSchema, type SchemaObject, schemasAlong } from '../references.ts';
import { type CheckError, fitsSchema } from '../walk/walk-schema.ts';
import type { ExplainContext, RefusedPlace } from './explain-errors.ts';
import { explainUnknown, suggest } from './explain-names.ts';
import { explainUnion } from './explain-unions.ts';
import type { ArgumentProblem, ProblemCandidate, ProblemKind } from './refusal.ts';
import {
  cut,
  describeChoices,
  describeType,
  isSecret,
  joinPath,
  listFirst,
  namesOf,
  plural,
  showChoices,
  showName,
  showValue,
} from './show.ts';

/** The parameters of the error, and `limit`, the value of the keyword. */
export type RuleParams = CheckError['params'] & { readonly limit?: unknown };

type Rule = (
  place: RefusedPlace,
  params: RuleParams,
  context: ExplainContext,
) => ProblemCandidate | readonly ProblemCandidate[];

/** The problems that caused one error; more than one only for a union. */
export function explainRule(
  { keyword, params }: CheckError,
  place: RefusedPlace,
  context: ExplainContext,
): readonly ProblemCandidate[] {
  const rule = RULES[keyword];
  if (rule !== undefined) return [rule(place, { limit: place.schema[keyword], ...params }, context)].flat();
  return [problemAt(place, 'rule', `must satisfy \`${keyword}\` of the schema`)];
}

export function problemAt(
  place: RefusedPlace,
  problem: ProblemKind,
  words: string,
  more: Partial<ArgumentProblem> = {},
): ArgumentProblem {
  return { path: place.path, problem, message: `${place.name} ${words}`.trimStart(), ...more };
}

/** What was likely meant: for the end of the sentence, and for programs. */
type Hint = { readonly hint?: string; readonly suggestion?: string };

const ask = (words: string, suggestion: string): Hint => ({ hint: ` — ${askFor(words)}`, suggestion });

const mustBe = (
  place: RefusedPlace,
  problem: ProblemKind,
  expected: string,
  { hint = '', ...more }: Hint = {},
): ArgumentProblem => {
  const got = show(place);
  return problemAt(place, problem, `must be ${expected}; got ${got}${hint}`, { expected, got, ...more });
};

const mustHave = (
  place: RefusedPlace,
  problem: 'length' | 'items',
  expected: string,
  count: number,
  what = '',
): ArgumentProblem => {
  const got = problem === 'items' && what === '' ? plural(count, 'item') : `${count}`;
  return problemAt(place, problem, `must have ${expected}${what}; it has ${count}`, { expected, got });
};

const show = ({ value, key, schema }: RefusedPlace): string => showValue(value, key, schema);
const countOf = (place: RefusedPlace): number => (place.value as unknown[]).length;

const range: Rule = (place) => mustBe(place, 'range', rangeWords(place.schema));

/** Added for a number that may have lost digits when it was parsed. */
export const LOST_DIGITS =
  'has more digits than a JSON number keeps, so the last ones may be wrong; send it as a string of digits';

const RULES: Readonly<Record<string, Rule | undefined>> = {
  type: explainType,
  rounded: (place) => problemAt(place, 'range', LOST_DIGITS),
  'false schema': (place) => problemAt(place, 'unknown', 'is not accepted here; remove it'),
  enum: explainChoice,
  const: explainChoice,
  required: explainMissing,
  dependentRequired: explainMissing,
  additionalProperties: explainUnknown,
  unevaluatedProperties: explainUnknown,
  anyOf: explainUnion,
  oneOf: explainUnion,
  minimum: range,
  maximum: range,
  exclusiveMinimum: range,
  exclusiveMaximum: range,
  multipleOf: (place, { limit }) => mustBe(place, 'range', `a multiple of ${String(limit)}`),
  format: (place, { limit }) => mustBe(place, 'format', FORMATS.get(limit as string)!.expected),
  pattern: explainPattern,
  minLength: (place, { limit }) => {
    const expected = limit === 1 ? 'a non-empty string' : `at least ${plural(limit, 'character')}`;
    const got = show(place);
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
    const type = describeType(root, limit as JsonSchema);
    const got = show(place);
    return problemAt(place, 'rule', `must not be ${type === 'any value' ? 'given in this form' : type}; got ${got}`, {
      got,
    });
  },
};

/** Also for a union of which no branch accepts the type: all types are named at once. */
export function explainType(place: RefusedPlace, _: unknown, context: ExplainContext): ArgumentProblem {
  const { schema } = place;
  const { root } = context;
  const takes = schema.type === undefined ? possibleTypes(root, schema) : ownTypes(schema);
  const expected = describeType(root, schema) + fieldWords(root, schema, takes);
  return mustBe(place, 'type', expected, listHint(place, context, takes));
}

/** One value where a list is expected, or a list of one where a value is: shows what was likely meant. */
function listHint({ value, key, schema }: RefusedPlace, context: ExplainContext, takes: number): Hint {
  const isList = Array.isArray(value);
  if (isList === ((takes & ARRAY) !== 0)) return {};
  const only = isList && value.length === 1 && takes & typeOf(value[0]) ? value[0] : undefined;
  const reading: unknown = isList ? only : readList(context, findKeyword(context.root, schema, 'items') ?? true, value);
  if (reading === undefined || [reading].flat().some((each) => isSecret(each, key, schema))) return {};
  const text = JSON.stringify(reading);
  if (text.length <= MAX_HINT_CHARS && toOneLine(text) === text) return ask(text, text);
  return isList ? {} : { hint: ' — put it in a list' };
}

const MAX_HINT_CHARS = 80;

/** `open` or `open,closed` as a list, if its items accept that. */
function readList(context: ExplainContext, item: unknown, value: unknown): readonly unknown[] | undefined {
  if (value === null || !isSchema(item)) return undefined;
  const isTaken = (each: unknown) => fitsSchema(context, item, each);
  const isOne = typeof value !== 'string' || !value.includes(',') || value.length > MAX_HINT_CHARS;
  if (isOne && isTaken(value)) return [value];
  if (typeof value !== 'string' || value.length > MAX_HINT_CHARS) return undefined;
  const parts = value.split(',').map((part) => part.trim());
  const isNumeric = parts.every((part) => /^-?\d{1,15}(?:\.\d{1,15})?$/.test(part));
  return [parts, ...(isNumeric ? [parts.map(Number)] : [])].find((list) => list.every(isTaken));
}

const MAX_FIELDS_SHOWN = 6;

/** ` {name, color?}`: the fields of the object that was expected. */
function fieldWords(root: JsonSchema, schema: SchemaObject, takes: number): string {
  if ((takes & ~NULL) !== OBJECT) return '';
  const properties = findKeyword(root, schema, 'properties');
  if (!isObject(properties)) return '';
  const required = new Set(namesOf(findKeyword(root, schema, 'required')));
  const names = Object.keys(properties).filter((name) => properties[name] !== false);
  const order = [...names.filter((name) => required.has(name)), ...names.filter((name) => !required.has(name))];
  if (order.length === 0) return '';
  const nameField = (name: string) => cut(toOneLine(name), 24) + (required.has(name) ? '' : '?');
  return ` {${listFirst(order, MAX_FIELDS_SHOWN, nameField)}}`;
}

function explainChoice(place: RefusedPlace, _: unknown, context: ExplainContext): ArgumentProblem {
  const { schema, value } = place;
  const choices = Array.isArray(schema.enum) ? schema.enum : [schema.const];
  const words = choices.filter((each): each is string => typeof each === 'string');
  const near = typeof value === 'string' && choices.length > 1 ? suggest(context, value, words) : undefined;
  return mustBe(place, 'enum', describeChoices(choices), near === undefined ? {} : ask(showChoices([near]), near));
}

function explainPattern(place: RefusedPlace, { limit }: RuleParams, context: ExplainContext): ArgumentProblem {
  const value = place.value as string;
  const source = limit as string;
  const expected = `/${cut(toOneLine(source), 120)}/`;
  const got = show(place);
  const words = {
    match: `must match ${expected}; got ${got}`,
    mismatch: `must match ${expected}; got ${got}`,
    too_long: `is too long (${value.length} characters) to be checked against ${expected}; send a shorter value`,
    too_many: `could not be checked against ${expected} in time; send fewer or shorter values`,
    unusable: `cannot be accepted: its pattern ${expected} is not a usable regular expression; leave it out, or have the API description corrected`,
  }[safePattern(source).verdict(value, context.budget)];
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

function explainCount(place: RefusedPlace, expected: string): ArgumentProblem {
  const count = Object.keys(place.value as object).length;
  const message =
    place.path === ''
      ? `${expected} argument(s) must be given; got ${count}`
      : `${place.name}: ${expected} field(s) must be in it; got ${count}`;
  return { path: place.path, problem: 'items', message, expected, got: `${count}` };
}

function explainMissing(place: RefusedPlace, params: RuleParams, context: ExplainContext): ArgumentProblem {
  const name = String(params.missingProperty);
  // One part of the schema may require a property that another part describes (allOf).
  const around = schemasAlong(context.root, context.root, place.steps)[place.steps.length] ?? true;
  const schema = findProperty(context.root, place.schema, name) ?? findProperty(context.root, around, name) ?? true;
  const expected = describeType(context.root, schema);
  const description = findKeyword(context.root, schema, 'description');
  const purpose = typeof description === 'string' ? toSummary(description, 160) : '';
  const path = joinPath(place.path, name);
  const because = typeof params.property === 'string' ? `, needed together with ${showName(params.property)}` : '';
  const message = `missing ${showName(path)} (${expected})${because}${purpose === '' ? '' : `: ${purpose}`}`;
  return { path, problem: 'missing', message, expected };
}
