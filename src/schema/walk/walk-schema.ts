// Checks a value by walking its schema: nothing is compiled, so a first call costs what its values cost, however large the
// schema. Large schemas are checked this way, and every refusal is explained from what is found here. Keywords whose value
// has the wrong shape restrict nothing.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { spend, TOO_MUCH_EFFORT } from '../check/effort.ts';
import { FORMATS } from '../check/formats.ts';
import { haveDuplicates, sameJson, toMembership } from '../check/json-equality.ts';
import { safePattern } from '../check/pattern.ts';
import { NULL, namedTypes, typeOf } from '../json-types.ts';
import { NAMED_CONDITIONS, UNIONS } from '../keywords.ts';
import { isSchema, resolveRef, type SchemaObject, schemasOf } from '../references.ts';
import { searchUnion } from './search-union.ts';

/** One rule that a value breaks, with the place in the value and the schema the rule stands in. */
export interface CheckError {
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly path: readonly (string | number)[];
  readonly schema: SchemaObject;
  readonly value: unknown;
}

interface Walk {
  readonly root: JsonSchema;
  readonly max: number;
  readonly path: (string | number)[];
  readonly errors: CheckError[];
  /** The object looked at last, and its names: every branch of a union asks for them. */
  readonly last: { object?: object; names: readonly string[] };
}

/** Whether a value satisfies a schema whose references lead into `root`. */
export function fitsSchema(root: JsonSchema, schema: JsonSchema, value: unknown): boolean {
  return fits({ root, max: 1, path: [], errors: [], last: { names: [] } }, schema, value);
}

/** Whether a value satisfies a schema beside the one that is walked. */
function fits({ root, last }: Walk, schema: JsonSchema, value: unknown): boolean {
  const walk: Walk = { root, max: 1, path: [], errors: [], last };
  visit(walk, schema, value);
  return walk.errors.length === 0;
}

/** The first `max` rules that a value breaks; fewer where finding more takes too long. */
export function findErrors(root: JsonSchema, schema: JsonSchema, value: unknown, max: number): readonly CheckError[] {
  const walk: Walk = { root, max, path: [], errors: [], last: { names: [] } };
  try {
    visit(walk, schema, value);
  } catch (error) {
    if (error !== TOO_MUCH_EFFORT) throw error;
  }
  return walk.errors;
}

const isFull = ({ errors, max }: Walk): boolean => errors.length >= max;

function report(walk: Walk, keyword: string, schema: SchemaObject, value: unknown, params: CheckError['params'] = {}) {
  if (!isFull(walk)) walk.errors.push({ keyword, params, path: [...walk.path], schema, value });
}

function visit(walk: Walk, schema: unknown, value: unknown): void {
  spend(VISIT_EFFORT);
  if (schema === false) report(walk, 'false schema', {}, value);
  if (!isObject(schema)) return;
  const { types, groups } = outlineOf(schema);
  // Of a value of the wrong type there is nothing else to say.
  if ((types & typeOf(value)) === 0) {
    report(walk, 'type', schema, value);
    return;
  }
  if (groups & ON_NUMBERS && typeof value === 'number') visitNumber(walk, schema, value);
  if (groups & ON_STRINGS && typeof value === 'string') visitString(walk, schema, value);
  if (groups & ON_ALL) visitAny(walk, schema, value, groups);
  if (isFull(walk)) return;
  if (Array.isArray(value)) {
    if (groups & ON_ARRAYS) visitArray(walk, schema, value);
  } else if (groups & ON_OBJECTS && isObject(value)) visitObject(walk, schema, value);
}

const ON_NUMBERS = 1;
const ON_STRINGS = 2;
const ON_ALL = 4;
/** Of those on all values, the ones that hold other schemas about the same value. */
const IN_PLACE = 8;
const ON_ARRAYS = 16;
const ON_OBJECTS = 32;

const GROUPS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf': ON_NUMBERS,
    'minLength maxLength pattern': ON_STRINGS,
    format: ON_NUMBERS | ON_STRINGS,
    [`const enum not ${UNIONS.join(' ')}`]: ON_ALL,
    '$ref $dynamicRef allOf if dependentSchemas': ON_ALL | IN_PLACE,
    dependencies: ON_ALL | IN_PLACE | ON_OBJECTS,
    'minItems maxItems uniqueItems prefixItems items contains unevaluatedItems': ON_ARRAYS,
    'minProperties maxProperties required dependentRequired propertyNames': ON_OBJECTS,
    'properties patternProperties additionalProperties unevaluatedProperties': ON_OBJECTS,
  }).flatMap(([keywords, groups]) => keywords.split(' ').map((keyword) => [keyword, groups] as const)),
);

/** Which types a schema names, and on which kinds of values it has rules: it may be asked for thousands of values. */
interface Outline {
  readonly types: number;
  readonly groups: number;
}

const outlines = new WeakMap<SchemaObject, Outline>();

function outlineOf(schema: SchemaObject): Outline {
  const cached = outlines.get(schema);
  if (cached !== undefined) return cached;
  let groups = 0;
  for (const keyword of Object.keys(schema)) groups |= GROUPS.get(keyword) ?? 0;
  const outline = { types: namedTypes(schema.type) | (schema.nullable === true ? NULL : 0), groups };
  outlines.set(schema, outline);
  return outline;
}

/** A visit costs two steps of compiled code. */
const VISIT_EFFORT = 2;
const MATCH_EFFORT = 4;

/** Goes one step down into a value. */
function enter(walk: Walk, schema: unknown, step: string | number, value: unknown): void {
  walk.path.push(step);
  visit(walk, schema, value);
  walk.path.pop();
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

function visitNumber(walk: Walk, schema: SchemaObject, value: number): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (isNumber(maximum) && value > maximum) report(walk, 'maximum', schema, value);
  if (isNumber(minimum) && value < minimum) report(walk, 'minimum', schema, value);
  if (isNumber(exclusiveMaximum) && value >= exclusiveMaximum) report(walk, 'exclusiveMaximum', schema, value);
  if (isNumber(exclusiveMinimum) && value <= exclusiveMinimum) report(walk, 'exclusiveMinimum', schema, value);
  if (isNumber(multipleOf) && multipleOf > 0) {
    const times = value / multipleOf;
    if (Math.abs(Math.round(times) - times) > MULTIPLE_PRECISION)
      report(walk, 'multipleOf', schema, value, { multipleOf });
  }
  visitFormat(walk, schema, value, 'number');
}

/** Prices in cents: 19.99 is a multiple of 0.01, though not in binary. */
const MULTIPLE_PRECISION = 1e-8;

function visitString(walk: Walk, schema: SchemaObject, value: string): void {
  const { minLength, maxLength, pattern } = schema;
  if (isNumber(maxLength) && value.length > maxLength && lengthOf(value) > maxLength)
    report(walk, 'maxLength', schema, value, { limit: maxLength });
  if (
    isNumber(minLength) &&
    (value.length < minLength || (value.length < 2 * minLength && lengthOf(value) < minLength))
  )
    report(walk, 'minLength', schema, value, { limit: minLength });
  if (typeof pattern === 'string' && !safePattern(pattern).test(value))
    report(walk, 'pattern', schema, value, { pattern });
  visitFormat(walk, schema, value, 'string');
}

/** Code points, as JSON Schema counts; a surrogate pair is one. */
export function lengthOf(value: string): number {
  let pairs = 0;
  for (let index = 0; index < value.length - 1; index++) {
    if (value.charCodeAt(index) >>> 10 === 0x36 && value.charCodeAt(index + 1) >>> 10 === 0x37) pairs++;
  }
  return value.length - pairs;
}

function visitFormat(walk: Walk, schema: SchemaObject, value: string | number, on: 'string' | 'number'): void {
  const format = typeof schema.format === 'string' ? FORMATS.get(schema.format) : undefined;
  if (format?.on === on && !format.test(value as never))
    report(walk, 'format', schema, value, { format: schema.format });
}

/** What may be said about any value. */
function visitAny(walk: Walk, schema: SchemaObject, value: unknown, groups: number): void {
  if (Object.hasOwn(schema, 'const') && !sameJson(schema.const, value)) report(walk, 'const', schema, value);
  const { not } = schema;
  if (isSchema(not) && fits(walk, not, value)) report(walk, 'not', schema, value);
  for (const keyword of UNIONS) {
    const branches = schema[keyword];
    if (!Array.isArray(branches) || branches.length === 0 || isFull(walk)) continue;
    const passing = searchUnion(walk.root, branches, value, keyword === 'oneOf', (branch) => fits(walk, branch, value));
    if (passing !== undefined) report(walk, keyword, schema, value, { passing });
  }
  if (groups & IN_PLACE) for (const part of inPlace(walk, schema, value)) if (!isFull(walk)) visit(walk, part, value);
  if (Array.isArray(schema.enum) && schema.enum.length > 0 && !membershipOf(schema.enum)(value))
    report(walk, 'enum', schema, value);
}

/** Schemas about the same value that have to hold: references, `allOf`, and the side of a condition that applies. */
function* inPlace(walk: Walk, schema: SchemaObject, value: unknown): Generator<JsonSchema> {
  if (Array.isArray(schema.allOf)) yield* schemasOf(schema.allOf);
  for (const ref of [schema.$ref, schema.$dynamicRef]) {
    const target = ref === undefined ? undefined : resolveRef(walk.root, ref);
    if (target !== undefined) yield target;
  }
  if (isSchema(schema.if)) {
    const side = fits(walk, schema.if, value) ? schema.then : schema.else;
    if (isSchema(side)) yield side;
  }
  if (!isObject(value)) return;
  for (const keyword of NAMED_CONDITIONS) {
    const map = schema[keyword];
    if (!isObject(map)) continue;
    for (const key of Object.keys(map)) if (isGiven(value, key) && isSchema(map[key])) yield map[key];
  }
}

const memberships = new WeakMap<readonly unknown[], (value: unknown) => boolean>();

function membershipOf(values: readonly unknown[]): (value: unknown) => boolean {
  const cached = memberships.get(values);
  if (cached !== undefined) return cached;
  const membership = toMembership(values);
  memberships.set(values, membership);
  return membership;
}

function visitArray(walk: Walk, schema: SchemaObject, value: readonly unknown[]): void {
  const { minItems, maxItems, prefixItems } = schema;
  // A list of schemas, as older drafts have it, is repaired to a choice.
  const items = Array.isArray(schema.items) ? { anyOf: schema.items } : schema.items;
  if (isNumber(maxItems) && value.length > maxItems) report(walk, 'maxItems', schema, value, { limit: maxItems });
  if (isNumber(minItems) && value.length < minItems) report(walk, 'minItems', schema, value, { limit: minItems });
  const first = Array.isArray(prefixItems) ? prefixItems : [];
  for (let index = 0; index < Math.min(first.length, value.length); index++)
    enter(walk, first[index], index, value[index]);
  if (items !== undefined && items !== true) {
    for (let index = first.length; index < value.length && !isFull(walk); index++)
      enter(walk, items, index, value[index]);
  }
  visitContains(walk, schema, value);
  if (schema.uniqueItems === true && haveDuplicates(value)) report(walk, 'uniqueItems', schema, value);
  visitUnevaluated(walk, schema, value, 'unevaluatedItems');
}

function visitContains(walk: Walk, schema: SchemaObject, value: readonly unknown[]): void {
  const { contains } = schema;
  if (!isSchema(contains)) return;
  const min = isNumber(schema.minContains) ? schema.minContains : 1;
  const max = isNumber(schema.maxContains) ? schema.maxContains : undefined;
  const count = value.filter((item) => fits(walk, contains, item)).length;
  if (count < min || (max !== undefined && count > max)) report(walk, 'contains', schema, value, { count, min, max });
}

export function isGiven(object: Record<string, unknown>, name: string): boolean {
  return object[name] !== undefined && Object.hasOwn(object, name);
}

function visitObject(walk: Walk, schema: SchemaObject, value: Record<string, unknown>): void {
  const { minProperties, maxProperties, propertyNames } = schema;
  const names = namesIn(walk, value);
  if (isNumber(maxProperties) && names.length > maxProperties)
    report(walk, 'maxProperties', schema, value, { limit: maxProperties });
  if (isNumber(minProperties) && names.length < minProperties)
    report(walk, 'minProperties', schema, value, { limit: minProperties });
  visitRequired(walk, schema, value);
  if (isSchema(propertyNames)) {
    for (const name of names)
      if (!isFull(walk) && !fits(walk, propertyNames, name))
        report(walk, 'propertyNames', schema, value, { propertyName: name });
  }
  const patterns = isObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
  visitOthers(walk, schema, value, names, patterns);
  visitProperties(walk, schema, value, names);
  for (const pattern of patterns) {
    for (const name of names) {
      if (isFull(walk)) return;
      if (value[name] !== undefined && matches(pattern, name))
        enter(walk, (schema.patternProperties as SchemaObject)[pattern], name, value[name]);
    }
  }
  visitUnevaluated(walk, schema, value, 'unevaluatedProperties');
}

function namesIn({ last }: Walk, object: object): readonly string[] {
  if (object === last.object) return last.names;
  last.object = object;
  last.names = Object.keys(object);
  return last.names;
}

function visitOthers(
  walk: Walk,
  schema: SchemaObject,
  value: Record<string, unknown>,
  names: readonly string[],
  patterns: readonly string[],
): void {
  const { additionalProperties, properties } = schema;
  if (!isSchema(additionalProperties) || additionalProperties === true) return;
  for (const name of names) {
    if (isFull(walk)) return;
    spend(KEY_EFFORT);
    if (value[name] === undefined || (isObject(properties) && Object.hasOwn(properties, name))) continue;
    if (patterns.some((pattern) => matches(pattern, name))) continue;
    if (additionalProperties === false)
      report(walk, 'additionalProperties', schema, value, { additionalProperty: name });
    else enter(walk, additionalProperties, name, value[name]);
  }
}

function matches(pattern: string, name: string): boolean {
  spend(MATCH_EFFORT);
  return safePattern(pattern).test(name);
}

/** Looking at a name costs less than looking into a schema. */
const KEY_EFFORT = 1 / 4;

function visitRequired(walk: Walk, schema: SchemaObject, value: Record<string, unknown>): void {
  if (Array.isArray(schema.required)) {
    for (const name of schema.required)
      if (!isGiven(value, name)) report(walk, 'required', schema, value, { missingProperty: name });
  }
  for (const map of [schema.dependentRequired, schema.dependencies]) {
    if (!isObject(map)) continue;
    for (const property of Object.keys(map)) {
      const names = map[property];
      if (!Array.isArray(names) || !isGiven(value, property)) continue;
      for (const missingProperty of names)
        if (!isGiven(value, missingProperty))
          report(walk, 'dependentRequired', schema, value, { property, missingProperty });
    }
  }
}

function visitProperties(walk: Walk, schema: SchemaObject, value: Record<string, unknown>, names: readonly string[]) {
  const { properties } = schema;
  if (!isObject(properties)) return;
  // Whichever is shorter: the names that are given, or those that are declared.
  const declared = Object.keys(properties);
  const shorter = declared.length < names.length ? declared : names;
  spend(shorter.length * KEY_EFFORT);
  for (const name of shorter) {
    if (isFull(walk)) return;
    if (isGiven(value, name) && Object.hasOwn(properties, name)) enter(walk, properties[name], name, value[name]);
  }
}

function visitUnevaluated(
  walk: Walk,
  schema: SchemaObject,
  value: object,
  keyword: 'unevaluatedItems' | 'unevaluatedProperties',
): void {
  const rest = schema[keyword];
  if (!isSchema(rest) || rest === true || isFull(walk)) return;
  const names = new Set<string>();
  if (evaluate(walk, schema, value, names, keyword)) return;
  for (const name of Object.keys(value)) {
    if (isFull(walk)) return;
    const inner = (value as Record<string, unknown>)[name];
    if (names.has(name) || inner === undefined) continue;
    if (rest === false) report(walk, keyword, schema, value, { unevaluatedProperty: name });
    else enter(walk, rest, Array.isArray(value) ? Number(name) : name, inner);
  }
}

/** Adds the names (or indexes) that a schema and whatever holds beside it have looked at; true when that is all of them. */
function evaluate(
  walk: Walk,
  schema: unknown,
  value: object,
  names: Set<string>,
  keyword: string,
  inner = false,
): boolean {
  spend(1);
  if (!isObject(schema)) return false;
  if (Array.isArray(value) ? evaluateItems(walk, schema, value, names) : evaluateNames(walk, schema, value, names))
    return true;
  if (inner && schema[keyword] !== undefined) return true;
  const fitting = UNIONS.flatMap((union) => schemasOf(schema[union])).filter((branch) => fits(walk, branch, value));
  // An `if` that holds has looked at its names too.
  if (isSchema(schema.if) && fits(walk, schema.if, value)) fitting.push(schema.if);
  for (const part of [...inPlace(walk, schema, value), ...fitting])
    if (evaluate(walk, part, value, names, keyword, true)) return true;
  return false;
}

function evaluateNames(walk: Walk, schema: SchemaObject, value: object, names: Set<string>): boolean {
  if (schema.additionalProperties !== undefined) return true;
  const { properties, patternProperties } = schema;
  if (isObject(properties)) for (const name of Object.keys(properties)) names.add(name);
  if (isObject(patternProperties)) {
    for (const pattern of Object.keys(patternProperties))
      for (const name of namesIn(walk, value)) if (matches(pattern, name)) names.add(name);
  }
  return false;
}

function evaluateItems(walk: Walk, schema: SchemaObject, value: readonly unknown[], names: Set<string>): boolean {
  const { items, prefixItems, contains } = schema;
  if (items !== undefined) return true;
  if (Array.isArray(prefixItems)) for (const index of prefixItems.keys()) names.add(String(index));
  if (isSchema(contains))
    for (const [index, item] of value.entries()) if (fits(walk, contains, item)) names.add(String(index));
  return false;
}
