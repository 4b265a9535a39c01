// Reads a schema without compiling it: which JSON types a place accepts.
import { isObject } from '../endpoint/is-object.ts';
import type { JsonSchema } from '../endpoint/model.ts';
import { UNIONS } from './keywords.ts';
import { resolveRef, type SchemaObject, schemasOf } from './references.ts';

// JSON types as bits, so that union and intersection are one operation each. A number is an integer or a fraction.
export const NULL = 1;
export const BOOLEAN = 2;
export const INTEGER = 4;
export const FRACTION = 8;
export const NUMBER = INTEGER | FRACTION;
export const STRING = 16;
export const ARRAY = 32;
export const OBJECT = 64;
export const ANY = 127;

const BITS: ReadonlyMap<unknown, number> = new Map([
  ['null', NULL],
  ['boolean', BOOLEAN],
  ['integer', INTEGER],
  ['number', NUMBER],
  ['string', STRING],
  ['array', ARRAY],
  ['object', OBJECT],
]);

export function typeOf(value: unknown): number {
  if (value === null) return NULL;
  if (typeof value === 'boolean') return BOOLEAN;
  if (typeof value === 'number') return Number.isInteger(value) ? INTEGER : FRACTION;
  if (typeof value === 'string') return STRING;
  return Array.isArray(value) ? ARRAY : OBJECT;
}

/** The types named by a `type` keyword itself. */
export function namedTypes(type: unknown): number {
  if (type === undefined) return ANY;
  let bits = 0;
  for (const name of Array.isArray(type) ? type : [type]) bits |= BITS.get(name) ?? 0;
  return bits || ANY;
}

// Kept per root, because definitions are shared. Without it, a schema that branches again and again would be walked 2^n times.
const typesByRoot = new WeakMap<object, WeakMap<object, number>>();
const PENDING = -1;
const MAX_STEPS = 5_000;

interface TypeWalk {
  readonly root: JsonSchema;
  readonly cache: WeakMap<object, number>;
  steps: number;
  /** Cycles found so far. Results inside a cycle are valid for this walk only. */
  cycles: number;
}

/** Every type a value may have at this place, through references and compositions. */
export function possibleTypes(root: JsonSchema, schema: JsonSchema): number {
  if (!isObject(schema)) return schema ? ANY : 0;
  // Most branches of a large union name their type and nothing else. Caching that costs more than reading it.
  if (isPlain(schema)) return ownTypes(schema);
  const holder = isObject(root) ? root : schema;
  let cache = typesByRoot.get(holder);
  const entry = cache?.get(schema);
  if (entry !== undefined && entry !== PENDING) return entry;
  cache ??= new WeakMap<object, number>();
  typesByRoot.set(holder, cache);
  const bits = findTypes({ root, cache, steps: 0, cycles: 0 }, schema) ?? ANY;
  cache.set(schema, bits);
  return bits;
}

/** Whether only `type` itself decides. Called for up to a hundred thousand branches: few names, each read once. */
function isPlain(schema: SchemaObject): boolean {
  const { $ref, enum: choices, const: choice, allOf } = schema;
  if ($ref !== undefined || choices !== undefined || choice !== undefined || allOf !== undefined) return false;
  return UNIONS.every((union) => schema[union] === undefined);
}

/** The types that a schema itself names, with null if it is `nullable`. */
export function ownTypes({ type, nullable }: SchemaObject): number {
  return nullable === true ? namedTypes(type) | NULL : namedTypes(type);
}

/** undefined for a schema that is already being visited: a cycle neither adds types to a union nor removes any. */
function findTypes(walk: TypeWalk, schema: JsonSchema): number | undefined {
  if (!isObject(schema)) return schema ? ANY : 0;
  const entry = walk.cache.get(schema);
  if (entry === PENDING) walk.cycles++;
  if (entry !== undefined) return entry === PENDING ? undefined : entry;
  if (++walk.steps > MAX_STEPS) return ANY;
  const cycles = walk.cycles;
  walk.cache.set(schema, PENDING);
  let bits = ownTypes(schema);
  if (Array.isArray(schema.enum)) bits &= schema.enum.reduce<number>((all, value) => all | typeOf(value), 0);
  if (Object.hasOwn(schema, 'const')) bits &= typeOf(schema.const);
  const target = schema.$ref === undefined ? undefined : resolveRef(walk.root, schema.$ref);
  for (const part of target === undefined ? schemasOf(schema.allOf) : [target, ...schemasOf(schema.allOf)]) {
    bits &= findTypes(walk, part) ?? ANY;
  }
  for (const keyword of UNIONS) {
    const branches = schemasOf(schema[keyword]);
    if (branches.length > 0) bits &= branches.reduce<number>((all, part) => all | (findTypes(walk, part) ?? 0), 0);
  }
  if (walk.cycles === cycles) walk.cache.set(schema, bits);
  else walk.cache.delete(schema);
  return bits;
}

/** `string or integer`, in a fixed order. */
export function typeWords(bits: number): string {
  if (bits === ANY) return 'any value';
  const words: string[] = [];
  if (bits & STRING) words.push('string');
  if (bits & FRACTION) words.push('number');
  else if (bits & INTEGER) words.push('integer');
  if (bits & BOOLEAN) words.push('boolean');
  if (bits & ARRAY) words.push('array');
  if (bits & OBJECT) words.push('object');
  if (bits & NULL) words.push('null');
  return words.length === 0 ? 'nothing' : words.join(' or ');
}
