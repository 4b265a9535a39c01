// Builds the schemas of a document on demand. Every `$ref` becomes `#/$defs/<name>`. A definition is built once per direction and
// shared by all endpoints that use it, so the cost is that of the document, not of its expansion, and recursion is kept.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { emptyMap } from '../../endpoint/untrusted.ts';
import type { DocumentPlace, Follow } from '../source/resolve.ts';
import {
  type ConversionContext,
  convertProperty,
  convertSchema,
  type Definition,
  type Definitions,
} from './convert-schema.ts';
import { createCycleCheck } from './in-place-cycles.ts';
import type { Direction, OneWayProperties } from './one-way-properties.ts';

export interface SchemaBuilder {
  /** Converts one schema; the definitions it needs are added to `uses`. */
  readonly convert: (schema: DocumentPlace, direction: Direction, uses: Set<Definition>) => JsonSchema;
  /** The same for a field of a body, which may be readOnly. */
  readonly convertField: (schema: DocumentPlace, uses: Set<Definition>) => JsonSchema;
  /** `$defs` with these definitions and all that they refer to; undefined if there are none. */
  readonly definitions: (uses: ReadonlySet<Definition>, direction: Direction) => Record<string, JsonSchema> | undefined;
  /** Converts one definition per step, so that `definitions` only has to collect them. */
  readonly prepare: (uses: ReadonlySet<Definition>, direction: Direction) => Generator<void, void>;
}

/** Bases that may be inlined in one definition to break cycles. */
const MAX_INLINED_BASES = 100;
/** Copies of one definition that differ in the names that need not be given. */
const MAX_COPIES = 32;

interface ConvertedDefinition {
  readonly schema: JsonSchema;
  readonly uses: ReadonlySet<Definition>;
}

export function createSchemaBuilder(follow: Follow, oneWay: OneWayProperties): SchemaBuilder {
  const definitions: Definitions = {
    follow,
    inSameCycle: createCycleCheck(follow),
    oneWay,
    at: createDefinitions(),
  };
  const schemas = {
    request: new Map<Definition, ConvertedDefinition>(),
    response: new Map<Definition, ConvertedDefinition>(),
  };

  const convertDefinition = (definition: Definition, direction: Direction): ConvertedDefinition => {
    let result = schemas[direction].get(definition);
    if (!result) {
      const uses = new Set<Definition>();
      const { place: within, optionalNames } = definition;
      const { document, value } = within;
      const budget = { left: MAX_INLINED_BASES };
      const schema = convertSchema(
        { definitions, document, direction, uses, via: 'all', within, budget, optionalNames },
        value,
      );
      result = { schema, uses };
      schemas[direction].set(definition, result);
    }
    return result;
  };

  const convertOnce = {
    request: rememberConversion((context, value) =>
      convertSchema({ definitions, direction: 'request', ...context }, value),
    ),
    response: rememberConversion((context, value) =>
      convertSchema({ definitions, direction: 'response', ...context }, value),
    ),
    field: rememberConversion((context, value) =>
      convertProperty({ definitions, direction: 'request', ...context }, value),
    ),
  };

  return {
    convert: (schema, direction, uses) => convertOnce[direction](schema, uses),
    convertField: (schema, uses) => convertOnce.field(schema, uses),
    definitions: (uses, direction) => {
      if (uses.size === 0) return undefined;
      const out = emptyMap<JsonSchema>();
      // Iterating a Set includes elements that are added meanwhile, so this visits each definition once.
      const queue = new Set(uses);
      for (const definition of queue) {
        const { schema, uses: inner } = convertDefinition(definition, direction);
        out[definition.name] = schema;
        for (const use of inner) queue.add(use);
      }
      return out;
    },
    *prepare(uses, direction) {
      const queue = new Set(uses);
      for (const definition of queue) {
        for (const use of convertDefinition(definition, direction).uses) queue.add(use);
        yield;
      }
    },
  };
}

type ConversionStart = Pick<ConversionContext, 'document' | 'uses' | 'via'>;

/**
 * Operations on one resource (create, replace, update) have bodies with the same schema. Each field is converted once, and later
 * steps can recognise the result by its object identity.
 */
function rememberConversion(
  convert: (context: ConversionStart, value: unknown) => JsonSchema,
): (schema: DocumentPlace, uses: Set<Definition>) => JsonSchema {
  const conversions = new WeakMap<object, ConvertedDefinition>();
  return ({ document, value }, uses) => {
    if (!isObject(value)) return convert({ document, uses, via: 'all' }, value);
    let conversion = conversions.get(value);
    if (conversion === undefined) {
      const own = new Set<Definition>();
      conversion = { schema: convert({ document, uses: own, via: 'all' }, value), uses: own };
      conversions.set(value, conversion);
    }
    for (const definition of conversion.uses) uses.add(definition);
    return conversion.schema;
  };
}

/** One definition, with its own name, for each place and set of names that need not be given. */
function createDefinitions(): Definitions['at'] {
  const byPlace = new Map<object, Map<string, Definition>>();
  const names = new Set<string>();
  return (place, exemptNames) => {
    let copies = byPlace.get(place.value as object);
    if (!copies) {
      copies = new Map();
      byPlace.set(place.value as object, copies);
    }
    const exempt = copies.size < MAX_COPIES ? exemptNames : undefined;
    const key = exempt === undefined ? '' : JSON.stringify([...exempt].sort());
    let definition = copies.get(key);
    if (!definition) {
      definition = { name: definitionName(place.pointer, names), place, optionalNames: exempt };
      copies.set(key, definition);
    }
    return definition;
  };
}

/** The last part of the pointer that is more than a keyword or an index; safe in a URI fragment, and unique. */
function definitionName(pointer: string, names: Set<string>): string {
  const parts = pointer.split('/').slice(1).reverse();
  const specific = parts.find((part) => !/^(?:\d+|schema|items|properties|allOf|oneOf|anyOf|)$/.test(part)) ?? 'Root';
  const base =
    specific
      .replace(/~[01]/g, '_')
      .replace(/[^A-Za-z0-9_.-]+/g, '_')
      .slice(0, 80) || 'Schema';
  let name = base === '__proto__' ? 'proto' : base;
  for (let number = 2; names.has(name); number++) name = `${base}_${number}`;
  names.add(name);
  return name;
}
