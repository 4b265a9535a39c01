// Items and properties that no schema which applies to the value has evaluated: `unevaluatedItems` and `unevaluatedProperties`.
import { isObject } from '../../endpoint/is-object.ts';
import { KEY_EFFORT, spend } from '../check/effort.ts';
import { UNIONS } from '../keywords.ts';
import { isSchema, type SchemaObject, schemasOf } from '../references.ts';
import { matches, namesIn, patternsOf } from './visit-inside.ts';
import { enter, fits, inPlace, isFull, report, type Walk } from './walk-schema.ts';

type Keyword = 'unevaluatedItems' | 'unevaluatedProperties';

export function visitUnevaluated(keyword: Keyword) {
  return (walk: Walk, schema: SchemaObject, value: object): void => {
    const rest = schema[keyword];
    if (!isSchema(rest) || rest === true) return;
    const names = new Set<string>();
    if (evaluate(walk, schema, value, names, keyword)) return;
    for (const name of Object.keys(value)) {
      if (isFull(walk)) return;
      const inner = (value as Record<string, unknown>)[name];
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
  keyword: Keyword,
  inner = false,
): boolean {
  spend(1);
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
    spend(inValue.length * KEY_EFFORT);
    for (const name of inValue) if (Object.hasOwn(schema.properties, name)) names.add(name);
  }
  for (const pattern of patternsOf(schema))
    for (const name of namesIn(walk, value)) if (matches(pattern, name)) names.add(name);
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
