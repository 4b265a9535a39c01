// One sentence for each broken rule that stands for itself: types, choices, ranges, lengths, patterns, formats, names.

import { isObject } from '../../endpoint/is-object.ts';
import { toOneLine } from '../../endpoint/plain-text.ts';
import { closest } from '../../endpoint/suggest.ts';
import { lengthOf } from '../check/assertions.ts';
import { FORMATS } from '../check/formats.ts';
import { safePattern } from '../check/pattern.ts';
import { NULL, namedTypes, OBJECT, typesOf } from '../json-types.ts';
import { findKeyword, isSchema, ownSchema, type SchemaObject } from '../references.ts';
import type { CheckError } from '../walk/walk-schema.ts';
import type { Problem } from './argument-problem.ts';
import { declaredNames } from './declared-names.ts';
import { nameOf, type Place, problemAt, type View } from './explain-errors.ts';
import { cut, describePurpose, describeType, joinPath, namesOf, showChoices, showName, showValue } from './show.ts';

type Rule = (view: View, place: Place, params: CheckError['params']) => Problem;

/** The problem behind one error. */
export function explainRule(view: View, error: CheckError, place: Place): Problem {
  const rule = RULES[error.keyword];
  if (rule !== undefined) return rule(view, place, { limit: place.schema[error.keyword], ...error.params });
  return problemAt(view, place, 'rule', `must satisfy \`${error.keyword}\` of the schema`);
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const range: Rule = (view, place) => mustBe(view, place, 'range', rangeWords(place.schema));
const choice: Rule = (view, place) => explainChoice(view, place);
const unknownName: Rule = (view, place, params) =>
  explainUnknown(view, place, String(params.additionalProperty ?? params.unevaluatedProperty));
const missing: Rule = (view, place, params) => explainMissing(view, place, params);

const RULES: Readonly<Record<string, Rule | undefined>> = Object.assign(Object.create(null), {
  type: explainType,
  rounded: (view, place) =>
    problemAt(
      view,
      place,
      'range',
      'has more digits than a JSON number keeps, so the last ones may be wrong; send it as a string of digits',
    ),
  'false schema': (view, place) => problemAt(view, place, 'unknown', 'is not accepted here; remove it'),
  enum: choice,
  const: choice,
  required: missing,
  dependentRequired: missing,
  additionalProperties: unknownName,
  unevaluatedProperties: unknownName,
  minimum: range,
  maximum: range,
  exclusiveMinimum: range,
  exclusiveMaximum: range,
  multipleOf: (view, place, { limit }) => mustBe(view, place, 'range', `a multiple of ${String(limit)}`),
  format: (view, place, { limit }) => mustBe(view, place, 'format', FORMATS.get(limit as string)!.expected),
  pattern: (view, place, { limit }) => explainPattern(view, place, limit as string),
  minLength: (view, place, { limit }) => {
    const expected = limit === 1 ? 'a non-empty string' : `at least ${plural(limit as number, 'character')}`;
    const got = shown(place);
    const words = limit === 1 ? 'must not be empty' : `must have ${expected}`;
    return problemAt(view, place, 'length', `${words}; got ${got}`, { expected, got });
  },
  maxLength: (view, place, { limit }) => {
    const expected = `at most ${plural(limit as number, 'character')}`;
    const length = lengthOf(place.value as string);
    return problemAt(view, place, 'length', `must have ${expected}; it has ${length}`, { expected, got: `${length}` });
  },
  minItems: (view, place, { limit }) =>
    explainItems(view, place, `at least ${plural(limit as number, 'item')}`, limit === 1),
  maxItems: (view, place, { limit }) => explainItems(view, place, `at most ${plural(limit as number, 'item')}`, false),
  contains: (view, place, { count, min, max }) =>
    explainContains(view, place, count as number, min as number, max as number | undefined),
  uniqueItems: (view, place) =>
    problemAt(view, place, 'items', 'must not contain the same item twice', {
      expected: 'unique items',
      got: plural((place.value as unknown[]).length, 'item'),
    }),
  minProperties: (view, place, { limit }) => explainCount(view, place, `at least ${String(limit)}`),
  maxProperties: (view, place, { limit }) => explainCount(view, place, `at most ${String(limit)}`),
  propertyNames: (view, place, { propertyName }) =>
    problemAt(view, place, 'rule', `must not have a key like ${showName(String(propertyName))}`),
  not: (view, place) => {
    const words = isSchema(place.schema.not) ? describeType(view.root, place.schema.not) : 'any value';
    const got = shown(place);
    const what = words === 'any value' ? 'given in this form' : words;
    return problemAt(view, place, 'rule', `must not be ${what}; got ${got}`, { got });
  },
} satisfies Record<string, Rule>);

const shown = ({ value, key, schema }: Place): string => showValue(value, key, schema);

function mustBe(view: View, place: Place, problem: Problem['problem'], expected: string, more = ''): Problem {
  const got = shown(place);
  return problemAt(view, place, problem, `must be ${expected}; got ${got}${more}`, { expected, got });
}

/** Also for a union none of whose forms takes such a value: the whole of it is named at once. */
export function explainType(view: View, place: Place): Problem {
  const { schema } = place;
  const named = namedTypes(schema.type) | (schema.nullable === true ? NULL : 0);
  const takes = schema.type === undefined ? typesOf(view.root, schema) : named;
  return mustBe(view, place, 'type', describeType(view.root, schema) + fieldWords(view, schema, takes));
}

const MAX_FIELDS_SHOWN = 6;

/** ` {name, color?}`: whoever gave no object at all wants to know what would be in it. */
function fieldWords(view: View, schema: SchemaObject, takes: number): string {
  if ((takes & ~NULL) !== OBJECT) return '';
  const properties = findKeyword(view.root, schema, 'properties');
  if (!isObject(properties)) return '';
  const required = new Set(namesOf(findKeyword(view.root, schema, 'required')));
  const names = Object.keys(properties).filter((name) => properties[name] !== false);
  const sorted = [...names.filter((name) => required.has(name)), ...names.filter((name) => !required.has(name))];
  const fields = sorted
    .slice(0, MAX_FIELDS_SHOWN)
    .map((name) => cut(toOneLine(name), 24) + (required.has(name) ? '' : '?'));
  if (fields.length === 0) return '';
  return ` {${fields.join(', ')}${sorted.length > fields.length ? ', …' : ''}}`;
}

function explainChoice(view: View, place: Place): Problem {
  const { schema, value } = place;
  const choices = Array.isArray(schema.enum) ? schema.enum : [schema.const];
  const words = choices.filter((each): each is string => typeof each === 'string');
  const near = typeof value === 'string' && choices.length > 1 ? suggest(view, value, words) : undefined;
  const hint = near === undefined ? '' : ` — did you mean ${showChoices([near])}?`;
  const expected = choices.length === 1 ? showChoices(choices) : `one of ${showChoices(choices)}`;
  return { ...mustBe(view, place, 'enum', expected, hint), ...(near !== undefined && { suggestion: near }) };
}

/** Of longer lists fewer words are looked up, but always one. */
const CANDIDATES_PER_SUGGESTION = 400;
const DEAREST_SUGGESTION = 12;

function suggest(view: View, word: string, candidates: readonly string[]): string | undefined {
  view.left.suggestions -= 1 + Math.min(DEAREST_SUGGESTION, candidates.length / CANDIDATES_PER_SUGGESTION);
  return view.left.suggestions < 0 ? undefined : closest(word, candidates);
}

function explainPattern(view: View, place: Place, source: string): Problem {
  const value = place.value as string;
  const expected = `/${cut(toOneLine(source), 120)}/`;
  const got = shown(place);
  const words = {
    match: `must match ${expected}; got ${got}`,
    mismatch: `must match ${expected}; got ${got}`,
    too_long: `is too long (${value.length} characters) to be checked against ${expected}; send a shorter value`,
    too_many: `could not be checked against ${expected} in time; send fewer or shorter values`,
    unusable: `cannot be accepted: its pattern ${expected} is not a usable regular expression; leave it out, or have the API description corrected`,
  }[safePattern(source).verdict(value)];
  return problemAt(view, place, 'pattern', words, { expected, got });
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

function explainItems(view: View, place: Place, expected: string, one: boolean): Problem {
  const { length } = place.value as unknown[];
  const words = length === 0 && one ? 'must not be empty' : `must have ${expected}; it has ${length}`;
  return problemAt(view, place, 'items', words, { expected, got: plural(length, 'item') });
}

function explainContains(view: View, place: Place, count: number, min: number, max: number | undefined): Problem {
  const expected = count < min ? `at least ${plural(min, 'item')}` : `at most ${plural(max ?? count, 'item')}`;
  const words = `must have ${expected} of the required kind; it has ${count}`;
  return problemAt(view, place, 'items', words, { expected, got: `${count}` });
}

function explainCount(view: View, place: Place, expected: string): Problem {
  const count = Object.keys(place.value as object).length;
  const message =
    place.path === ''
      ? `${expected} argument(s) must be given; got ${count}`
      : `${nameOf(view, place)}: ${expected} field(s) must be in it; got ${count}`;
  return { path: place.path, problem: 'items', message, expected, got: `${count}` };
}

function explainMissing(view: View, place: Place, params: CheckError['params']): Problem {
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

const MAX_NAMES_LISTED = 20;

/** Whether no part of the schema has such a property. */
export function isUndeclared(view: View, error: CheckError, place: Place): boolean {
  return !declaredNames(view.root, place.schema).has(String(error.params.unevaluatedProperty));
}

function explainUnknown(view: View, place: Place, name: string): Problem {
  const names = declaredNames(view.root, place.schema);
  const path = joinPath(place.path, name);
  const base = { path, problem: 'unknown' } as const;
  if (names.has(name) && place.schema.additionalProperties !== false)
    return { ...base, message: `${showName(path)} does not go with the other arguments; remove it` };
  const object = place.value as Record<string, unknown>;
  const others = [...names].filter((each) => each !== name);
  const meant = suggest(
    view,
    name,
    others.filter((each) => !Object.hasOwn(object, each)),
  );
  if (meant !== undefined) {
    const suggestion = joinPath(place.path, meant);
    return { ...base, message: `unknown ${showName(path)} — did you mean ${showName(suggestion)}?`, suggestion };
  }
  const value = object[name];
  const inside = isObject(value) ? Object.keys(value).filter((each) => names.has(each)) : [];
  if (inside.length > 0) {
    const fields = inside.slice(0, 8).map(showName).join(', ');
    const message = `unknown ${showName(path)}; pass its fields directly instead: ${fields}`;
    return { ...base, message, suggestion: inside.slice(0, 8).join(', ') };
  }
  if (others.length === 0) {
    const nothing = place.path === '' ? 'no arguments are' : 'nothing is';
    return { ...base, message: `unknown ${showName(path)}; ${nothing} accepted here` };
  }
  const list = others.slice(0, MAX_NAMES_LISTED).map(showName).join(', ');
  const expected = others.length > MAX_NAMES_LISTED ? `${list}, … (${others.length})` : list;
  return { ...base, message: `unknown ${showName(path)}; known: ${expected}`, expected };
}
