// Constraints that not every client accepts, as sentences for a model.
import { isObject } from '../../endpoint/is-object.ts';
import { cutText, toOneLine, toPlainText } from '../../endpoint/plain-text.ts';
import { safePattern } from '../check/pattern.ts';
import { cut, listWithin, namesOf, showChoices } from '../explain/show.ts';
import { choicesOf, type SchemaObject } from '../references.ts';
import { isReadOnly } from './read-only.ts';
import { type Facts, firstOf } from './schema-facts.ts';

/** The description of a place, within `limit`; the title if there is none. */
export function purposeOf(facts: Facts, limit: number): string {
  const description = facts.parts
    .map((part) => part.description)
    .find((text) => typeof text === 'string' && text.trim() !== '');
  const text = description ?? firstOf(facts, 'title');
  if (typeof text !== 'string' || limit <= 0) return '';
  return cutText(plainText(text), limit);
}

// Operations of a document share most descriptions, and cleaning them is the most expensive part of a pass.
const cache = new Map<string, string>();
const MAX_CLEANED = 4_000;

function plainText(text: string): string {
  const entry = cache.get(text);
  if (entry !== undefined) return entry;
  // The rest is cut off anyway.
  const plain = toPlainText(text.slice(0, 2_000));
  if (cache.size >= MAX_CLEANED) cache.clear();
  cache.set(text, plain);
  return plain;
}

/** Formats only some clients accept. An empty text means that the format does not help a model. */
const FORMAT_WORDS: Readonly<Record<string, string | undefined>> = Object.assign(Object.create(null), {
  date: 'Date such as 2026-01-31',
  time: 'Time such as 09:30:00Z',
  duration: 'ISO 8601 duration such as P3DT4H',
  uri: 'URI',
  url: 'URL',
  'uri-reference': 'URI or path',
  'uri-template': 'URI template such as /pets/{id}',
  email: 'Email address',
  hostname: 'Host name',
  ipv4: 'IPv4 address',
  ipv6: 'IPv6 address',
  uuid: 'UUID',
  regex: 'Regular expression',
  byte: 'Base64',
  binary: 'Bytes',
});

export function stringWords(facts: Facts): string[] {
  const words: string[] = [];
  const format = firstOf(facts, 'format');
  if (typeof format === 'string' && format !== 'date-time') {
    const sentence = FORMAT_WORDS[format];
    const name = cut(toOneLine(format), 32);
    if (sentence !== undefined) words.push(sentence);
    else if (/^[\w-]+$/.test(name) && name !== 'string') words.push(`Format: ${name}`);
  }
  const encoding = firstOf(facts, 'contentEncoding');
  if (typeof encoding === 'string' && format !== 'byte') words.push(`Encoded as ${cut(toOneLine(encoding), 24)}`);
  const patterns = new Set(
    facts.parts.map((part) => part.pattern).filter((text): text is string => typeof text === 'string'),
  );
  for (const pattern of patterns) {
    if (pattern !== portablePattern(facts)) words.push(`Matches /${cut(toOneLine(pattern), 120)}/`);
  }
  return words;
}

/**
 * The pattern, if every client can be expected to compile it: RE2 (Go, Rust), ECMA-262 with `u` (ajv's default) and of
 * modest length. Anything else goes into words.
 */
export function portablePattern(facts: Facts): string | undefined {
  const pattern = firstOf(facts, 'pattern');
  if (typeof pattern !== 'string' || pattern.length > 200 || pattern === '') return undefined;
  // Unprintable characters would travel in the schema unseen; escapes such as \uXXXX are fine.
  if (toOneLine(pattern) !== pattern || !safePattern(pattern).portable || /\\[AZz]|\\[pP]\{|\(\?/.test(pattern))
    return undefined;
  try {
    new RegExp(pattern, 'u');
    return pattern;
  } catch {
    return undefined;
  }
}

export function numberWords(facts: Facts, whole: boolean): string[] {
  const words: string[] = [];
  const { exclusiveMinimum, exclusiveMaximum } = facts;
  if (!whole && exclusiveMinimum !== undefined) words.push(`Above ${exclusiveMinimum}`);
  if (!whole && exclusiveMaximum !== undefined) words.push(`Below ${exclusiveMaximum}`);
  const step = firstOf(facts, 'multipleOf');
  if (typeof step === 'number' && step !== 1) words.push(`Multiple of ${step}`);
  return words;
}

export function arrayWords(facts: Facts): string[] {
  const words: string[] = [];
  if (firstOf(facts, 'uniqueItems') === true) words.push('No duplicates');
  if (facts.prefix.length > 0) words.push('The order of the items matters');
  if (isObject(firstOf(facts, 'contains'))) words.push('At least one item of a certain kind is required');
  return words;
}

export function objectWords(facts: Facts): string[] {
  const words: string[] = [];
  for (const part of facts.parts) {
    if (isObject(part.patternProperties)) {
      const keys = Object.keys(part.patternProperties).map((key) => `/${cut(toOneLine(key), 60)}/`);
      if (keys.length > 0) words.push(`Other keys match ${keys.slice(0, 3).join(' or ')}`);
    }
    if (isObject(part.propertyNames) && typeof part.propertyNames.pattern === 'string') {
      words.push(`Keys match /${cut(toOneLine(part.propertyNames.pattern), 60)}/`);
    } else if (isObject(part.propertyNames) && Array.isArray(part.propertyNames.enum)) {
      words.push(`Keys: ${showChoices(part.propertyNames.enum)}`);
    }
    words.push(...dependencyWords(part, facts), ...conditionalWords(part).map(({ sentence }) => sentence));
  }
  const low = firstOf(facts, 'minProperties');
  const high = firstOf(facts, 'maxProperties');
  if (typeof low === 'number' && low > facts.required.size) words.push(`At least ${low} field${low === 1 ? '' : 's'}`);
  if (typeof high === 'number') words.push(`At most ${high} field${high === 1 ? '' : 's'}`);
  return words;
}

/** For each name that others require (`dependentRequired`): which of the shown names require it. */
export function listRequiredWith(
  parts: readonly SchemaObject[],
  isShown: (key: string) => boolean,
): Map<string, string[]> {
  const needs = new Map<string, string[]>();
  for (const { dependentRequired } of parts) {
    if (!isObject(dependentRequired)) continue;
    for (const [key, names] of Object.entries(dependentRequired)) {
      if (!isShown(key)) continue;
      for (const name of namesOf(names)) needs.set(name, [...(needs.get(name) ?? []), key]);
    }
  }
  return needs;
}

/** `a`, `a or b`, `any of a, b and 7 more`. */
export function anyOf(names: readonly string[]): string {
  const plain = names.map((name) => cut(toOneLine(name), 40));
  if (plain.length < 4) return [plain.slice(0, -1).join(', '), plain.at(-1)].filter((part) => part !== '').join(' or ');
  return `any of ${plain.slice(0, 2).join(', ')} and ${plain.length - 2} more`;
}

function dependencyWords({ dependentRequired }: SchemaObject, { properties }: Facts): string[] {
  if (!isObject(dependentRequired)) return [];
  return Object.entries(dependentRequired)
    .filter(([key]) => !isReadOnly(properties.get(key) ?? []))
    .slice(0, 6)
    .map(([key, list]) => ({ key, names: namesOf(list).slice(0, 8) }))
    .filter(({ names }) => names.length > 0)
    .map(({ key, names }) => `With ${cut(toOneLine(key), 40)} also give ${names.join(', ')}`);
}

/** A sentence and the fields it is about. */
export interface RuleWords {
  readonly sentence: string;
  readonly names: readonly string[];
}

/** if/then/else and `not: {required}` of one part. */
export function conditionalWords(part: SchemaObject): RuleWords[] {
  const rules: RuleWords[] = [];
  const when = isObject(part.if) ? conditionWords(part.if) : undefined;
  if (when !== undefined) {
    for (const [branch, start] of [
      [part.then, 'When'],
      [part.else, 'Unless'],
    ] as const) {
      const names = (isObject(branch) ? namesOf(branch.required) : []).slice(0, 8);
      if (names.length > 0)
        rules.push({
          sentence: `${start} ${when.sentence}, ${names.join(', ')} required`,
          names: [...when.names, ...names],
        });
    }
  }
  if (isObject(part.not)) {
    const names = namesOf(part.not.required);
    if (names.length > 1)
      rules.push({ sentence: `Not together: ${names.slice(0, 8).join(', ')}`, names: names.slice(0, 8) });
    if (names.length === 1) rules.push({ sentence: `Never with ${names[0]}`, names });
  }
  return rules;
}

function conditionWords(condition: SchemaObject): RuleWords | undefined {
  const rules: RuleWords[] = [];
  if (isObject(condition.properties)) {
    for (const [key, schema] of Object.entries(condition.properties).slice(0, 3)) {
      const values = choicesOf(schema);
      if (values) rules.push({ sentence: `${cut(toOneLine(key), 40)} is ${showChoices(values)}`, names: [key] });
    }
  }
  if (rules.length === 0) {
    for (const name of namesOf(condition.required).slice(0, 3))
      rules.push({ sentence: `${name} is given`, names: [name] });
  }
  if (rules.length === 0) return undefined;
  return {
    sentence: rules.map(({ sentence }) => sentence).join(' and '),
    names: rules.flatMap(({ names }) => names),
  };
}

/** Excluded values. */
export function exclusionWords(facts: Facts): string[] {
  const values = choicesOf(firstOf(facts, 'not'));
  return values ? [`Not ${showChoices(values)}`] : [];
}

/** `name (required), color, …` for fields that are named but not shown. */
export function fieldList(names: readonly string[], required: ReadonlySet<string>): string {
  const order = [...names.filter((name) => required.has(name)), ...names.filter((name) => !required.has(name))];
  const fields = order.map((name) => `${cut(toOneLine(name), 40)}${required.has(name) ? ' (required)' : ''}`);
  return listWithin(fields, 160);
}

/** One example as JSON, if it adds something to the type. */
export function exampleOf(facts: Facts, maxChars: number): string | undefined {
  if (facts.choices !== undefined) return undefined;
  const list = firstOf(facts, 'examples');
  const example = firstOf(facts, 'example') ?? (Array.isArray(list) ? list[0] : undefined);
  if (example === undefined || example === null || typeof example === 'boolean' || example === '') return undefined;
  const text = toOneLine(JSON.stringify(example) ?? '');
  return text.length > 0 && text.length <= maxChars ? text : undefined;
}
