// What a caller most likely meant. Only asked after a first failure, and only where one reading is possible: a place that
// takes a string is never touched, and the result is validated again.
import { isObject } from '../../endpoint/is-object.ts';
import type { Args, JsonSchema } from '../../endpoint/model.ts';
import { ANY, ARRAY, BOOLEAN, FRACTION, NULL, NUMBER, OBJECT, STRING, typeOf, typesOf } from '../json-types.ts';
import { setOwn, UNIONS } from '../keywords.ts';
import { conjuncts, ownSchema, type SchemaObject, schemasOf } from '../references.ts';
import { MAX_DEPTH, withinBounds } from './bounds.ts';
import { sameJson } from './json-equality.ts';

const LONG = /^-?[1-9]\d{15,19}$/;
const NUMERIC = /^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?$/;
/** Values looked at, and branches of unions tried for them. */
const MAX_STEPS = 50_000;

export type Path = readonly (string | number)[];

export interface Reading {
  /** With unambiguous readings applied; the very same object when there are none. */
  readonly args: Args;
  /** Integers of more digits than a number holds, given as text; a number of the same sign stands in for each. */
  readonly long: readonly { readonly path: Path; readonly digits: string }[];
  /** Integers that were numbers in spite of that, so that their last digits are lost. */
  readonly rounded: readonly Path[];
}

interface Walk {
  left: number;
  readonly path: (string | number)[];
  readonly long: { path: Path; digits: string }[];
  readonly rounded: Path[];
}

export function coerce(schema: JsonSchema, args: Args): Reading {
  const steps: Walk = { left: MAX_STEPS, path: [], long: [], rounded: [] };
  const read = walk(schema, [schema], args, 0, steps) as Args;
  return { args: read, long: steps.long, rounded: steps.rounded };
}

/**
 * The arguments with every long integer in its place, as a bigint. Whatever holds one was copied when the number that
 * stands in for it was put there, so each is set where it belongs, in one pass.
 */
export function withLongIntegers({ args, long }: Reading): Args {
  for (const { path, digits } of long) {
    let holder: unknown = args;
    for (const key of path.slice(0, -1)) holder = (holder as Record<string | number, unknown>)[key];
    setOwn(holder as object, path.at(-1)!, BigInt(digits));
  }
  return args;
}

/** `places` are all schemas that hold at this place at once (through $ref and allOf). */
function walk(root: JsonSchema, schemas: readonly JsonSchema[], value: unknown, depth: number, steps: Walk): unknown {
  if (depth > MAX_DEPTH || --steps.left < 0) return value;
  const places = expand(root, schemas, value, steps);
  const types = places.reduce<number>((bits, place) => bits & typesOf(root, place), ANY);
  const read = types & typeOf(value) ? value : reread(value, types, steps);
  if (typeof read === 'number' && isRounded(read, types)) steps.rounded.push([...steps.path]);
  if (Array.isArray(read)) return walkArray(root, places, read, depth, steps);
  if (isObject(read)) return walkObject(root, places, read, depth, steps);
  return read;
}

/** Another reading of a value whose type does not fit, or the value itself. */
function reread(value: unknown, types: number, steps: Walk): unknown {
  if (typeof value === 'number') {
    // Above 2^53 the digits are already lost: better to ask for a string.
    return Number.isSafeInteger(value) && (types & ~NULL) === STRING ? String(value) : value;
  }
  if (typeof value !== 'string' || types & STRING) return value;
  if (types & BOOLEAN && (value === 'true' || value === 'false')) return value === 'true';
  if (types & NUMBER && NUMERIC.test(value)) {
    const number = Number(value);
    if (Number.isSafeInteger(number)) return number;
    if (LONG.test(value)) {
      steps.long.push({ path: [...steps.path], digits: value });
      return Math.sign(number) * Number.MAX_SAFE_INTEGER;
    }
    return types & FRACTION && !Number.isInteger(number) ? number : value;
  }
  const opens = value.trimStart()[0];
  if ((opens === '{' && types & OBJECT) || (opens === '[' && types & ARRAY)) {
    try {
      const parsed: unknown = JSON.parse(value);
      return typeOf(parsed) & types && withinBounds(parsed) === 'ok' ? parsed : value;
    } catch {
      return value;
    }
  }
  return value;
}

/** Where fractions are welcome too, a large number is an amount; where only integers are, it is an id. */
function isRounded(value: number, types: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && (types & FRACTION) === 0;
}

function walkArray(
  root: JsonSchema,
  places: readonly JsonSchema[],
  items: readonly unknown[],
  depth: number,
  steps: Walk,
): unknown {
  let copy: unknown[] | undefined;
  const fixed = Math.max(0, ...places.map((place) => (isObject(place) ? schemasOf(place.prefixItems).length : 0)));
  const rest = places.flatMap((place) => itemSchemas(place, fixed));
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const inner = index < fixed ? places.flatMap((place) => itemSchemas(place, index)) : rest;
    if (inner.length === 0) continue;
    steps.path.push(index);
    const changed = walk(root, inner, item, depth + 1, steps);
    steps.path.pop();
    if (changed !== item) {
      copy ??= [...items];
      copy[index] = changed;
    }
  }
  return copy ?? items;
}

function itemSchemas(place: JsonSchema, index: number): JsonSchema[] {
  if (!isObject(place)) return [];
  const first = schemasOf(place.prefixItems)[index];
  const schema = first ?? ownSchema(place, 'items');
  return schema === undefined ? [] : [schema];
}

function walkObject(
  root: JsonSchema,
  places: readonly JsonSchema[],
  object: Record<string, unknown>,
  depth: number,
  steps: Walk,
): unknown {
  let copy: Record<string, unknown> | undefined;
  for (const key of Object.keys(object)) {
    const inner = places.flatMap((place) => propertySchemas(place, key));
    if (inner.length === 0) continue;
    steps.path.push(key);
    const changed = walk(root, inner, object[key], depth + 1, steps);
    steps.path.pop();
    if (changed !== object[key]) {
      copy ??= copyOf(object);
      setOwn(copy, key, changed);
    }
  }
  return copy ?? object;
}

function copyOf(object: Record<string, unknown>): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(object)) setOwn(copy, key, object[key]);
  return copy;
}

function propertySchemas(place: JsonSchema, key: string): JsonSchema[] {
  if (!isObject(place)) return [];
  const own = ownSchema(place.properties, key);
  if (own !== undefined) return [own];
  const rest = ownSchema(place, 'additionalProperties');
  // patternProperties would decide by regular expression; such keys are left alone.
  return rest === undefined || isObject(place.patternProperties) ? [] : [rest];
}

/** Adds what $ref, allOf and an unambiguous branch of anyOf/oneOf contribute. */
function expand(root: JsonSchema, schemas: readonly JsonSchema[], value: unknown, steps: Walk): readonly JsonSchema[] {
  if (schemas.every(isSimple)) return schemas;
  const branchesOf = (schema: SchemaObject): JsonSchema[] =>
    UNIONS.flatMap((keyword) => {
      const list = schema[keyword];
      const only = Array.isArray(list) ? theBranch(toUnion(root, list), value, steps) : undefined;
      return only === undefined ? [] : [only];
    });
  return [...conjuncts(root, schemas, branchesOf)];
}

/** Nothing holds beside it: most places, and every item of a long list asks. */
function isSimple(schema: JsonSchema): boolean {
  if (!isObject(schema)) return true;
  const { $ref, allOf } = schema;
  return $ref === undefined && allOf === undefined && UNIONS.every((keyword) => schema[keyword] === undefined);
}

/** A union as it is asked for every item of an array. */
interface Union {
  readonly root: JsonSchema;
  /** Branches that take more than null, and the types they take. */
  readonly branches: readonly { readonly schema: JsonSchema; readonly types: number }[];
  /** Branches by the value of a field that every branch fixes. */
  readonly byTag: { readonly key: string; readonly branches: ReadonlyMap<unknown, JsonSchema | undefined> } | undefined;
}

const unions = new WeakMap<readonly unknown[], Union>();

function toUnion(root: JsonSchema, list: readonly unknown[]): Union {
  const cached = unions.get(list);
  if (cached !== undefined) return cached;
  const branches = schemasOf(list)
    .map((schema) => ({ schema, types: typesOf(root, schema) }))
    .filter(({ types }) => types !== NULL);
  const union = {
    root,
    branches,
    byTag: indexTags(
      root,
      branches.map(({ schema }) => schema),
    ),
  };
  unions.set(list, union);
  return union;
}

function indexTags(root: JsonSchema, branches: readonly JsonSchema[]): Union['byTag'] {
  const [first, ...others] = branches.map((branch) => tagsOf(root, branch));
  const key = first?.find(([name]) => others.every((tags) => tags.some(([other]) => other === name)))?.[0];
  if (key === undefined) return undefined;
  const byValue = new Map<unknown, JsonSchema | undefined>();
  for (const branch of branches) {
    const option = tagsOf(root, branch).find(([name]) => name === key)![1][0];
    // Two branches of one value are told apart by nothing.
    byValue.set(option, byValue.has(option) ? undefined : branch);
  }
  return { key, branches: byValue };
}

/** The one branch that can be meant: the only one that is not null, or the only one whose fixed fields match. */
function theBranch({ root, branches, byTag }: Union, value: unknown, steps: Walk): JsonSchema | undefined {
  if (branches.length === 1) return branches[0]!.schema;
  if (byTag !== undefined && isObject(value) && Object.hasOwn(value, byTag.key))
    return byTag.branches.get(value[byTag.key]);
  steps.left -= branches.length;
  if (steps.left < 0) return undefined;
  const kind = typeOf(value);
  const typed = branches.filter(({ types }) => types & kind);
  if (typed.length === 1 && kind & (OBJECT | ARRAY)) return typed[0]!.schema;
  if (!isObject(value)) return undefined;
  const tagged = typed.filter(({ schema }) => tagMatches(root, schema, value) === true);
  return tagged.length === 1 ? tagged[0]!.schema : undefined;
}

/**
 * The only branch that a field which every branch fixes allows, or null where it allows none; undefined where that does
 * not settle it.
 */
export function branchByTag(
  root: JsonSchema,
  list: readonly unknown[],
  value: Record<string, unknown>,
): JsonSchema | null | undefined {
  const { byTag } = toUnion(root, list);
  if (byTag === undefined || !Object.hasOwn(value, byTag.key) || typeof value[byTag.key] === 'object') return undefined;
  return byTag.branches.has(value[byTag.key]) ? byTag.branches.get(value[byTag.key]) : null;
}

/** Whether the fields a branch fixes (`kind: const 'a'`) have those values; undefined when it fixes none. */
export function tagMatches(root: JsonSchema, branch: JsonSchema, value: Record<string, unknown>): boolean | undefined {
  const tags = tagsOf(root, branch);
  for (const [key, options] of tags) {
    if (!Object.hasOwn(value, key)) return undefined;
    if (!options.some((option) => sameJson(option, value[key]))) return false;
  }
  return tags.length > 0 ? true : undefined;
}

type Tags = readonly (readonly [key: string, options: readonly unknown[]])[];

// Kept per branch: an array of objects asks for the same ones with every item.
const tagsOfBranches = new WeakMap<object, Tags>();

function tagsOf(root: JsonSchema, branch: JsonSchema): Tags {
  if (!isObject(branch)) return [];
  const cached = tagsOfBranches.get(branch);
  if (cached !== undefined) return cached;
  const tags = [...conjuncts(root, [branch])].flatMap((place) =>
    isObject(place) && isObject(place.properties)
      ? Object.entries(place.properties).flatMap(([key, schema]) => {
          const options = fixedValues(schema);
          return options === undefined ? [] : [[key, options] as const];
        })
      : [],
  );
  tagsOfBranches.set(branch, tags);
  return tags;
}

function fixedValues(schema: unknown): readonly unknown[] | undefined {
  if (!isObject(schema)) return undefined;
  if (Object.hasOwn(schema, 'const')) return [schema.const];
  return Array.isArray(schema.enum) && schema.enum.length === 1 ? schema.enum : undefined;
}
