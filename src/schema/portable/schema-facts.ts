// Everything a schema requires at one place, gathered from references and allOf into one flat record. If two parts have different
// values, the record keeps the stricter one. So it is as strict as all parts together, or less strict.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { sameJson } from '../check/json-equality.ts';
import { ANY, ownTypes, typeOf } from '../json-types.ts';
import { UNIONS } from '../keywords.ts';
import { conjuncts, isSchema, ownSchema, resolveRef, type SchemaObject, schemasOf } from '../references.ts';
import { isReadOnly } from './read-only.ts';

export interface Facts {
  /** JSON types by `type`, `enum` and `const` (not by unions). */
  types: number;
  /** Property name to all schemas that hold for it. */
  readonly properties: Map<string, JsonSchema[]>;
  readonly required: Set<string>;
  /** Schemas of properties not named; `false` is not kept. */
  readonly additional: JsonSchema[];
  readonly items: JsonSchema[];
  /** Tuple forms. */
  readonly prefix: (readonly JsonSchema[])[];
  /** Allowed values. */
  choices?: readonly unknown[];
  /** Lists of branches, of anyOf and oneOf. */
  readonly unions: (readonly JsonSchema[])[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  /** Every part, for rules that are only described in words. */
  readonly parts: SchemaObject[];
  /** References followed on the way. */
  readonly targets: JsonSchema[];
}

const NONE: ReadonlySet<SchemaObject> = new Set();
const LOWEST = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const;
const HIGHEST = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
type Bound = (typeof LOWEST)[number] | (typeof HIGHEST)[number];

/** Of two values of a bound, the tighter one. */
const TIGHTER = new Map<string, (a: number, b: number) => number>([
  ...LOWEST.map((keyword) => [keyword, Math.max] as const),
  ...HIGHEST.map((keyword) => [keyword, Math.min] as const),
]);

/** Gathers the facts of a conjunction. Unions found in `ancestors` were already dealt with by the caller. */
export function gatherFacts(
  root: JsonSchema,
  schemas: readonly JsonSchema[],
  ancestors: ReadonlySet<SchemaObject> = NONE,
): Facts {
  const facts: Facts = {
    types: ANY,
    properties: new Map(),
    required: new Set(),
    additional: [],
    items: [],
    prefix: [],
    unions: [],
    parts: [],
    targets: [],
  };
  for (const schema of conjuncts(root, schemas)) {
    if (schema === false) facts.types = 0;
    if (!isObject(schema)) continue;
    addPart(facts, schema, ancestors.has(schema));
    const target = schema.$ref === undefined ? undefined : resolveRef(root, schema.$ref);
    if (target !== undefined) facts.targets.push(target);
  }
  return facts;
}

function addPart(facts: Facts, schema: SchemaObject, unionsDone: boolean): void {
  facts.parts.push(schema);
  facts.types &= ownTypes(schema);
  addChoices(facts, schema);
  if (isObject(schema.properties)) {
    for (const key of Object.keys(schema.properties)) {
      const property = schema.properties[key];
      if (!isSchema(property)) continue;
      const schemas = facts.properties.get(key);
      if (schemas) schemas.push(property);
      else facts.properties.set(key, [property]);
    }
  }
  if (Array.isArray(schema.required)) {
    for (const name of schema.required) if (typeof name === 'string') facts.required.add(name);
  }
  const additional = ownSchema(schema, 'additionalProperties');
  if (isObject(additional)) facts.additional.push(additional);
  const items = ownSchema(schema, 'items');
  if (items !== undefined) facts.items.push(items);
  const prefix = schemasOf(schema.prefixItems);
  if (prefix.length > 0) facts.prefix.push(prefix);
  if (!unionsDone) {
    for (const keyword of UNIONS) {
      const branches = schemasOf(schema[keyword]);
      if (branches.length > 0) facts.unions.push(branches);
    }
  }
  addBounds(facts, schema);
}

/** Loops over the few keywords that the schema has instead of looking up each of ten. */
function addBounds(facts: Facts, schema: SchemaObject): void {
  for (const keyword in schema) {
    const tighter = TIGHTER.get(keyword);
    const value = tighter === undefined ? undefined : schema[keyword];
    if (tighter === undefined || typeof value !== 'number') continue;
    const bound = keyword as Bound;
    facts[bound] = tighter(facts[bound] ?? value, value);
  }
}

function addChoices(facts: Facts, schema: SchemaObject): void {
  if (schema.enum === undefined && !Object.hasOwn(schema, 'const')) return;
  for (const choices of [schema.enum, Object.hasOwn(schema, 'const') ? [schema.const] : undefined]) {
    if (!Array.isArray(choices)) continue;
    facts.types &= choices.reduce<number>((all, value) => all | typeOf(value), 0);
    const before = facts.choices;
    facts.choices = before ? before.filter((value) => choices.some((other) => sameJson(other, value))) : choices;
  }
}

/** Whether a caller is expected to fill in a property. */
export function isSetByCaller(facts: Facts, name: string): boolean {
  return facts.required.has(name) || !isReadOnly(facts.properties.get(name)!);
}

/** The first value that any part has for a keyword. */
export function firstOf(facts: Facts, keyword: string): unknown {
  return facts.parts.find((part) => Object.hasOwn(part, keyword))?.[keyword];
}
