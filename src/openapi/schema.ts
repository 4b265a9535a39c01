// A schema of any OpenAPI version → JSON Schema 2020-12. Every `$ref` becomes `#/$defs/<name>`; a definition is
// converted once per direction and shared by all endpoints that use it, so the cost is that of the document, not of its
// expansion, and recursion stays recursion.
import type { JsonSchema } from '../endpoint/model.ts';
import type { SourceDocument } from './documents.ts';
import { isNullable, SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS, typesOf } from './keywords.ts';
import { emptyMap, isNode, type Node } from './node.ts';
import { type Place, RefError, type Resolver } from './resolve.ts';
import { cleanText } from './text.ts';
import { fitValues, isSmallValue, numberIn, sizeIn, usablePattern } from './values.ts';

/** Requests lose readOnly properties, responses lose writeOnly ones. */
export type Direction = 'request' | 'response';

/** A `$ref` target in use. */
export interface Definition {
  readonly name: string;
  readonly place: Place;
}

export interface SchemaBuilder {
  /** Converts one schema; the definitions it needs are added to `uses`. */
  readonly convert: (
    document: SourceDocument,
    schema: unknown,
    direction: Direction,
    uses: Set<Definition>,
  ) => JsonSchema;
  /** `$defs` for these definitions and all they need in turn; undefined where there are none. */
  readonly definitions: (uses: ReadonlySet<Definition>, direction: Direction) => Record<string, JsonSchema> | undefined;
  /** readOnly (or writeOnly) as the direction wants it left out. */
  readonly isHidden: (document: SourceDocument, schema: unknown, direction: Direction) => boolean;
}

/** A file as an argument (endpoint/model.ts FileArg). */
export const FILE_SCHEMA: JsonSchema = Object.freeze({
  type: 'object',
  description: 'A file: give its content as base64, or as text where it is text.',
  properties: Object.freeze({
    filename: Object.freeze({ type: 'string', maxLength: 255 }),
    mimeType: Object.freeze({ type: 'string', maxLength: 127 }),
    base64: Object.freeze({ type: 'string', description: 'The bytes, base64.' }),
    text: Object.freeze({ type: 'string', description: 'The content, where it is text.' }),
  }),
  oneOf: Object.freeze([Object.freeze({ required: ['base64'] }), Object.freeze({ required: ['text'] })]),
  additionalProperties: false,
});

const ANY: JsonSchema = Object.freeze({});
const NULL: JsonSchema = Object.freeze({ type: 'null' });
/** What stands beside a `$ref` in 2.0 and 3.0 counts for nothing; these only describe, so they are kept. */
const REF_ANNOTATIONS = ['title', 'description', 'deprecated', 'default', 'example', 'examples'];

const NUMBERS = new Set(['maximum', 'minimum']);
const SIZES = new Set([
  'maxLength',
  'minLength',
  'maxItems',
  'minItems',
  'maxProperties',
  'minProperties',
  'maxContains',
  'minContains',
]);

interface Context {
  readonly document: SourceDocument;
  readonly direction: Direction;
  readonly uses: Set<Definition>;
  /** `required` names that a sibling of an allOf branch hides. */
  readonly hidden?: ReadonlySet<string>;
}

interface Converted {
  readonly schema: JsonSchema;
  readonly uses: ReadonlySet<Definition>;
}

export function createSchemaBuilder(resolver: Resolver): SchemaBuilder {
  const definitions = new Map<object, Definition>();
  const names = new Set<string>();
  const converted = { request: new Map<Definition, Converted>(), response: new Map<Definition, Converted>() };

  const definitionAt = (place: Place): Definition => {
    const key = place.value as object;
    let definition = definitions.get(key);
    if (!definition) {
      definition = { name: definitionName(place.pointer, names), place };
      definitions.set(key, definition);
    }
    return definition;
  };

  const convertIn = (context: Context, schema: unknown): JsonSchema => {
    if (typeof schema === 'boolean') return schema;
    if (!isNode(schema)) return ANY;
    const ref = refOf(schema);
    if (ref !== undefined) return convertRef(context, schema, ref);
    return convertNode(context, schema);
  };

  const convertRef = (context: Context, schema: Node, ref: string): JsonSchema => {
    let target: Place;
    try {
      target = resolver.settle(resolver.follow(context.document, ref));
    } catch (error) {
      // A request with such a ref never gets here (scan.ts); an answer's schema is information only.
      if (error instanceof RefError) return ANY;
      throw error;
    }
    if (typeof target.value === 'boolean') return target.value;
    if (!isNode(target.value)) return ANY;
    const definition = definitionAt(target);
    context.uses.add(definition);
    const pointer = { $ref: `#/$defs/${definition.name}` };
    const beside = besideRef(context, schema);
    if (isNullable(schema)) return { ...annotationsOf(beside), anyOf: [pointer, NULL] };
    return { ...pointer, ...(beside as Node) };
  };

  const besideRef = (context: Context, schema: Node): JsonSchema => {
    const rest: Record<string, unknown> = {};
    const all = context.document.dialect.schema === '3.1';
    for (const key of all ? Object.keys(schema) : REF_ANNOTATIONS) {
      if (key !== '$ref' && key !== '$dynamicRef' && key !== '$recursiveRef' && Object.hasOwn(schema, key))
        rest[key] = schema[key];
    }
    for (const _ in rest) return convertNode(context, rest);
    return ANY;
  };

  const convertNode = (context: Context, schema: Node): JsonSchema => {
    if (schema.type === 'file') return FILE_SCHEMA;
    const out: Record<string, unknown> = {};
    const hidden = hiddenNames(context, schema);
    for (const keyword of Object.keys(schema)) convertKeyword(context, schema, keyword, schema[keyword], hidden, out);
    if (Array.isArray(schema.items)) tupleItems(context, schema, out);
    fitValues(out);
    return isNullable(schema) ? orNull(out) : out;
  };

  const convertKeyword = (
    context: Context,
    schema: Node,
    keyword: string,
    value: unknown,
    hidden: ReadonlySet<string> | undefined,
    out: Record<string, unknown>,
  ): void => {
    if (SCHEMA_MAP_KEYWORDS.has(keyword)) {
      if (isNode(value)) out[keyword] = convertMap(context, value, keyword === 'properties' ? hidden : undefined);
    } else if (SCHEMA_LIST_KEYWORDS.has(keyword)) {
      if (!Array.isArray(value) || value.length === 0) return;
      const inner = keyword === 'allOf' && hidden !== undefined ? { ...context, hidden } : withoutHiddenNames(context);
      out[keyword] = value.map((item) => convertIn(inner, item));
    } else if (SCHEMA_KEYWORDS.has(keyword)) {
      if (keyword === 'additionalItems' || Array.isArray(value)) return;
      if (isNode(value) || typeof value === 'boolean') out[keyword] = convertIn(withoutHiddenNames(context), value);
    } else if (NUMBERS.has(keyword)) {
      // 3.0 writes an exclusive bound as `minimum` plus `exclusiveMinimum: true`.
      const exclusive = keyword === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';
      const bound = numberIn(value);
      if (bound !== undefined) out[schema[exclusive] === true ? exclusive : keyword] = bound;
    } else if (SIZES.has(keyword)) {
      const size = sizeIn(value);
      if (size !== undefined) out[keyword] = size;
    } else convertPlain(context, keyword, value, hidden, out);
  };

  const convertPlain = (
    context: Context,
    keyword: string,
    value: unknown,
    hidden: ReadonlySet<string> | undefined,
    out: Record<string, unknown>,
  ): void => {
    switch (keyword) {
      case 'type': {
        const types = typesOf({ type: value });
        if (types.length > 0) out.type = types.length === 1 ? types[0] : types;
        break;
      }
      case 'required': {
        if (!Array.isArray(value)) break;
        const names = [...new Set(value.filter((name) => typeof name === 'string' && !hidden?.has(name)))];
        if (names.length > 0) out.required = names;
        break;
      }
      case 'description':
      case 'title':
        if (typeof value === 'string' && value !== '') out[keyword] = cleanText(value);
        break;
      case 'enum':
        if (Array.isArray(value) && value.length > 0) out.enum = value;
        break;
      case 'default':
      case 'const':
        if (isSmallValue(value) || keyword === 'const') out[keyword] = value;
        break;
      case 'example':
        if (isSmallValue(value)) out.examples ??= [value];
        break;
      case 'examples':
        if (Array.isArray(value) && value.length > 0 && isSmallValue(value)) out.examples = value;
        break;
      case 'exclusiveMaximum':
      case 'exclusiveMinimum':
        if (typeof value === 'number') out[keyword] = value;
        break;
      case 'multipleOf':
        if (typeof value === 'number' && value > 0) out.multipleOf = value;
        break;
      case 'pattern':
        if (typeof value === 'string' && usablePattern(value)) out.pattern = value;
        break;
      case 'format':
      case 'contentEncoding':
      case 'contentMediaType':
        if (typeof value === 'string') out[keyword] = value;
        break;
      case 'uniqueItems':
      case 'deprecated':
        if (value === true) out[keyword] = true;
        break;
      case 'dependentRequired':
        if (isNode(value)) out.dependentRequired = nameLists(value);
        break;
      case 'dependencies':
        if (isNode(value)) splitDependencies(context, value, out);
        break;
    }
  };

  const convertMap = (
    context: Context,
    map: Node,
    hidden: ReadonlySet<string> | undefined,
  ): Record<string, JsonSchema> => {
    const out = emptyMap<JsonSchema>();
    const inner = withoutHiddenNames(context);
    for (const key of Object.keys(map)) {
      if (hidden?.has(key) && isHidden(context.document, map[key], context.direction)) continue;
      out[key] = convertIn(inner, map[key]);
    }
    return out;
  };

  const tupleItems = (context: Context, schema: Node, out: Record<string, unknown>): void => {
    const items = schema.items as readonly unknown[];
    if (items.length > 0) out.prefixItems = items.map((item) => convertIn(context, item));
    const rest = schema.additionalItems;
    if (isNode(rest) || typeof rest === 'boolean') out.items = convertIn(context, rest);
  };

  const splitDependencies = (context: Context, map: Node, out: Record<string, unknown>): void => {
    const schemas = emptyMap<JsonSchema>();
    const lists = emptyMap<unknown>();
    for (const key of Object.keys(map)) {
      if (Array.isArray(map[key])) lists[key] = map[key];
      else schemas[key] = convertIn(withoutHiddenNames(context), map[key]);
    }
    for (const _ in schemas) out.dependentSchemas ??= schemas;
    for (const _ in lists) out.dependentRequired ??= nameLists(lists);
  };

  const isHidden = (document: SourceDocument, schema: unknown, direction: Direction): boolean => {
    if (!isNode(schema)) return false;
    const keyword = direction === 'request' ? 'readOnly' : 'writeOnly';
    if (schema[keyword] === true) return true;
    const ref = refOf(schema);
    if (ref === undefined) return false;
    try {
      const target = resolver.settle(resolver.follow(document, ref)).value;
      return isNode(target) && target[keyword] === true;
    } catch {
      return false;
    }
  };

  /** Property names this schema, or a branch of its allOf, hides: they cannot be required either. */
  const hiddenNames = (context: Context, schema: Node): ReadonlySet<string> | undefined => {
    let found: Set<string> | undefined = context.hidden === undefined ? undefined : new Set(context.hidden);
    const note = (document: SourceDocument, node: Node) => {
      if (!isNode(node.properties)) return;
      for (const key of Object.keys(node.properties)) {
        if (!isHidden(document, node.properties[key], context.direction)) continue;
        found ??= new Set();
        found.add(key);
      }
    };
    note(context.document, schema);
    if (Array.isArray(schema.allOf)) {
      for (const branch of schema.allOf) {
        try {
          const place = resolver.settle({ document: context.document, pointer: '', value: branch });
          if (isNode(place.value)) note(place.document, place.value);
        } catch {
          // A dangling branch hides nothing.
        }
      }
    }
    return found;
  };

  const convertDefinition = (definition: Definition, direction: Direction): Converted => {
    const known = converted[direction].get(definition);
    if (known) return known;
    const uses = new Set<Definition>();
    const { document, value } = definition.place;
    const done: Converted = { schema: convertNode({ document, direction, uses }, value as Node), uses };
    converted[direction].set(definition, done);
    return done;
  };

  return {
    isHidden,
    convert: (document, schema, direction, uses) => convertIn({ document, direction, uses }, schema),
    definitions: (uses, direction) => {
      if (uses.size === 0) return undefined;
      const out = emptyMap<JsonSchema>();
      const queue = [...uses];
      const seen = new Set(queue);
      for (let next = 0; next < queue.length; next++) {
        const definition = queue[next]!;
        const { schema, uses: inner } = convertDefinition(definition, direction);
        out[definition.name] = schema;
        for (const needed of inner) {
          if (seen.has(needed)) continue;
          seen.add(needed);
          queue.push(needed);
        }
      }
      return out;
    },
  };
}

/** `$dynamicRef` and `$recursiveRef` without the dynamic scope: the definition they name by default. */
export function refOf(schema: Node): string | undefined {
  for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const value = schema[keyword];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

function withoutHiddenNames(context: Context): Context {
  if (context.hidden === undefined) return context;
  const { document, direction, uses } = context;
  return { document, direction, uses };
}

function annotationsOf(schema: JsonSchema): Node {
  if (!isNode(schema)) return {};
  const kept: Record<string, unknown> = {};
  for (const keyword of ['title', 'description', 'deprecated', 'default', 'examples']) {
    if (Object.hasOwn(schema, keyword)) kept[keyword] = schema[keyword];
  }
  return kept;
}

/** The schema, or null. Wherever the document put `nullable`, null is meant to pass. */
function orNull(schema: Record<string, unknown>): JsonSchema {
  const { type, enum: values } = schema;
  if (type !== undefined) {
    const types = Array.isArray(type) ? type : [type];
    if (!types.includes('null')) schema.type = [...types, 'null'];
    if (Array.isArray(values) && !values.includes(null)) schema.enum = [...values, null];
    for (const keyword of ['allOf', 'anyOf', 'oneOf', 'const', 'not'])
      if (Object.hasOwn(schema, keyword)) return beside(schema);
    return schema;
  }
  for (const keyword of ['enum', 'const', 'allOf', 'anyOf', 'oneOf', 'not', '$ref']) {
    if (Object.hasOwn(schema, keyword)) return beside(schema);
  }
  return schema;
}

function beside(schema: Record<string, unknown>): JsonSchema {
  const annotations = annotationsOf(schema);
  const rest: Record<string, unknown> = {};
  for (const key of Object.keys(schema)) if (!Object.hasOwn(annotations, key)) rest[key] = schema[key];
  return { ...annotations, anyOf: [rest, NULL] };
}

function nameLists(map: Node): Record<string, string[]> {
  const out = emptyMap<string[]>();
  for (const key of Object.keys(map)) {
    const value = map[key];
    if (Array.isArray(value)) out[key] = value.filter((name): name is string => typeof name === 'string');
  }
  return out;
}

/** The last part of the pointer that says something, safe in a URI fragment, unique. */
function definitionName(pointer: string, names: Set<string>): string {
  const parts = pointer.split('/').slice(1).reverse();
  const telling = parts.find((part) => !/^(?:\d+|schema|items|properties|allOf|oneOf|anyOf|)$/.test(part)) ?? 'Root';
  const base =
    telling
      .replace(/~[01]/g, '_')
      .replace(/[^A-Za-z0-9_.-]+/g, '_')
      .slice(0, 80) || 'Schema';
  let name = base === '__proto__' ? 'proto' : base;
  for (let number = 2; names.has(name); number++) name = `${base}_${number}`;
  names.add(name);
  return name;
}
