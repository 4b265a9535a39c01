// The schemas of a document on demand. Every `$ref` becomes `#/$defs/<name>`; a definition is built once per direction
// and shared by all endpoints that use it, so the cost is that of the document, not of its expansion, and recursion stays
// recursion.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { emptyMap } from '../../endpoint/untrusted.ts';
import type { Follow, Place } from '../source/resolve.ts';
import {
  type ConversionContext,
  convertProperty,
  convertSchema,
  type Definition,
  type Definitions,
} from './convert-schema.ts';
import { createCircles } from './in-place-cycles.ts';
import type { Direction, OneWayProperties } from './one-way-properties.ts';
import { definitionName } from './schema-parts.ts';

export interface SchemaBuilder {
  /** Converts one schema; the definitions it needs are added to `uses`. */
  readonly convert: (schema: Place, direction: Direction, uses: Set<Definition>) => JsonSchema;
  /** The same for a field of a body, which may be readOnly. */
  readonly convertField: (schema: Place, uses: Set<Definition>) => JsonSchema;
  /** `$defs` for these definitions and all they need in turn; undefined where there are none. */
  readonly definitions: (uses: ReadonlySet<Definition>, direction: Direction) => Record<string, JsonSchema> | undefined;
  /** Converts them one per step, so that `definitions` only has to collect them. */
  readonly prepare: (uses: ReadonlySet<Definition>, direction: Direction) => Generator<void, void>;
}

/** Bases that may be written out inside one definition, where circles are opened. */
const MAX_OPENED = 100;
/** Ways in which one definition may have to be written, by what need not be given. */
const MAX_FORMS = 32;

interface ConvertedDefinition {
  readonly schema: JsonSchema;
  readonly uses: ReadonlySet<Definition>;
}

export function createSchemaBuilder(follow: Follow, oneWay: OneWayProperties): SchemaBuilder {
  const definitions: Definitions = {
    follow,
    onOneCircle: createCircles(follow),
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
      const { place: within, unasked } = definition;
      const { document, value } = within;
      const budget = { left: MAX_OPENED };
      const schema = convertSchema(
        { definitions, document, direction, uses, via: 'all', within, budget, unasked },
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
      // Iterating a Set includes elements added meanwhile, so the needs of each definition follow it, each once.
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

type Converting = Pick<ConversionContext, 'document' | 'uses' | 'via'>;

/**
 * Operations on one thing (create, replace, update) have bodies with the same schema. Each field is converted once, and later
 * steps can recognise the result by its object identity.
 */
function rememberConversion(
  convert: (context: Converting, value: unknown) => JsonSchema,
): (schema: Place, uses: Set<Definition>) => JsonSchema {
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

/** One definition, with its own name, per place and set of names that need not be given. */
function createDefinitions(): Definitions['at'] {
  const byPlace = new Map<object, Map<string, Definition>>();
  const names = new Set<string>();
  return (place, exemptNames) => {
    let forms = byPlace.get(place.value as object);
    if (!forms) {
      forms = new Map();
      byPlace.set(place.value as object, forms);
    }
    const exempt = forms.size < MAX_FORMS ? exemptNames : undefined;
    const key = exempt === undefined ? '' : JSON.stringify([...exempt].sort());
    let definition = forms.get(key);
    if (!definition) {
      definition = { name: definitionName(place.pointer, names), place, unasked: exempt };
      forms.set(key, definition);
    }
    return definition;
  };
}
