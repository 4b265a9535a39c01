// Rules about what is inside an array or an object: its items, its names and what stands under them.
import { isObject } from '../../endpoint/is-object.ts';
import { KEY_EFFORT, spend } from '../check/effort.ts';
import { safePattern } from '../check/pattern.ts';
import { isSchema, type SchemaObject } from '../references.ts';
import { keysOf } from '../remember.ts';
import { enter, fits, isFull, report, type Walk } from './walk-schema.ts';

const MATCH_EFFORT = 4;

export function visitItems(walk: Walk, schema: SchemaObject, value: readonly unknown[]): void {
  const { prefixItems } = schema;
  // A `prefixItems` without any schema is ignored; otherwise an entry that is not a schema keeps its place.
  const first = Array.isArray(prefixItems) && prefixItems.some(isSchema) ? prefixItems : [];
  // A list of schemas, as older drafts have it, is repaired to a choice.
  const items = Array.isArray(schema.items) ? { anyOf: schema.items } : (schema.items ?? true);
  const length = items === true ? Math.min(first.length, value.length) : value.length;
  for (let index = 0; index < length && !isFull(walk); index++)
    enter(walk, index < first.length ? first[index] : items, index, value[index]);
}

export function visitContains(walk: Walk, schema: SchemaObject, value: readonly unknown[]): void {
  const { contains, minContains, maxContains } = schema;
  if (!isSchema(contains)) return;
  const min = typeof minContains === 'number' ? minContains : 1;
  const max = typeof maxContains === 'number' ? maxContains : undefined;
  const count = value.filter((item) => fits(walk, contains, item)).length;
  if (count < min || (max !== undefined && count > max)) report(walk, 'contains', schema, value, { count, min, max });
}

type JsonObject = Record<string, unknown>;

export function isGiven(object: JsonObject, name: string): boolean {
  return object[name] !== undefined && Object.hasOwn(object, name);
}

export function visitRequired(walk: Walk, schema: SchemaObject, value: JsonObject): void {
  if (!Array.isArray(schema.required)) return;
  spend(schema.required.length * KEY_EFFORT);
  for (const name of schema.required)
    if (!isGiven(value, name)) report(walk, 'required', schema, value, { missingProperty: name });
}

export function visitCompanions(walk: Walk, schema: SchemaObject, value: JsonObject): void {
  for (const map of [schema.dependentRequired, schema.dependencies]) {
    if (!isObject(map)) continue;
    for (const property of keysOf(map)) {
      const names = map[property];
      spend(KEY_EFFORT);
      if (!Array.isArray(names) || !isGiven(value, property)) continue;
      spend(names.length * KEY_EFFORT);
      for (const missingProperty of names)
        if (!isGiven(value, missingProperty))
          report(walk, 'dependentRequired', schema, value, { property, missingProperty });
    }
  }
}

export function visitNames(walk: Walk, schema: SchemaObject, value: JsonObject): void {
  const { propertyNames } = schema;
  if (!isSchema(propertyNames)) return;
  for (const name of namesIn(walk, value))
    if (!isFull(walk) && !fits(walk, propertyNames, name))
      report(walk, 'propertyNames', schema, value, { propertyName: name });
}

export function namesIn({ last }: Walk, object: object): readonly string[] {
  if (object === last.object) return last.names;
  last.object = object;
  last.names = Object.keys(object);
  spend(last.names.length * KEY_EFFORT);
  return last.names;
}

export function visitOthers(walk: Walk, schema: SchemaObject, value: JsonObject): void {
  const { additionalProperties, properties } = schema;
  if (!isSchema(additionalProperties) || additionalProperties === true) return;
  const patterns = patternsOf(schema);
  for (const name of namesIn(walk, value)) {
    if (isFull(walk)) return;
    spend(KEY_EFFORT);
    if (value[name] === undefined || (isObject(properties) && Object.hasOwn(properties, name))) continue;
    if (patterns.some((pattern) => matches(pattern, name))) continue;
    if (additionalProperties === false)
      report(walk, 'additionalProperties', schema, value, { additionalProperty: name });
    else enter(walk, additionalProperties, name, value[name]);
  }
}

export function visitProperties(walk: Walk, schema: SchemaObject, value: JsonObject): void {
  const { properties } = schema;
  if (!isObject(properties)) return;
  const names = namesIn(walk, value);
  // Whichever is shorter: the names that are given, or those that are declared.
  const keys = keysOf(properties);
  const shorter = keys.length < names.length ? keys : names;
  spend(shorter.length * KEY_EFFORT);
  for (const name of shorter) {
    if (isFull(walk)) return;
    if (isGiven(value, name) && Object.hasOwn(properties, name)) enter(walk, properties[name], name, value[name]);
  }
}

export function visitPatterns(walk: Walk, schema: SchemaObject, value: JsonObject): void {
  const names = namesIn(walk, value);
  for (const pattern of patternsOf(schema)) {
    for (const name of names) {
      if (isFull(walk)) return;
      if (value[name] !== undefined && matches(pattern, name))
        enter(walk, (schema.patternProperties as SchemaObject)[pattern], name, value[name]);
    }
  }
}

export function patternsOf({ patternProperties }: SchemaObject): readonly string[] {
  return isObject(patternProperties) ? keysOf(patternProperties) : [];
}

export function matches(pattern: string, name: string): boolean {
  spend(MATCH_EFFORT);
  return safePattern(pattern).test(name);
}
