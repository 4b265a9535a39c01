// A schema of any OpenAPI version → JSON Schema 2020-12. Every `$ref` becomes `#/$defs/<name>`; a definition is
// converted once per direction and shared by all endpoints that use it, so the cost is that of the document, not of its
// expansion, and recursion stays recursion.
import type { JsonSchema } from '../../endpoint/model.ts';
import { emptyMap, isNode, type Node } from '../../endpoint/untrusted.ts';
import { isNullable, SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS } from '../../schema/keywords.ts';
import type { SourceDocument } from '../source/documents.ts';
import type { Place, Resolver } from '../source/resolve.ts';
import { createInPlace, followSchema, tryFollow, type Via } from './in-place-cycles.ts';
import { areExclusive } from './one-of.ts';
import {
  annotationsOf,
  convertPlain,
  definitionName,
  FILE_SCHEMA,
  NULL,
  nameLists,
  orNull,
  refOf,
} from './schema-parts.ts';
import { fitValues } from './schema-values.ts';

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
  /** readOnly (or writeOnly), so the direction leaves it out. */
  readonly isHidden: (document: SourceDocument, schema: unknown, direction: Direction) => boolean;
}

const ANY: JsonSchema = Object.freeze({});
const MAX_OPENED = 100;
/** What stands beside a `$ref` in 2.0 and 3.0 counts for nothing; these only describe, so they are kept. */
const REF_ANNOTATIONS = ['title', 'description', 'deprecated', 'default', 'example', 'examples'];

interface Context {
  readonly document: SourceDocument;
  readonly direction: Direction;
  readonly uses: Set<Definition>;
  /** The definition that this schema applies to the same value as, and how. */
  readonly within?: Place;
  readonly via: Via;
  /** Bases written out where a circle was opened, on the way here. */
  readonly opened?: ReadonlySet<object>;
  /** How many more may be written out inside this definition. */
  readonly budget?: { left: number };
  /** Names a sibling branch of an allOf hides: nobody can be required to send them. */
  readonly hidden?: ReadonlySet<string>;
}

interface Converted {
  readonly schema: JsonSchema;
  readonly uses: ReadonlySet<Definition>;
}

export function createSchemaBuilder(resolver: Resolver): SchemaBuilder {
  const follow = followSchema(resolver);
  const inPlace = createInPlace(follow);
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
    return ref === undefined ? convertNode(context, schema) : convertRef(context, schema, ref);
  };

  const convertRef = (context: Context, schema: Node, ref: string): JsonSchema => {
    const target = tryFollow(context.document, ref, follow);
    // A request with a dangling ref never gets here (scan.ts); an answer's schema is information only.
    if (!target || (!isNode(target.value) && typeof target.value !== 'boolean')) return ANY;
    if (typeof target.value === 'boolean') return target.value;
    if (closesCircle(context, target)) return openCircle(context, target);
    const definition = definitionAt(target);
    context.uses.add(definition);
    const pointer = { $ref: `#/$defs/${definition.name}` };
    const beside = besideRef(context, schema);
    if (isNullable(schema)) return { ...annotationsOf(beside), anyOf: [pointer, NULL] };
    return { ...pointer, ...(beside as Node) };
  };

  /** A circle with an allOf in it is opened there: the union that lists the variants is worth more. */
  const closesCircle = ({ within, via, opened }: Context, target: Place): boolean =>
    within !== undefined && inPlace.together(within, target, via === 'union' && opened === undefined);

  /** Writes out what a base says itself; its list of variants is what led here. */
  const openCircle = (context: Context, { document, value }: Place): JsonSchema => {
    if (context.via === 'not') return false;
    const { opened, budget } = context;
    if (context.via === 'union' || opened?.has(value as object) || budget === undefined || budget.left === 0)
      return ANY;
    budget.left--;
    const plain: Record<string, unknown> = {};
    for (const key of Object.keys(value as Node)) {
      if (key !== 'oneOf' && key !== 'anyOf' && key !== 'discriminator') plain[key] = (value as Node)[key];
    }
    return convertIn({ ...context, document, opened: new Set([...(opened ?? []), value as object]) }, plain);
  };

  const besideRef = (context: Context, schema: Node): JsonSchema => {
    const rest: Record<string, unknown> = {};
    const all = context.document.dialect.schema === '3.1';
    for (const key of all ? Object.keys(schema) : REF_ANNOTATIONS) {
      if (key === '$ref' || key === '$dynamicRef' || key === '$recursiveRef' || key === 'nullable') continue;
      if (Object.hasOwn(schema, key)) rest[key] = schema[key];
    }
    for (const _ in rest) return convertNode(context, rest);
    return ANY;
  };

  const convertNode = (context: Context, schema: Node): JsonSchema => {
    if (schema.type === 'file') return FILE_SCHEMA;
    const out: Record<string, unknown> = {};
    const hidden = hiddenNames(context, schema);
    /** Branches of a oneOf that nobody can keep apart. */
    let anyOf: JsonSchema[] | undefined;
    for (const keyword of Object.keys(schema)) {
      const value = schema[keyword];
      if (SCHEMA_MAP_KEYWORDS.has(keyword)) {
        if (isNode(value)) out[keyword] = convertMap(context, keyword, value, hidden);
      } else if (SCHEMA_LIST_KEYWORDS.has(keyword)) {
        if (!Array.isArray(value) || value.length === 0) continue;
        const list = convertList(context, keyword, value, hidden);
        if (keyword === 'oneOf' && context.direction === 'request' && !areExclusive(context.document, value, follow))
          anyOf = list;
        else out[keyword] = list;
      } else if (SCHEMA_KEYWORDS.has(keyword)) {
        if (keyword === 'additionalItems' || (!isNode(value) && typeof value !== 'boolean')) continue;
        out[keyword] = convertIn(IN_PLACE.has(keyword) ? { ...context, via: 'not' } : below(context), value);
      } else if (keyword === 'dependencies') {
        if (isNode(value)) splitDependencies(context, value, out);
      } else convertPlain(schema, keyword, value, hidden, out);
    }
    if (Array.isArray(schema.items)) tupleItems(context, schema, out);
    if (anyOf && out.anyOf === undefined) out.anyOf = anyOf;
    else if (anyOf) out.allOf = [...((out.allOf as JsonSchema[] | undefined) ?? []), { anyOf }];
    fitValues(out);
    if (isTrivial(out.not)) {
      // Nothing passes `not: {}`; ajv trips over it beside a union. One that came from a dangling ref means nothing.
      if (isTrivial(schema.not)) return false;
      delete out.not;
    }
    return isNullable(schema) ? orNull(out) : out;
  };

  const convertMap = (context: Context, keyword: string, map: Node, hidden: ReadonlySet<string> | undefined) => {
    const out = emptyMap<JsonSchema>();
    const inner: Context = keyword === 'dependentSchemas' ? { ...context, via: 'not' } : below(context);
    for (const key of Object.keys(map)) {
      if (keyword === 'properties' && hidden?.has(key) && isHidden(context.document, map[key], context.direction)) {
        // Left out, a field would still pass wherever an object takes others beside its own.
        if (context.direction === 'request') out[key] = false;
        continue;
      }
      out[key] = convertIn(inner, map[key]);
    }
    return out;
  };

  const convertList = (
    context: Context,
    keyword: string,
    list: readonly unknown[],
    hidden: ReadonlySet<string> | undefined,
  ) => {
    if (keyword === 'prefixItems') return list.map((item) => convertIn(below(context), item));
    const { hidden: _, ...bare } = context;
    const inner: Context =
      keyword === 'allOf'
        ? { ...bare, ...(hidden === undefined ? {} : { hidden }) }
        : { ...bare, via: context.via === 'all' ? 'union' : context.via };
    return list.map((item) => convertIn(inner, item));
  };

  const tupleItems = (context: Context, schema: Node, out: Record<string, unknown>): void => {
    const items = schema.items as readonly unknown[];
    if (items.length > 0) out.prefixItems = items.map((item) => convertIn(below(context), item));
    const rest = schema.additionalItems;
    if (isNode(rest) || typeof rest === 'boolean') out.items = convertIn(below(context), rest);
  };

  const splitDependencies = (context: Context, map: Node, out: Record<string, unknown>): void => {
    const schemas = emptyMap<JsonSchema>();
    const lists = emptyMap<unknown>();
    for (const key of Object.keys(map)) {
      if (Array.isArray(map[key])) lists[key] = map[key];
      else schemas[key] = convertIn({ ...context, via: 'not' }, map[key]);
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
    const target = tryFollow(document, ref, follow);
    return isNode(target?.value) && target.value[keyword] === true;
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
    for (const branch of Array.isArray(schema.allOf) ? schema.allOf : []) {
      if (!isNode(branch)) continue;
      const ref = refOf(branch);
      const place = ref === undefined ? undefined : tryFollow(context.document, ref, follow);
      if (place && isNode(place.value)) note(place.document, place.value);
      else if (ref === undefined) note(context.document, branch);
    }
    return found;
  };

  const convertDefinition = (definition: Definition, direction: Direction): Converted => {
    const known = converted[direction].get(definition);
    if (known) return known;
    const uses = new Set<Definition>();
    const { document, value } = definition.place;
    const schema = convertIn(
      { document, direction, uses, via: 'all', within: definition.place, budget: { left: MAX_OPENED } },
      value,
    );
    const done: Converted = { schema, uses };
    converted[direction].set(definition, done);
    return done;
  };

  return {
    isHidden,
    convert: (document, schema, direction, uses) => convertIn({ document, direction, uses, via: 'all' }, schema),
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

/** Applied to the same value, though not as part of an allOf or a union. */
const IN_PLACE = new Set(['not', 'if', 'then', 'else']);

function isTrivial(schema: unknown): boolean {
  return schema === true || (isNode(schema) && Object.keys(schema).length === 0);
}

/** The context of a schema for a part of the value: no circle can close there. */
function below({ document, direction, uses }: Context): Context {
  return { document, direction, uses, via: 'all' };
}
