// Strings, numbers, booleans and any value, and the description of a node.
import { hasHiddenText } from '../../endpoint/hidden.ts';
import { showChoices } from '../explain/show.ts';
import { exampleOf, exclusionWords, numberWords, portablePattern, purposeOf, stringWords } from './constraint-words.ts';
import { Description, joinSentences } from './description.ts';
import type { NodePosition, Pass, PortableNode } from './portable-node.ts';
import { type Facts, firstOf } from './schema-facts.ts';

const MAX_ENUM = 100;
/** Bounds that only repeat what a number can hold; z.toJSONSchema writes the first pair everywhere. */
const NOISE = new Set([
  2 ** 53 - 1,
  -(2 ** 53 - 1),
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 63,
  -(2 ** 63),
  2 ** 32 - 1,
  2 ** 64,
]);

// Any JSON value, for clients that refuse a schema without a type, or items without one. Lists of lists have to end somewhere. Null
// and lists of booleans are left out: spelling everything out made such a place longer than most others.
const ANY_STRING: PortableNode = { type: 'string' };
const ANY_NUMBER: PortableNode = { type: 'number' };
const ANY_OBJECT: PortableNode = { type: 'object' };
const NOT_A_LIST: readonly PortableNode[] = [ANY_STRING, ANY_NUMBER, { type: 'boolean' }, ANY_OBJECT];

export const ANYTHING: PortableNode = Object.freeze({
  anyOf: [...NOT_A_LIST, { type: 'array', items: { anyOf: [ANY_STRING, ANY_NUMBER, ANY_OBJECT] } }],
});

/** The same without lists, for the deepest level that clients read. */
export const ANYTHING_BUT_LISTS: PortableNode = Object.freeze({ anyOf: NOT_A_LIST });

export function stringNode(pass: Pass, facts: Facts, at: NodePosition): PortableNode {
  const choices = facts.choices?.filter((value): value is string => typeof value === 'string');
  const isListed =
    choices !== undefined &&
    choices.length > 0 &&
    choices.length <= MAX_ENUM &&
    choices.every((value) => value !== '' && value.length <= 200 && !hasHiddenText(value));
  const words = isListed ? [] : [...choiceWords(facts, 'string'), ...stringWords(facts)];
  const pattern = choices ? undefined : portablePattern(facts);
  return {
    type: 'string',
    ...descriptionField(describe(pass, facts, at, words)),
    ...(isListed && { enum: [...new Set(choices)] }),
    ...(!choices && firstOf(facts, 'format') === 'date-time' && { format: 'date-time' }),
    ...(pattern !== undefined && { pattern }),
    ...(!choices && facts.minLength !== undefined && facts.minLength > 0 && { minLength: facts.minLength }),
    ...(!choices && facts.maxLength !== undefined && facts.maxLength < 1_000_000 && { maxLength: facts.maxLength }),
    ...defaultOf(facts, 'string'),
  };
}

export function numberNode(pass: Pass, facts: Facts, at: NodePosition, whole: boolean): PortableNode {
  const { exclusiveMinimum, exclusiveMaximum } = facts;
  let low = facts.minimum;
  let high = facts.maximum;
  // An inclusive bound at the same number is laxer, so fractions keep it beside the words.
  if (exclusiveMinimum !== undefined) {
    const bound = whole ? Math.floor(exclusiveMinimum) + 1 : exclusiveMinimum;
    low = Math.max(low ?? bound, bound);
  }
  if (exclusiveMaximum !== undefined) {
    const bound = whole ? Math.ceil(exclusiveMaximum) - 1 : exclusiveMaximum;
    high = Math.min(high ?? bound, bound);
  }
  return {
    type: whole ? 'integer' : 'number',
    ...descriptionField(describe(pass, facts, at, [...choiceWords(facts, 'number'), ...numberWords(facts, whole)])),
    ...(isBound(low) && { minimum: low }),
    ...(isBound(high) && { maximum: high }),
    ...defaultOf(facts, 'number'),
  };
}

function isBound(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && !NOISE.has(value) && Math.abs(value) < 2 ** 53;
}

export function choiceWords(facts: Facts, type: 'string' | 'number' | 'boolean'): string[] {
  const choices = facts.choices?.filter((value) => typeof value === type);
  if (choices === undefined || choices.length === 0) return [];
  if (type === 'boolean' && choices.length > 1) return [];
  return [choices.length === 1 ? `Always ${showChoices(choices)}` : `One of ${showChoices(choices)}`];
}

/** Defaults are information: they are never sent. */
export function defaultOf(facts: Facts, type: 'string' | 'number' | 'boolean'): { default?: unknown } {
  const value = firstOf(facts, 'default');
  if (typeof value !== type || (typeof value === 'string' && (value.length > 100 || hasHiddenText(value)))) return {};
  return { default: value };
}

/** Purpose, constraints in words, one example, and whether it is deprecated. */
export function describe(pass: Pass, facts: Facts, at: NodePosition, words: readonly string[]): Description {
  if (at.quiet) return new Description(joinSentences('', words));
  const sentences = [...words, ...statusWords(facts)];
  const example = pass.maxText > 0 ? exampleOf(facts, at.depth <= 1 ? 120 : 48) : undefined;
  return new Description(joinSentences(textOf(pass, facts, at), sentences), {
    ...(example !== undefined && { example }),
  });
}

/** A note where something is left out. */
export const SHORTENED = 'Shortened here; a refused call names what is wrong';

/** The same where fields are named, but not shown. */
export function describeHidden(
  pass: Pass,
  facts: Facts,
  at: NodePosition,
  fields: string,
  words: readonly string[],
): Description {
  if (at.quiet) return new Description(joinSentences('', [fields, ...words]), { fields });
  const sentences = [fields, ...words, ...statusWords(facts), SHORTENED];
  return new Description(joinSentences(textOf(pass, facts, at), sentences), { fields });
}

function statusWords(facts: Facts): string[] {
  return [...exclusionWords(facts), ...(firstOf(facts, 'deprecated') === true ? ['Deprecated'] : [])];
}

export function textOf(pass: Pass, facts: Facts, at: NodePosition): string {
  return purposeOf(facts, at.depth <= 1 ? pass.maxText : pass.maxText >> 1);
}

export function descriptionField(description: Description): { description?: Description } {
  return description.text === '' ? {} : { description };
}
