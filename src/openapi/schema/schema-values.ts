// Values inside schemas: numbers, patterns, defaults, enums. Documents get their types wrong often enough that a keyword
// is used only where its value can mean something.
import { isObject } from '../../endpoint/is-object.ts';
import { safePattern } from '../../schema/check/pattern.ts';

const MAX_VALUE_NODES = 500;
const MAX_VALUE_DEPTH = 24;
const MAX_VALUE_CHARS = 4_000;

export function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export function sizeIn(value: unknown): number | undefined {
  const size = numberIn(value);
  return size !== undefined && Number.isInteger(size) && size >= 0 ? size : undefined;
}

/** A pattern that no engine accepts (`\p{Graph}` is Java's) is ignored; the validator decides which engine runs the others. */
export function usablePattern(pattern: string): boolean {
  return safePattern(pattern).engine !== 'none';
}

/**
 * The pattern of a keyword, if an engine accepts it. A whole JavaScript literal (`/^[a-z]+$/`) stands for the part between its
 * slashes: as written, nothing could match a slash before `^`. Its flags cannot be expressed; with one that widens it, it is
 * ignored.
 */
export function patternIn(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const end = value.startsWith('/^') ? value.lastIndexOf('$/') : -1;
  const flags = value.slice(end + 2);
  if (end < 0 || /[^a-z]/.test(flags)) return usablePattern(value) ? value : undefined;
  const pattern = value.slice(1, end + 1);
  return /[^gu]/.test(flags) || !usablePattern(pattern) ? undefined : pattern;
}

/** Defaults and examples are information: one too large or too deep to show is left out. */
export function isSmallValue(value: unknown): boolean {
  let nodes = 0;
  let chars = 0;
  const fits = (inner: unknown, depth: number): boolean => {
    if (typeof inner === 'string') chars += inner.length;
    if (++nodes > MAX_VALUE_NODES || depth > MAX_VALUE_DEPTH || chars > MAX_VALUE_CHARS) return false;
    if (Array.isArray(inner)) return inner.every((item) => fits(item, depth + 1));
    if (isObject(inner)) return Object.values(inner).every((item) => fits(item, depth + 1));
    return inner !== undefined;
  };
  return fits(value, 0);
}

/** YAML reads `enum: [1, 2]` and `[true]` under `type: string` as what they look like; the type says what was meant. */
export function fitValues(schema: Record<string, unknown>): void {
  const { type } = schema;
  if (type !== 'string' && type !== 'integer' && type !== 'number') return;
  const adapt = type === 'string' ? toText : toNumber;
  if (Array.isArray(schema.enum) && schema.enum.some((value) => adapt(value) !== value))
    schema.enum = schema.enum.map(adapt);
  for (const keyword of ['const', 'default']) {
    if (Object.hasOwn(schema, keyword) && adapt(schema[keyword]) !== schema[keyword])
      schema[keyword] = adapt(schema[keyword]);
  }
}

function toText(value: unknown): unknown {
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
}

function toNumber(value: unknown): unknown {
  return typeof value === 'string' ? (numberIn(value) ?? value) : value;
}
