// Keeps the work of one validation bounded. Most schemas cost what their arguments measure; three kinds cost more: a
// definition that refers to others through unions can be entered 2^n times for n levels of nesting, a list of hundreds
// of branches is tried for every item of an array, and hundreds of patterns are tried for every key of a map. Such places
// pay for every visit, and a call that needs too many is refused.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import {
  DEFINITION_KEYWORDS,
  mapSubschemas,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
  subschemas,
} from '../keywords.ts';
import { resolveRef, type SchemaObject } from '../references.ts';

/** Keyword put into places that pay. */
export const EFFORT_KEYWORD = 'x-landbridge-effort';

/** What one visit costs. */
interface Toll {
  readonly once: number;
  /** For each key of an object. */
  readonly perKey: number;
}

const MAX_EFFORT = 200_000;
/** Explaining also writes down what it finds. */
const MAX_EXPLAINING = 40_000;
/** Schemas compiled within one call: ajv takes up to half a millisecond for each. What is beyond is walked. */
export const MAX_COMPILED = 60;
/** Fewer branches, patterns or properties than this cost what any schema costs. */
const FREE_BRANCHES = 8;
const FREE_PATTERNS = 4;
const FREE_PROPERTIES = 64;

/** Going through the keys of an object is cheap; going through them for every branch of a union is not. */
const KEY_EFFORT = 1 / 2;

let left = MAX_EFFORT;
let explaining = MAX_EXPLAINING;
let compiling = MAX_COMPILED;
let purpose: 'check' | 'explain' = 'check';

/** Thrown when an allowance is used up. */
export const TOO_MUCH_EFFORT: unique symbol = Symbol('too much effort');

/** A fresh allowance for one call: so much for checking, however often that is done, and so much for explaining. */
export function allowEffort(): void {
  left = MAX_EFFORT;
  explaining = MAX_EXPLAINING;
  compiling = MAX_COMPILED;
  purpose = 'check';
}

/** Which allowance pays from here on. */
export function payFrom(allowance: 'check' | 'explain'): void {
  purpose = allowance;
}

/** For ajv: called with the keyword's value and the data wherever the keyword stands. */
export function spendEffort({ once, perKey }: Toll, data: unknown): boolean {
  spend(perKey > 0 && isObject(data) ? once + perKey * Object.keys(data).length : once);
  return true;
}

/** Takes from the allowance that pays now. */
export function spend(effort: number): void {
  if (purpose === 'check') left -= effort;
  else explaining -= effort;
  if ((purpose === 'check' ? left : explaining) < 0) throw TOO_MUCH_EFFORT;
}

/** Whether so many schemas may still be compiled within this call; if so, they count as compiled. */
export function mayCompile(schemas: number): boolean {
  if (schemas > compiling) return false;
  compiling -= schemas;
  return true;
}

/**
 * How many schemas ajv compiles for one: those below it, each as often as it stands there, and what references lead to,
 * once. Counting ends above what may be compiled.
 */
export function countSchemas(root: JsonSchema, schema: JsonSchema): number {
  const targets = new Set<unknown>();
  const queue: unknown[] = [schema];
  let count = 0;
  while (queue.length > 0 && count <= MAX_COMPILED) {
    const part = queue.pop();
    if (!isObject(part)) continue;
    count++;
    const target = part.$ref === undefined ? undefined : resolveRef(root, part.$ref);
    if (target !== undefined && !targets.has(target)) {
      targets.add(target);
      queue.push(target);
    }
    for (const [, , inner] of subschemas(part)) if (queue.push(inner) > MAX_COMPILED) return queue.length;
  }
  return count;
}

/** The schema with every dear place paying; the same object when none does. */
export function countEffort(root: JsonSchema): JsonSchema {
  if (!isObject(root)) return root;
  const copies = new Map<SchemaObject, SchemaObject>();
  const count = (schema: unknown, keyword?: string, crowded = false): unknown => {
    if (!isObject(schema)) return schema;
    const copied = copies.get(schema);
    if (copied) return copied;
    let changed = false;
    const copy = mapSubschemas(schema, (inner, under) => {
      const siblings = schema[under];
      const many = SCHEMA_LIST_KEYWORDS.has(under) && Array.isArray(siblings) && siblings.length > FREE_BRANCHES;
      const counted = count(inner, under, many);
      changed ||= counted !== inner;
      return counted;
    });
    const entered = keyword === undefined ? refersToRoot(root) : DEFINITION_KEYWORDS.has(keyword) && refers(schema, 0);
    const toll = tollOf(schema, entered, crowded);
    if (toll !== undefined) copy[EFFORT_KEYWORD] = toll;
    const result = changed || toll !== undefined ? copy : schema;
    copies.set(schema, result);
    return result;
  };
  return count(root) as JsonSchema;
}

function tollOf(schema: SchemaObject, entered: boolean, crowded: boolean): Toll | undefined {
  let once = entered ? 1 : 0;
  for (const keyword of SCHEMA_LIST_KEYWORDS) {
    const list = schema[keyword];
    if (Array.isArray(list) && list.length > FREE_BRANCHES) once += list.length;
  }
  for (const keyword of [...SCHEMA_MAP_KEYWORDS, 'dependentRequired', 'dependencies']) {
    const map = schema[keyword];
    if (isObject(map)) once += Math.floor(Object.keys(map).length / FREE_PROPERTIES);
  }
  const patterns = isObject(schema.patternProperties) ? Object.keys(schema.patternProperties).length : 0;
  const closed = schema.additionalProperties === false || schema.unevaluatedProperties === false;
  const names = closed && crowded ? KEY_EFFORT : 0;
  const perKey = patterns > FREE_PATTERNS ? patterns : names;
  return once + perKey === 0 ? undefined : { once, perKey };
}

function refers(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > 200) return depth > 200;
  if (typeof (value as { $ref?: unknown }).$ref === 'string') return true;
  return Object.values(value).some((part) => refers(part, depth + 1));
}

/** Whether a reference leads anywhere but to a definition. */
export function refersToRoot(root: JsonSchema): boolean {
  const leads = (value: unknown, depth: number): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    if (depth > 200) return true;
    const { $ref } = value as { $ref?: unknown };
    if (typeof $ref === 'string' && !/^#\/(?:\$defs|definitions)\//.test($ref)) return true;
    return Object.values(value).some((part) => leads(part, depth + 1));
  };
  return leads(root, 0);
}
