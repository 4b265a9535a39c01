// How schema places and argument values are written in a message: short, on one line, and never a secret.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { toOneLine, toSummary, wholeCharacters } from '../../endpoint/plain-text.ts';
import { ARRAY, BOOLEAN, INTEGER, NULL, NUMBER, STRING, typeOf, typesOf, typeWords } from '../json-types.ts';
import { deref, findKeyword, ownSchema } from '../references.ts';

const MAX_SHOWN_CHARS = 60;
const MAX_ENUM_SHOWN = 12;
/** Longer values and names are not read further. */
const MAX_LOOKED_AT = 2_000;

const SECRET_NAME =
  /pass(?:word|wd|phrase|code)|secret|token|api_?-?key|access_?-?key|private_?-?key|auth|credential|cookie|session|bearer|signature|cvv|cvc|\bpin\b|ssn|iban|card_?number/i;
const SECRET_VALUE =
  /^(?:bearer |basic |sk[-_]|pk[-_]|rk[-_]|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|AKIA|ASIA|eyJ[\w-]+\.|-----BEGIN|ya29\.|AIza)/i;

/** Whether a value should not be repeated: by the argument's name, by its schema, or by its looks. */
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
  if (Array.isArray(value))
    return `array ${value.length === 0 ? '[]' : `of ${value.length} item${value.length === 1 ? '' : 's'}`}`;
  if (typeof value === 'object') {
    const keys = Object.keys(value);
    if (keys.length === 0) return 'object {}';
    const shown = keys.slice(0, 5).map((name) => shorten(name, 24));
    return `object {${shown.join(', ')}${keys.length > 5 ? ', …' : ''}}`;
  }
  return `${type} ${String(value)}`;
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

/** As much of a list as there is room for. */
export function listWithin(parts: readonly string[], maxChars: number): string {
  let used = 0;
  const end = parts.findIndex((part) => {
    used += part.length + 2;
    return used > maxChars;
  });
  return (end === -1 ? parts : [...parts.slice(0, end), '…']).join(', ');
}

/** A name in backticks; anything that is not a plain name is quoted so that it cannot pose as text. */
export function showName(name: string): string {
  const shown = shorten(name, 64);
  return /^[\w$.[\]-]+$/.test(shown) ? `\`${shown}\`` : JSON.stringify(shown);
}

/** The names in a list of names; what is no text is left out. */
export function namesOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((name): name is string => typeof name === 'string') : [];
}

/** `items[2].price`; the empty path is the arguments themselves. */
export function joinPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  const name = shorten(key, 64);
  if (!/^[\w$-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

/** The keys of such a path, also of `files["a.py"]`. Names that joinPath() has cut stay cut. */
export function splitPath(path: string): readonly string[] {
  return Array.from(path.matchAll(/\[("(?:[^"\\]|\\.)*")\]|[^.[\]]+/g), ([whole, quoted]) =>
    quoted === undefined ? whole : String(JSON.parse(quoted)),
  );
}

/** `"a", "b" or "c"`, cut after a dozen. */
export function showChoices(values: readonly unknown[]): string {
  const shown = values
    .slice(0, MAX_ENUM_SHOWN)
    .map((value) =>
      typeof value === 'string' ? JSON.stringify(shorten(value, 40)) : cut(JSON.stringify(value) ?? 'null', 40),
    );
  const more = values.length - shown.length;
  return more > 0 ? `${shown.join(', ')}, … (${values.length} values)` : shown.join(', ');
}

/** What a place takes, in words: `string`, `array of string or object`, `one of "a", "b"`. */
export function describeType(root: JsonSchema, schema: JsonSchema, depth = 0): string {
  const bits = typesOf(root, schema);
  const choices = findKeyword(root, schema, 'enum');
  if (Array.isArray(choices) && choices.length > 0) {
    return choices.length === 1 ? showChoices(choices) : `one of ${showChoices(choices)}`;
  }
  const fixed = findKeyword(root, schema, 'const');
  if (fixed !== undefined) return showChoices([fixed]);
  if (bits & ARRAY && depth < 2) {
    const items = ownSchema(deref(root, schema), 'items') ?? findKeyword(root, schema, 'items');
    const inner = isObject(items) || typeof items === 'boolean' ? describeType(root, items, depth + 1) : 'any value';
    const others = bits & ~ARRAY;
    const array = inner === 'any value' ? 'array' : `array of ${inner}`;
    return others === 0 ? array : others === (127 & ~ARRAY) ? 'any value' : `${typeWords(others)} or ${array}`;
  }
  const format = findKeyword(root, schema, 'format');
  const plain = bits & ~NULL;
  if (typeof format === 'string' && (plain === STRING || plain === INTEGER || plain === NUMBER || plain === BOOLEAN)) {
    if (!['float', 'double', 'int32', 'int64', 'password'].includes(format)) {
      return `${typeWords(bits)} (${cut(toOneLine(format), 24)})`;
    }
  }
  return typeWords(bits);
}

/** The first sentence of a place's description, or nothing. */
export function describePurpose(root: JsonSchema, schema: JsonSchema): string {
  const text = findKeyword(root, schema, 'description');
  return typeof text === 'string' ? toSummary(text, 160) : '';
}
