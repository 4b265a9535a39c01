// How schema places and argument values are written in a message: short, on one line, and never a secret.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { toOneLine, wholeCharacters } from '../../endpoint/plain-text.ts';
import { joinFieldPath } from '../../endpoint/problems.ts';
import { ANY, ARRAY, BOOLEAN, INTEGER, NULL, NUMBER, possibleTypes, STRING, typeOf, typeWords } from '../json-types.ts';
import { deref, findKeyword, isSchema, ownSchema } from '../references.ts';

const MAX_SHOWN_CHARS = 60;
const MAX_ENUM_SHOWN = 12;
/** Only this much of a value or name is examined. */
const MAX_LOOKED_AT = 2_000;

const SECRET_NAME =
  /pass(?:word|wd|phrase|code)|secret|token|api_?-?key|access_?-?key|private_?-?key|auth|credential|cookie|session|bearer|signature|cvv|cvc|\bpin\b|ssn|iban|card_?number/i;
const SECRET_VALUE =
  /^(?:bearer |basic |sk[-_]|pk[-_]|rk[-_]|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|eyJ[\w-]+\.|-----BEGIN|ya29\.|AIza)/i;

/** Whether a value should not be repeated: by the argument's name, by its schema, or by the form of the value. */
export function isSecret(value: unknown, key: string, schema?: JsonSchema): boolean {
  if (isObject(schema) && (schema.format === 'password' || schema.writeOnly === true)) return true;
  if (typeof value !== 'string' && typeof value !== 'number') return false;
  if (SECRET_NAME.test(key.slice(0, MAX_LOOKED_AT))) return true;
  if (typeof value !== 'string') return false;
  const start = value.slice(0, MAX_LOOKED_AT);
  return SECRET_VALUE.test(start) || looksRandom(start);
}

function looksRandom(value: string): boolean {
  if (value.length < 24 || !/^[\w+/=.-]+$/.test(value)) return false;
  if (/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value)) return false;
  return (
    /\d/.test(value) && /[a-z]/i.test(value) && new Set(value).size >= 12 && !/[-_.](?:[a-z]{3,})[-_.]/.test(value)
  );
}

/** `string "bug"`, `object {}`, `integer 5`; long ones cut, secret ones hidden. */
export function showValue(value: unknown, key = '', schema?: JsonSchema): string {
  if (value === undefined) return 'nothing';
  const type = typeWords(typeOf(value));
  if (value === null) return 'null';
  if (isSecret(value, key, schema)) {
    return typeof value === 'string' ? `string (hidden, ${value.length} characters)` : `${type} (hidden)`;
  }
  if (typeof value === 'string') return `string ${quote(value)}`;
  if (Array.isArray(value)) return value.length === 0 ? 'array []' : `array of ${plural(value.length, 'item')}`;
  if (typeof value === 'object') return `object {${listFirst(Object.keys(value), 5, (name) => shorten(name, 24))}}`;
  return `${type} ${String(value)}`;
}

export function plural(count: unknown, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** A string as JSON would write it, cut. */
function quote(value: string): string {
  const start = toOneLine(value.slice(0, MAX_LOOKED_AT));
  if (value.length <= MAX_LOOKED_AT && start.length <= MAX_SHOWN_CHARS) return JSON.stringify(start);
  return `${JSON.stringify(cut(start, MAX_SHOWN_CHARS - 20))} (${value.length} characters)`;
}

/** One line of a name of any length. */
function shorten(name: string, max: number): string {
  return cut(toOneLine(name.slice(0, MAX_LOOKED_AT)), max);
}

export function cut(value: string, max: number): string {
  return value.length <= max ? value : `${wholeCharacters(value, max - 1)}…`;
}

/** The first items of a list, and an ellipsis if there are more. */
export function listFirst<Item>(
  items: readonly Item[],
  max: number,
  write: (item: Item) => string,
  more = '…',
): string {
  const words = items.slice(0, max).map((item) => write(item));
  return (items.length > max ? [...words, more] : words).join(', ');
}

/** As many parts of a list as fit. */
export function listWithin(parts: readonly string[], maxChars: number): string {
  let length = 0;
  const end = parts.findIndex((part) => {
    length += part.length + 2;
    return length > maxChars;
  });
  return (end === -1 ? parts : [...parts.slice(0, end), '…']).join(', ');
}

/** A name in backticks. Anything that is not a plain name is quoted, so that it cannot be read as part of the sentence. */
export function showName(name: string): string {
  const text = shorten(name, 64);
  return /^[\w$.[\]-]+$/.test(text) ? `\`${text}\`` : JSON.stringify(text);
}

/** The names in a list of names; other values are left out. */
export function namesOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((name): name is string => typeof name === 'string') : [];
}

/** `items[2].price`; the empty path is the arguments themselves. */
export function joinPath(path: string, key: string | number): string {
  return joinFieldPath(path, typeof key === 'number' ? key : shorten(key, 64));
}

/** The keys of such a path, also of `files["a.py"]`. Names that joinPath() has cut stay cut. */
export function splitPath(path: string): readonly string[] {
  return Array.from(path.matchAll(/\[("(?:[^"\\]|\\.)*")\]|[^.[\]]+/g), ([whole, quotation]) =>
    quotation === undefined ? whole : String(JSON.parse(quotation)),
  );
}

/** `"a", "b", "c"`, cut after a dozen. */
export function showChoices(values: readonly unknown[]): string {
  return listFirst(values, MAX_ENUM_SHOWN, showChoice, `… (${values.length} values)`);
}

function showChoice(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(shorten(value, 40)) : cut(JSON.stringify(value) ?? 'null', 40);
}

/** `"a"`, or `one of "a", "b"` */
export function describeChoices(values: readonly unknown[]): string {
  return values.length === 1 ? showChoices(values) : `one of ${showChoices(values)}`;
}

/** What a place accepts, in words: `string`, `array of string or object`, `one of "a", "b"`. */
export function describeType(root: JsonSchema, schema: JsonSchema, depth = 0): string {
  const bits = possibleTypes(root, schema);
  const choices = findKeyword(root, schema, 'enum');
  if (Array.isArray(choices) && choices.length > 0) return describeChoices(choices);
  const choice = findKeyword(root, schema, 'const');
  if (choice !== undefined) return describeChoices([choice]);
  if (bits & ARRAY && bits !== ANY && depth < 2) {
    const items = ownSchema(deref(root, schema), 'items') ?? findKeyword(root, schema, 'items');
    const inner = isSchema(items) ? describeType(root, items, depth + 1) : 'any value';
    const array = inner === 'any value' ? 'array' : `array of ${inner}`;
    return bits === ARRAY ? array : `${typeWords(bits & ~ARRAY)} or ${array}`;
  }
  const format = findKeyword(root, schema, 'format');
  if (typeof format !== 'string' || SILENT_FORMATS.has(format) || !FORMATTED.has(bits & ~NULL)) return typeWords(bits);
  return `${typeWords(bits)} (${cut(toOneLine(format), 24)})`;
}

/** Types with formats, and the formats that do not help a caller. */
const FORMATTED: ReadonlySet<number> = new Set([STRING, INTEGER, NUMBER, BOOLEAN]);
const SILENT_FORMATS: ReadonlySet<string> = new Set(['float', 'double', 'int32', 'int64', 'password']);
