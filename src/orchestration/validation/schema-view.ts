// Reads a schema without compiling it: follows references, and says which JSON types a place takes.
import type { JsonSchema } from '../../endpoint/model.ts';

export type SchemaObject = { readonly [keyword: string]: unknown };

const MAX_HOPS = 32;
const MAX_NESTING = 24;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isObject(value);
}

/** Own properties only: a schema may well declare a property called `constructor`. */
export function ownSchema(holder: unknown, key: string): JsonSchema | undefined {
  if (!isObject(holder) || !Object.hasOwn(holder, key)) return undefined;
  const found = holder[key];
  return isSchema(found) ? found : undefined;
}

export function schemasOf(list: unknown): readonly JsonSchema[] {
  return Array.isArray(list) ? list.filter(isSchema) : [];
}

/** What a local `$ref` points to. Others (remote, dangling) give undefined. */
export function resolveRef(root: JsonSchema, ref: unknown): JsonSchema | undefined {
  if (typeof ref !== 'string' || !ref.startsWith('#') || !isObject(root)) return undefined;
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return anchored(root, ref.slice(1));
  let at: unknown = root;
  for (const part of ref.slice(2).split('/')) {
    const key = decodePart(part);
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return isSchema(at) ? at : undefined;
}

function anchored(root: SchemaObject, name: string): JsonSchema | undefined {
  for (const holder of [root.$defs, root.definitions]) {
    if (!isObject(holder)) continue;
    for (const key of Object.keys(holder)) {
      const schema = holder[key];
      if (isObject(schema) && (schema.$anchor === name || schema.$dynamicAnchor === name)) return schema;
    }
  }
  return undefined;
}

function decodePart(part: string): string {
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // A stray percent sign is taken as it stands.
  }
  return text.replace(/~1/g, '/').replace(/~0/g, '~');
}

/** Follows a schema that is nothing but a reference (annotations aside) to what it stands for. */
export function deref(root: JsonSchema, schema: JsonSchema): JsonSchema {
  let at = schema;
  for (let hops = 0; hops < MAX_HOPS && isObject(at) && at.$ref !== undefined; hops++) {
    const target = resolveRef(root, at.$ref);
    if (target === undefined) break;
    at = target;
  }
  return at;
}

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

/** Every type a value may have at this place, through references and compositions. */
export function typesOf(root: JsonSchema, schema: JsonSchema, depth = 0): number {
  if (typeof schema === 'boolean' || depth > MAX_NESTING) return schema === false ? 0 : ANY;
  let bits = namedTypes(schema.type);
  if (schema.nullable === true && schema.type !== undefined) bits |= NULL;
  if (Array.isArray(schema.enum)) bits &= schema.enum.reduce<number>((all, value) => all | typeOf(value), 0);
  if (Object.hasOwn(schema, 'const')) bits &= typeOf(schema.const);
  if (schema.$ref !== undefined) {
    const target = resolveRef(root, schema.$ref);
    if (target !== undefined) bits &= typesOf(root, target, depth + 1);
  }
  for (const part of schemasOf(schema.allOf)) bits &= typesOf(root, part, depth + 1);
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = schemasOf(schema[keyword]);
    if (branches.length > 0) bits &= branches.reduce<number>((all, part) => all | typesOf(root, part, depth + 1), 0);
  }
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

/** The first schema that says something about `keyword`, through references and allOf. */
export function findKeyword(root: JsonSchema, schema: JsonSchema, keyword: string, depth = 0): unknown {
  if (!isObject(schema) || depth > MAX_NESTING) return undefined;
  if (Object.hasOwn(schema, keyword)) return schema[keyword];
  const target = schema.$ref === undefined ? undefined : resolveRef(root, schema.$ref);
  const fromRef = target === undefined ? undefined : findKeyword(root, target, keyword, depth + 1);
  if (fromRef !== undefined) return fromRef;
  for (const part of schemasOf(schema.allOf)) {
    const found = findKeyword(root, part, keyword, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
