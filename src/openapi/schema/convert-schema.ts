// Converts one schema of any OpenAPI version to JSON Schema 2020-12, keyword by keyword. The target of a `$ref` becomes a
// definition. A cycle of references that never descends into the data is broken, because a validator would follow it forever.
import { FILE_SCHEMA } from '../../endpoint/conventions/file-types.ts';
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { emptyMap, type Node, textAt } from '../../endpoint/untrusted.ts';
import {
  CONDITIONS,
  isNullable,
  SCHEMA_KEYWORDS,
  SCHEMA_LIST_KEYWORDS,
  SCHEMA_MAP_KEYWORDS,
  splitDependencies,
  subschemas,
  typesOf,
  UNIONS,
} from '../../schema/keywords.ts';
import type { SourceDocument } from '../source/documents.ts';
import { type DocumentPlace, type Follow, orUndefined } from '../source/resolve.ts';
import type { InSameCycle, Via } from './in-place-cycles.ts';
import { correctMistakes } from './odd-schemas.ts';
import type { Direction, OneWayProperties } from './one-way-properties.ts';
import { behindRef, flattenAllOf, ignoresRefSiblings, refOf } from './schema-refs.ts';
import { annotationsOf, convertPlain, fitValues, NULL_SCHEMA, nameLists, orNull } from './schema-values.ts';
import { areDistinguishable } from './variants.ts';

/** The target of a `$ref`. */
export interface Definition {
  readonly name: string;
  readonly place: DocumentPlace;
  /** Required names that need not be given where it is used; undefined if they are those that its own schema makes optional. */
  readonly optionalNames?: ReadonlySet<string> | undefined;
}

/** What all schemas of a document share. */
export interface Definitions {
  readonly follow: Follow;
  readonly inSameCycle: InSameCycle;
  readonly oneWay: OneWayProperties;
  readonly at: (place: DocumentPlace, exemptNames: ReadonlySet<string> | undefined) => Definition;
}

export interface ConversionContext {
  readonly definitions: Definitions;
  readonly document: SourceDocument;
  readonly direction: Direction;
  /** The definitions a schema needs are added here. */
  readonly uses: Set<Definition>;
  /** The definition that applies to the same value as this schema. */
  readonly within?: DocumentPlace;
  /** How that definition applies this schema. */
  readonly via: Via;
  /** Bases that were inlined on the way here, to break cycles. */
  readonly bases?: ReadonlySet<object>;
  /** How many more bases may be inlined in this definition. */
  readonly budget?: { left: number };
  /** Names that need not be given. Undefined at the start of an object, whose own schema decides. */
  readonly optionalNames?: ReadonlySet<string> | undefined;
}

const ANY: JsonSchema = Object.freeze({});
const NO_NAMES: ReadonlySet<string> = new Set();
/** In 2.0 and 3.0, keywords beside a `$ref` are ignored. These are kept, because they only describe. */
const REF_ANNOTATIONS = ['title', 'description', 'deprecated', 'default', 'example', 'examples'];
const REF_KEYWORDS = new Set(['$ref', '$dynamicRef', '$recursiveRef', 'nullable']);

export function convertSchema(context: ConversionContext, schema: unknown): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  if (!isObject(schema)) return ANY;
  const ref = refOf(schema);
  return ref === undefined ? convertNode(context, schema) : convertRef(context, schema, ref);
}

function convertRef(context: ConversionContext, schema: Node, ref: string): JsonSchema {
  const { definitions, document, uses } = context;
  const target = orUndefined(() => definitions.follow(document, ref));
  // Requests with a dangling `$ref` were refused before (schema-check.ts). For an answer, the schema is only information.
  if (!target || (!isObject(target.value) && typeof target.value !== 'boolean')) return ANY;
  if (typeof target.value === 'boolean') return target.value;
  if (closesCycle(context, target)) return breakCycle(context, target);
  const oneWayNames = optionalNamesFor(context, schema);
  const definition = definitions.at(
    target,
    definitions.oneWay.exemptNames(oneWayNames, target.document, target.value, context.direction),
  );
  uses.add(definition);
  const pointer = { $ref: `#/$defs/${definition.name}` };
  const beside = besideRef({ ...context, optionalNames: oneWayNames }, schema);
  if (isNullable(schema)) return { ...annotationsOf(beside), anyOf: [pointer, NULL_SCHEMA] };
  return { ...pointer, ...(beside as Node) };
}

/** A cycle with an allOf is broken at the allOf, so that the union that lists the variants is kept. */
function closesCycle({ definitions, within, via, bases }: ConversionContext, target: DocumentPlace): boolean {
  return within !== undefined && definitions.inSameCycle(within, target, via === 'union' && bases === undefined);
}

/** Inlines the base without its list of variants, through which the cycle came. */
function breakCycle(context: ConversionContext, { document, value }: DocumentPlace): JsonSchema {
  const { bases, budget, via } = context;
  if (via === 'not') return false;
  const base = value as Node;
  if (via === 'union' || bases?.has(base) || budget === undefined || budget.left === 0) return ANY;
  budget.left--;
  const plain: Record<string, unknown> = { ...base };
  for (const keyword of [...UNIONS, 'discriminator']) delete plain[keyword];
  return convertSchema({ ...context, document, bases: new Set([...(bases ?? []), base]) }, plain);
}

function optionalNamesFor(
  { definitions, document, direction, optionalNames }: ConversionContext,
  schema: Node,
): ReadonlySet<string> {
  return optionalNames ?? definitions.oneWay.optionalNames(document, schema, direction);
}

function besideRef(context: ConversionContext, schema: Node): JsonSchema {
  const siblings: Record<string, unknown> = {};
  for (const key of ignoresRefSiblings(context.document) ? REF_ANNOTATIONS : Object.keys(schema)) {
    if (!REF_KEYWORDS.has(key) && Object.hasOwn(schema, key)) siblings[key] = schema[key];
  }
  return Object.keys(siblings).length === 0 ? ANY : convertNode(context, siblings);
}

function convertNode(outer: ConversionContext, schema: Node): JsonSchema {
  if (schema.type === 'file') return FILE_SCHEMA;
  const oneWayNames = optionalNamesFor(outer, schema);
  const context: ConversionContext = { ...outer, optionalNames: oneWayNames };
  const out: Record<string, unknown> = {};
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword];
    if (SCHEMA_MAP_KEYWORDS.has(keyword)) {
      if (isObject(value)) out[keyword] = convertMap(context, keyword, value);
    } else if (SCHEMA_LIST_KEYWORDS.has(keyword)) {
      if (Array.isArray(value) && value.length > 0) out[keyword] = convertList(context, keyword, value);
    } else if (SCHEMA_KEYWORDS.has(keyword)) {
      if (keyword === 'additionalItems' || (!isObject(value) && typeof value !== 'boolean')) continue;
      out[keyword] = convertSchema(
        CONDITIONS.includes(keyword) ? condition(context, keyword, value) : below(context),
        value,
      );
    } else if (keyword === 'dependencies') {
      if (!isObject(value)) continue;
      const { dependentSchemas, dependentRequired } = splitDependencies(value, (inner) =>
        convertSchema(condition(context, keyword, inner), inner),
      );
      if (dependentSchemas) out.dependentSchemas ??= dependentSchemas;
      if (dependentRequired) out.dependentRequired ??= nameLists(dependentRequired, oneWayNames);
    } else convertPlain(schema, keyword, value, oneWayNames, out);
  }
  const { oneWay } = context.definitions;
  const required = oneWay
    .requiredNames(context.document, schema, context.direction)
    .filter((name) => !oneWayNames.has(name));
  if (required.length > 0) out.required = [...new Set(required)];
  if (Array.isArray(schema.items)) convertTuple(context, schema, out);
  const tag = textAt(schema.discriminator, 'propertyName');
  // A discriminator should be shown although it need not be given. This keyword marks it for the code that prepares the schema for
  // clients.
  if (
    tag !== undefined &&
    context.direction === 'request' &&
    oneWay.optionalNames(context.document, schema, 'request').has(tag)
  )
    out.discriminator = { propertyName: tag };
  if (out.oneOf !== undefined && context.direction === 'request') loosenOneOf(context, schema, out);
  fitValues(out);
  correctMistakes(schema, out);
  if (isTrivial(out.not)) {
    // `not: {}` accepts nothing, and ajv fails on it beside a union. If it came from a dangling `$ref`, it is dropped.
    if (isTrivial(schema.not)) return false;
    delete out.not;
  }
  return isNullable(schema) ? orNull(out) : out;
}

/**
 * If a caller cannot tell the branches apart, `oneOf` becomes `anyOf`: strict validation would refuse values that fit two branches.
 */
function loosenOneOf(context: ConversionContext, schema: Node, out: Record<string, unknown>): void {
  const { document, definitions, optionalNames = NO_NAMES } = context;
  if (areDistinguishable(document, schema.oneOf as readonly unknown[], optionalNames, definitions)) return;
  const { oneOf: branches } = out;
  delete out.oneOf;
  if (out.anyOf === undefined) out.anyOf = branches;
  else out.allOf = [...((out.allOf as JsonSchema[] | undefined) ?? []), { anyOf: branches }];
}

function convertMap(context: ConversionContext, keyword: string, map: Node): Record<string, JsonSchema> {
  const { document, direction, definitions } = context;
  const out = emptyMap<JsonSchema>();
  for (const key of Object.keys(map)) {
    if (keyword === 'dependentSchemas') out[key] = convertSchema(condition(context, keyword, map[key]), map[key]);
    else if (keyword !== 'properties') out[key] = convertSchema(below(context), map[key]);
    // Schemas of answers have no writeOnly properties.
    else if (direction === 'request' || !definitions.oneWay.isOneWay(document, map[key], direction))
      out[key] = convertProperty(below(context), map[key]);
  }
  return out;
}

/** A field of a request. `readOnly` is kept for the code that prepares the schema for clients. */
export function convertProperty(context: ConversionContext, schema: unknown): JsonSchema {
  const { document, direction, definitions } = context;
  if (direction === 'response' || !definitions.oneWay.isOneWay(document, schema, direction))
    return convertSchema(context, schema);
  if (isPlainValue(context, schema)) {
    const value = convertSchema(context, schema);
    return isObject(value) ? { ...value, readOnly: true } : value;
  }
  // The API ignores a readOnly value, or has it already. Describing it fully would make requests as large as answers.
  const node = behindRef(document, schema, definitions.follow)?.node ?? {};
  const types = isNullable(node) ? [...typesOf(node), 'null'] : typesOf(node);
  return { ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }), readOnly: true };
}

/** Whether a schema, through references and allOf, has no subschemas: a string, number or boolean. */
function isPlainValue({ document, definitions }: ConversionContext, schema: unknown): boolean {
  for (const part of flattenAllOf(document, schema, definitions.follow)) {
    if (!part) return false;
    for (const [keyword] of subschemas(part.node)) if (keyword !== 'allOf') return false;
  }
  return true;
}

function convertList(context: ConversionContext, keyword: string, list: readonly unknown[]): JsonSchema[] {
  if (keyword === 'prefixItems') return list.map((item) => convertSchema(below(context), item));
  if (keyword === 'allOf') return list.map((item) => convertSchema(context, item));
  const via = context.via === 'all' ? 'union' : context.via;
  return list.map((item) => convertSchema({ ...variant(context, item), via }, item));
}

/** The context of a schema that applies to some values of the same object. */
function variant(context: ConversionContext, schema: unknown): ConversionContext {
  const { definitions, document, direction, optionalNames = NO_NAMES } = context;
  return { ...context, optionalNames: definitions.oneWay.optionalNamesIn(optionalNames, document, schema, direction) };
}

/** Inside `not` and `if`, `required` is a condition, not a demand, so no name is optional. */
function condition(context: ConversionContext, keyword: string, schema: unknown): ConversionContext {
  const asks = keyword === 'not' || keyword === 'if';
  return { ...(asks ? { ...context, optionalNames: NO_NAMES } : variant(context, schema)), via: 'not' };
}

/** `items: [a, b]` of 2.0 and early 3.x is `prefixItems`. */
function convertTuple(context: ConversionContext, schema: Node, out: Record<string, unknown>): void {
  const items = schema.items as readonly unknown[];
  // A list of one is not a tuple: somebody put brackets around the schema of all items.
  if (items.length === 1 && schema.additionalItems === undefined) {
    out.items = convertSchema(below(context), items[0]);
    return;
  }
  if (items.length > 0) out.prefixItems = items.map((item) => convertSchema(below(context), item));
  const { additionalItems } = schema;
  if (isObject(additionalItems) || typeof additionalItems === 'boolean')
    out.items = convertSchema(below(context), additionalItems);
}

function isTrivial(schema: unknown): boolean {
  return schema === true || (isObject(schema) && Object.keys(schema).length === 0);
}

/** The context of a schema for a part of the value; a new cycle can start there. */
function below({ definitions, document, direction, uses }: ConversionContext): ConversionContext {
  return { definitions, document, direction, uses, via: 'all' };
}
