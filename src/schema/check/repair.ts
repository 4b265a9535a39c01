// Schemas as documents write them are not always schemas. What ajv would refuse as a whole is taken out here keyword by
// keyword, each with a note, so that one slip does not make an operation unusable or its other rules unenforced.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import {
  DEFINITION_KEYWORDS,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
  setOwn,
  TYPES,
} from '../keywords.ts';
import { isSchema, resolveRef, type SchemaObject } from '../references.ts';

export interface Repaired {
  readonly schema: JsonSchema;
  /** What is not enforced, by JSON pointer. */
  readonly notes: readonly string[];
}

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isText = (value: unknown): boolean => typeof value === 'string';
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isList = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

/** Keywords whose value must look a certain way. */
const SIMPLE: Readonly<Record<string, (value: unknown) => boolean>> = Object.assign(Object.create(null), {
  type: (value: unknown) =>
    Array.isArray(value)
      ? value.length > 0 && value.every((name) => TYPES.includes(name))
      : TYPES.includes(value as string),
  enum: isList,
  multipleOf: (value: unknown) => isNumber(value) && (value as number) > 0,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minContains: isCount,
  maxContains: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  pattern: isText,
  format: isText,
  uniqueItems: (value: unknown) => typeof value === 'boolean',
  required: isNames,
  dependentRequired: (value: unknown) => isObject(value) && Object.values(value).every(isNames),
});

/** Identity and dialect of a schema mean nothing inside one that is complete; `$async` would turn checks into promises. */
const DROPPED = new Set(['$schema', '$id', 'id', '$async', '$vocabulary', '$comment', 'discriminator']);

/** A copy of the schema that compiles, and what it lost. */
export function repairSchema(root: JsonSchema): Repaired {
  const notes: string[] = [];
  const schema = repair(root, root, '#', notes, new Map(), 0);
  return { schema, notes };
}

/** ajv writes the whole pointer of every place into its code: depth costs it the square. */
const MAX_DEPTH = 128;
/** It nests what follows from one branch or property to the next: width costs stack. */
const MAX_WIDTH = 1_000;
const MAX_NODES = 200_000;
const isWide = (keyword: string): boolean => SCHEMA_LIST_KEYWORDS.has(keyword) || SCHEMA_MAP_KEYWORDS.has(keyword);

/** Whether a schema is of a size that can be compiled; `too large` cannot be helped. */
export function sizeProblem(schema: JsonSchema): 'too deep' | 'too wide' | 'too large' | undefined {
  let nodes = 0;
  let wide = false;
  const visit = (value: unknown, depth: number): 'too deep' | 'too large' | undefined => {
    if (typeof value !== 'object' || value === null) return undefined;
    if (++nodes > MAX_NODES) return 'too large';
    // A schema sits one or two levels below the one that holds it.
    if (depth > MAX_DEPTH * 2) return 'too deep';
    for (const key of Object.keys(value)) {
      const part = (value as Record<string, unknown>)[key];
      // The arguments themselves are compiled one by one.
      if (isWide(key) && depth > 0 && widthOf(part) > MAX_WIDTH) wide = true;
      const problem = visit(part, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  return visit(schema, 0) ?? (wide ? 'too wide' : undefined);
}

function widthOf(part: unknown): number {
  return Array.isArray(part) ? part.length : isObject(part) ? Object.keys(part).length : 0;
}

function repair(
  root: JsonSchema,
  schema: JsonSchema,
  at: string,
  notes: string[],
  done: Map<SchemaObject, SchemaObject>,
  depth: number,
): JsonSchema {
  if (!isObject(schema)) return schema;
  const copied = done.get(schema);
  if (copied) return copied;
  if (depth > MAX_DEPTH) {
    notes.push(`${at}: nested too deep, not enforced from here`);
    return true;
  }
  const copy: Record<string, unknown> = {};
  done.set(schema, copy);
  const go = (part: unknown, pointer: string): JsonSchema => {
    if (isSchema(part)) return repair(root, part, pointer, notes, done, depth + 1);
    notes.push(`${pointer}: not a schema, not enforced`);
    return true;
  };
  for (const key of Object.keys(schema)) {
    const value = schema[key];
    const pointer = `${at}/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`;
    if (DROPPED.has(key) || key === '__proto__') continue;
    if (isWide(key) && depth > 0 && widthOf(value) > MAX_WIDTH) {
      notes.push(`${pointer}: more than ${MAX_WIDTH} entries, not enforced`);
      continue;
    }
    if (key === '$ref') repairRef(root, value, pointer, notes, copy);
    else if (SCHEMA_KEYWORDS.has(key))
      copy[key] = Array.isArray(value) && key === 'items' ? go({ anyOf: value }, pointer) : go(value, pointer);
    else if (SCHEMA_LIST_KEYWORDS.has(key)) {
      if (isList(value)) copy[key] = (value as unknown[]).map((part, index) => go(part, `${pointer}/${index}`));
      else notes.push(`${pointer}: must be a list of schemas, not enforced`);
    } else if (SCHEMA_MAP_KEYWORDS.has(key) || DEFINITION_KEYWORDS.has(key)) {
      if (isObject(value)) copy[key] = repairMap(value, (part, name) => go(part, `${pointer}/${name}`));
      else notes.push(`${pointer}: must be an object of schemas, not enforced`);
    } else if (SIMPLE[key]?.(value) === false) {
      if (key !== 'required' || typeof value !== 'boolean') notes.push(`${pointer}: unusable value, not enforced`);
    } else if (key !== 'nullable') copy[key] = value;
  }
  if (schema.nullable === true && copy.type !== undefined) copy.type = [...new Set([copy.type, 'null'].flat())];
  return copy;
}

function repairRef(
  root: JsonSchema,
  ref: unknown,
  pointer: string,
  notes: string[],
  copy: Record<string, unknown>,
): void {
  if (resolveRef(root, ref) !== undefined) copy.$ref = ref;
  else notes.push(`${pointer}: ${typeof ref === 'string' ? `${ref} leads nowhere` : 'not a reference'}, not enforced`);
}

function repairMap(
  map: Record<string, unknown>,
  go: (part: unknown, name: string) => JsonSchema,
): Record<string, JsonSchema> {
  const copy: Record<string, JsonSchema> = {};
  for (const name of Object.keys(map)) setOwn(copy, name, go(map[name], name));
  return copy;
}
