// `format` is a hint. If an example of the document fits its schema in everything but a format, the API accepts other texts than the
// format describes ("2008-01-02" for a date-time). That format is then not enforced at that place.
import { isObject } from '../endpoint/is-object.ts';
import type { JsonSchema } from '../endpoint/model.ts';
import { Budget } from './check/budget.ts';
import type { ExampleCall } from './example-calls.ts';
import { mapSubschemas, subschemas, UNIONS } from './keywords.ts';
import { memoizeByObject } from './memoize.ts';
import { deref, ownSchema, type SchemaObject, schemasOf } from './references.ts';
import { findErrors, type WalkContext } from './walk/walk-schema.ts';

const MAX_ERRORS = 50;
const MAX_BRANCHES = 32;
const MAX_DEPTH = 100;
const MAX_LOOKS = 500;
/** Examples tried for one endpoint, all of them within one budget. */
const MAX_CALLS = 200;

/** The schema of an endpoint; the same object if no example contradicts it. */
export function loosenFormats(schema: JsonSchema, calls: Iterable<ExampleCall>): JsonSchema {
  const nodes = new Set<unknown>();
  const properties = isObject(schema) ? schema.properties : undefined;
  const mayNameFormat = createFormatSearch(properties);
  if (!isObject(properties) || !Object.keys(properties).some(mayNameFormat)) return schema;
  /** An example in a definition counts for all operations that use it, so it is tried once. */
  const places = new Set<string>();
  const budget = new Budget('read');
  for (const { place, arguments: args, schema: part } of calls) {
    if (places.has(place) || !Object.keys(args).some(mayNameFormat)) continue;
    for (const node of formatsAgainst({ root: schema, budget }, part(), args, 0) ?? []) nodes.add(node);
    if (places.add(place).size === MAX_CALLS || budget.isSpent) break;
  }
  return nodes.size === 0 ? schema : (withoutFormats(schema, nodes, 0) as JsonSchema);
}

/** Whether an argument may contain a format: most schemas have none, and no references. */
function createFormatSearch(properties: unknown): (key: string) => boolean {
  return (key) => {
    const schema = ownSchema(properties, key);
    return isObject(schema) && namesFormat(schema);
  };
}

const namesFormat = memoizeByObject((schema: SchemaObject): boolean => {
  const stack: unknown[] = [schema];
  for (let looks = 0; stack.length > 0; looks++) {
    const part = stack.pop();
    if (!isObject(part)) continue;
    if (looks > MAX_LOOKS || part.format !== undefined || part.$ref !== undefined) return true;
    for (const [, , inner] of subschemas(part)) stack.push(inner);
  }
  return false;
});

/** The schemas whose formats alone refuse a value; undefined if another rule refuses it too. */
function formatsAgainst(
  context: WalkContext,
  schema: JsonSchema,
  value: unknown,
  depth: number,
): SchemaObject[] | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const nodes: SchemaObject[] = [];
  const errors = findErrors(context, schema, value, MAX_ERRORS);
  if (errors.length === MAX_ERRORS || context.budget.isSpent) return undefined;
  for (const error of errors) {
    const union = UNIONS.find((keyword) => keyword === error.keyword);
    const inner =
      error.keyword === 'format'
        ? [error.schema]
        : union && formatsInUnion(context, schemasOf(error.schema[union]), error.value, depth);
    if (!inner) return undefined;
    nodes.push(...inner);
  }
  return nodes;
}

function formatsInUnion(
  context: WalkContext,
  branches: readonly JsonSchema[],
  value: unknown,
  depth: number,
): SchemaObject[] | undefined {
  for (const branch of branches.slice(0, MAX_BRANCHES)) {
    const nodes = formatsAgainst(context, deref(context.root, branch), value, depth + 1);
    if (nodes !== undefined && nodes.length > 0) return nodes;
  }
  return undefined;
}

/** Schemas without any of these nodes are not copied: definitions are shared between endpoints. */
function withoutFormats(schema: unknown, nodes: ReadonlySet<unknown>, depth: number): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH) return schema;
  let differs = nodes.has(schema);
  const copy = mapSubschemas(schema, (inner) => {
    const loose = withoutFormats(inner, nodes, depth + 1);
    differs ||= loose !== inner;
    return loose;
  });
  if (nodes.has(schema)) delete copy.format;
  return differs ? copy : schema;
}
