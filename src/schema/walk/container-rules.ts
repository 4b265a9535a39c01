// The keywords about what is inside an array or an object: items, names, the value of each name, and what no other schema has
// evaluated (`unevaluatedItems`, `unevaluatedProperties`).
import { isObject } from '../../endpoint/is-object.ts';
import { type Budget, KEY_COST } from '../check/budget.ts';
import { safePattern } from '../check/pattern.ts';
import { UNIONS } from '../keywords.ts';
import { cachedKeys } from '../memoize.ts';
import { isSchema, type SchemaObject, schemasOf } from '../references.ts';
import { enter, fits, inPlace, isFull, report, type Walk } from './walk-schema.ts';

const MATCH_COST = 4;

export function visitItems(walk: Walk, schema: SchemaObject, value: readonly unknown[]): void {
  const { prefixItems } = schema;
  // A `prefixItems` without any schema is ignored; otherwise an entry that is not a schema keeps its place.
  const first = Array.isArray(prefixItems) && prefixItems.some(isSchema) ? prefixItems : [];
  // Older drafts have a list of schemas here. It is read as a choice.
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
  walk.budget.spend(schema.required.length * KEY_COST);
  for (const name of schema.required)
    if (!isGiven(value, name)) report(walk, 'required', schema, value, { missingProperty: name });
}

export function visitDependentRequired(walk: Walk, schema: SchemaObject, value: JsonObject): void {
  const { budget } = walk;
  for (const map of [schema.dependentRequired, schema.dependencies]) {
    if (!isObject(map)) continue;
    for (const property of cachedKeys(map)) {
      const names = map[property];
      budget.spend(KEY_COST);
      if (!Array.isArray(names) || !isGiven(value, property)) continue;
      budget.spend(names.length * KEY_COST);
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

export function namesIn({ last, budget }: Walk, object: object): readonly string[] {
  if (object === last.object) return last.names;
  last.object = object;
  last.names = Object.keys(object);
  budget.spend(last.names.length * KEY_COST);
  return last.names;
}

export function visitAdditional(walk: Walk, schema: SchemaObject, value: JsonObject): void {
  const { additionalProperties, properties } = schema;
  if (!isSchema(additionalProperties) || additionalProperties === true) return;
  const { budget } = walk;
  const patterns = patternsOf(schema);
  for (const name of namesIn(walk, value)) {
    if (isFull(walk)) return;
    budget.spend(KEY_COST);
    if (value[name] === undefined || (isObject(properties) && Object.hasOwn(properties, name))) continue;
    if (patterns.some((pattern) => matches(pattern, name, budget))) continue;
    if (additionalProperties === false)
      report(walk, 'additionalProperties', schema, value, { additionalProperty: name });
    else enter(walk, additionalProperties, name, value[name]);
  }
}

export function visitProperties(walk: Walk, schema: SchemaObject, value: JsonObject): void {
  const { properties } = schema;
  if (!isObject(properties)) return;
  const names = namesIn(walk, value);
  // Loops over the shorter list: the names that are given, or those that are declared.
  const keys = cachedKeys(properties);
  const shorter = keys.length < names.length ? keys : names;
  walk.budget.spend(shorter.length * KEY_COST);
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
      if (value[name] !== undefined && matches(pattern, name, walk.budget))
        enter(walk, (schema.patternProperties as SchemaObject)[pattern], name, value[name]);
    }
  }
}

function patternsOf({ patternProperties }: SchemaObject): readonly string[] {
  return isObject(patternProperties) ? cachedKeys(patternProperties) : [];
}

function matches(pattern: string, name: string, budget: Budget): boolean {
  budget.spend(MATCH_COST);
  return safePattern(pattern).test(name, budget);
}

type Unevaluated = 'unevaluatedItems' | 'unevaluatedProperties';

export function visitUnevaluated(keyword: Unevaluated) {
  return (walk: Walk, schema: SchemaObject, value: object): void => {
    const rest = schema[keyword];
    if (!isSchema(rest) || rest === true) return;
    const names = new Set<string>();
    if (evaluate(walk, schema, value, names, keyword)) return;
    for (const name of Object.keys(value)) {
      if (isFull(walk)) return;
      const inner = (value as JsonObject)[name];
      if (names.has(name) || inner === undefined) continue;
      if (rest === false) report(walk, keyword, schema, value, { unevaluatedProperty: name });
      else enter(walk, rest, Array.isArray(value) ? Number(name) : name, inner);
    }
  };
}

/** Adds the names (or indexes) that a schema and the schemas that apply beside it have evaluated; true if that is all of them. */
function evaluate(
  walk: Walk,
  schema: unknown,
  value: object,
  names: Set<string>,
  keyword: Unevaluated,
  inner = false,
): boolean {
  walk.budget.spend(1);
  if (!isObject(schema)) return false;
  if (Array.isArray(value) ? evaluateItems(walk, schema, value, names) : evaluateNames(walk, schema, value, names))
    return true;
  if (inner && schema[keyword] !== undefined) return true;
  const fitting = UNIONS.flatMap((union) => schemasOf(schema[union])).filter((branch) => fits(walk, branch, value));
  // An `if` that holds has evaluated its names as well.
  if (isSchema(schema.if) && fits(walk, schema.if, value)) fitting.push(schema.if);
  for (const part of [...inPlace(walk, schema, value), ...fitting])
    if (evaluate(walk, part, value, names, keyword, true)) return true;
  return false;
}

function evaluateNames(walk: Walk, schema: SchemaObject, value: object, names: Set<string>): boolean {
  if (schema.additionalProperties !== undefined) return true;
  if (isObject(schema.properties)) {
    const inValue = namesIn(walk, value);
    walk.budget.spend(inValue.length * KEY_COST);
    for (const name of inValue) if (Object.hasOwn(schema.properties, name)) names.add(name);
  }
  for (const pattern of patternsOf(schema))
    for (const name of namesIn(walk, value)) if (matches(pattern, name, walk.budget)) names.add(name);
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
