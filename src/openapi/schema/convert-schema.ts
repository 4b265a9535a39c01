// One schema of any OpenAPI version → JSON Schema 2020-12, keyword by keyword. The target of a `$ref` becomes a definition; a
// circle of references that never descends into the data is broken, because a validator would follow it forever.
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
import { type Follow, orNothing, type Place } from '../source/resolve.ts';
import type { OnOneCircle, Via } from './in-place-cycles.ts';
import { readOddities } from './odd-schemas.ts';
import { areExclusive } from './one-of.ts';
import type { Direction, OneWayProperties } from './one-way-properties.ts';
import { annotationsOf, convertPlain, NULL, nameLists, orNull } from './schema-parts.ts';
import { behindRef, conjuncts, hidesSiblings, refOf } from './schema-refs.ts';
import { fitValues } from './schema-values.ts';

/** A `$ref` target in use. */
export interface Definition {
  readonly name: string;
  readonly place: Place;
  /** Names it requires that need not be given where it is used, if that differs from its own. */
  readonly unasked?: ReadonlySet<string> | undefined;
}

/** What all schemas of a document share. */
export interface Definitions {
  readonly follow: Follow;
  readonly onOneCircle: OnOneCircle;
  readonly oneWay: OneWayProperties;
  readonly at: (place: Place, exemptNames: ReadonlySet<string> | undefined) => Definition;
}

export interface ConversionContext {
  readonly definitions: Definitions;
  readonly document: SourceDocument;
  readonly direction: Direction;
  /** The definitions a schema needs are added here. */
  readonly uses: Set<Definition>;
  /** The definition that this schema applies to the same value as, and how. */
  readonly within?: Place;
  readonly via: Via;
  /** Bases written out where a circle was opened, on the way here. */
  readonly bases?: ReadonlySet<object>;
  /** How many more may be written out inside this definition. */
  readonly budget?: { left: number };
  /** Names that need not be given; undefined at the start of an object, whose own schema decides. */
  readonly unasked?: ReadonlySet<string> | undefined;
}

const ANY: JsonSchema = Object.freeze({});
const NO_NAMES: ReadonlySet<string> = new Set();
/** In 2.0 and 3.0, keywords beside a `$ref` are ignored; these only describe, so they are kept. */
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
  const target = orNothing(() => definitions.follow(document, ref));
  // A request with a dangling ref never gets here (scan.ts); an answer's schema is information only.
  if (!target || (!isObject(target.value) && typeof target.value !== 'boolean')) return ANY;
  if (typeof target.value === 'boolean') return target.value;
  if (closesCircle(context, target)) return openCircle(context, target);
  const oneWayNames = unaskedBy(context, schema);
  const definition = definitions.at(
    target,
    definitions.oneWay.exempt(oneWayNames, target.document, target.value, context.direction),
  );
  uses.add(definition);
  const pointer = { $ref: `#/$defs/${definition.name}` };
  const beside = besideRef({ ...context, unasked: oneWayNames }, schema);
  if (isNullable(schema)) return { ...annotationsOf(beside), anyOf: [pointer, NULL] };
  return { ...pointer, ...(beside as Node) };
}

/** A circle with an allOf is broken at the allOf, because the union that lists the variants is worth keeping. */
function closesCircle({ definitions, within, via, bases }: ConversionContext, target: Place): boolean {
  return within !== undefined && definitions.onOneCircle(within, target, via === 'union' && bases === undefined);
}

/** Inlines the base without its list of variants, from which the circle came. */
function openCircle(context: ConversionContext, { document, value }: Place): JsonSchema {
  const { bases, budget, via } = context;
  if (via === 'not') return false;
  const base = value as Node;
  if (via === 'union' || bases?.has(base) || budget === undefined || budget.left === 0) return ANY;
  budget.left--;
  const plain: Record<string, unknown> = { ...base };
  for (const keyword of [...UNIONS, 'discriminator']) delete plain[keyword];
  return convertSchema({ ...context, document, bases: new Set([...(bases ?? []), base]) }, plain);
}

function unaskedBy(
  { definitions, document, direction, unasked }: ConversionContext,
  schema: Node,
): ReadonlySet<string> {
  return unasked ?? definitions.oneWay.unasked(document, schema, direction);
}

function besideRef(context: ConversionContext, schema: Node): JsonSchema {
  const siblings: Record<string, unknown> = {};
  for (const key of hidesSiblings(context.document) ? REF_ANNOTATIONS : Object.keys(schema)) {
    if (!REF_KEYWORDS.has(key) && Object.hasOwn(schema, key)) siblings[key] = schema[key];
  }
  return Object.keys(siblings).length === 0 ? ANY : convertNode(context, siblings);
}

function convertNode(outer: ConversionContext, schema: Node): JsonSchema {
  if (schema.type === 'file') return FILE_SCHEMA;
  const oneWayNames = unaskedBy(outer, schema);
  const context: ConversionContext = { ...outer, unasked: oneWayNames };
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
  const required = oneWay.demands(context.document, schema, context.direction).filter((name) => !oneWayNames.has(name));
  if (required.length > 0) out.required = [...new Set(required)];
  if (Array.isArray(schema.items)) convertTuple(context, schema, out);
  const tag = textAt(schema.discriminator, 'propertyName');
  // The discriminator should be shown although the API could work without it; this keyword tells the code that shows the schema.
  if (
    tag !== undefined &&
    context.direction === 'request' &&
    oneWay.unasked(context.document, schema, 'request').has(tag)
  )
    out.discriminator = { propertyName: tag };
  if (out.oneOf !== undefined && context.direction === 'request') loosenOneOf(context, schema, out);
  fitValues(out);
  readOddities(schema, out);
  if (isTrivial(out.not)) {
    // `not: {}` accepts nothing, and ajv fails on it beside a union. One that came from a dangling `$ref` is dropped.
    if (isTrivial(schema.not)) return false;
    delete out.not;
  }
  return isNullable(schema) ? orNull(out) : out;
}

/**
 * If a caller cannot tell the branches apart, `oneOf` becomes `anyOf`: strictly read, it would refuse values that fit two of
 * them.
 */
function loosenOneOf(context: ConversionContext, schema: Node, out: Record<string, unknown>): void {
  const { document, definitions, unasked = NO_NAMES } = context;
  if (areExclusive(document, schema.oneOf as readonly unknown[], unasked, definitions)) return;
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
    // An answer is described by what it has.
    else if (direction === 'request' || !definitions.oneWay.isOneWay(document, map[key], direction))
      out[key] = convertProperty(below(context), map[key]);
  }
  return out;
}

/** A field of a request; `readOnly` is kept for the code that shows the schema. */
export function convertProperty(context: ConversionContext, schema: unknown): JsonSchema {
  const { document, direction, definitions } = context;
  if (direction === 'response' || !definitions.oneWay.isOneWay(document, schema, direction))
    return convertSchema(context, schema);
  if (isPlainValue(context, schema)) {
    const value = convertSchema(context, schema);
    return isObject(value) ? { ...value, readOnly: true } : value;
  }
  // The API ignores such a value, or knows it already; describing all of it would make requests as large as answers.
  const node = behindRef(document, schema, definitions.follow)?.node ?? {};
  const types = isNullable(node) ? [...typesOf(node), 'null'] : typesOf(node);
  return { ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }), readOnly: true };
}

/** A string, number or boolean, through references and allOf: there is nothing inside. */
function isPlainValue({ document, definitions }: ConversionContext, schema: unknown): boolean {
  for (const part of conjuncts(document, schema, definitions.follow)) {
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

/** The context of a schema that holds for some values of the same object. */
function variant(context: ConversionContext, schema: unknown): ConversionContext {
  const { definitions, document, direction, unasked = NO_NAMES } = context;
  return { ...context, unasked: definitions.oneWay.unaskedIn(unasked, document, schema, direction) };
}

/** Inside `not` and `if`, `required` is a condition, not a demand, so every name counts. */
function condition(context: ConversionContext, keyword: string, schema: unknown): ConversionContext {
  const asks = keyword === 'not' || keyword === 'if';
  return { ...(asks ? { ...context, unasked: NO_NAMES } : variant(context, schema)), via: 'not' };
}

/** `items: [a, b]` of 2.0 and early 3.x is `prefixItems`. */
function convertTuple(context: ConversionContext, schema: Node, out: Record<string, unknown>): void {
  const items = schema.items as readonly unknown[];
  // A list of one is no tuple: somebody put brackets around the schema of all items.
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

/** The context of a schema for a part of the value: no circle can close there. */
function below({ definitions, document, direction, uses }: ConversionContext): ConversionContext {
  return { definitions, document, direction, uses, via: 'all' };
}
