// The enforced schema of an endpoint's arguments: flat at the top, whole below, self-contained.
import { FILE_SCHEMA } from '../../endpoint/conventions/file-types.ts';
import { isObject } from '../../endpoint/is-object.ts';
import type { FixedValue, JsonSchema } from '../../endpoint/model.ts';
import { toPlainLines } from '../../endpoint/plain-text.ts';
import { emptyMap, listAt, type Node, nodeAt, omitUndefined, textAt } from '../../endpoint/untrusted.ts';
import { changeBodyRules, writeBodyRules } from '../../schema/body-rules.ts';
import { subschemas, typesOf } from '../../schema/keywords.ts';
import { type Argument, isReadOnly, isRequired } from '../flat-arguments.ts';
import { examplesOfParameter } from '../objects/example.ts';
import { type Parameter, saysNoType, schemaOfParameter } from '../objects/parameter.ts';
import type { BodyDraft } from '../objects/request-body.ts';
import type { Place, Resolver } from '../source/resolve.ts';
import type { Definition } from './convert-schema.ts';
import type { SchemaBuilder } from './schema-builder.ts';
import { nodeBehind } from './schema-refs.ts';
import { isSmallValue } from './schema-values.ts';
import type { Variants } from './variants.ts';

export interface SchemaContext {
  readonly builder: SchemaBuilder;
  readonly resolver: Resolver;
  readonly variants: Variants;
}

export function buildInputSchema(
  offers: readonly Argument[],
  body: BodyDraft | undefined,
  fixed: readonly FixedValue[],
  context: SchemaContext,
): JsonSchema {
  const uses = new Set<Definition>();
  const properties = emptyMap<JsonSchema>();
  const required: string[] = [];
  for (const argument of offers) {
    properties[argument.key] =
      argument.origin.kind === 'parameter' ? schemaOnce(argument, uses, context) : schemaOf(argument, uses, context);
    if (isRequired(argument, body)) required.push(argument.key);
  }
  const $defs = context.builder.definitions(uses, 'request');
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
    ...bodyRules(offers, body, fixed),
    ...($defs ? { $defs } : {}),
  };
}

/** Parameters that many operations refer to are one argument of all of them, with one schema. */
const parameterSchemas = new WeakMap<Argument, { readonly schema: JsonSchema; readonly uses: readonly Definition[] }>();

function schemaOnce(argument: Argument, uses: Set<Definition>, context: SchemaContext): JsonSchema {
  let entry = parameterSchemas.get(argument);
  if (entry === undefined) {
    const own = new Set<Definition>();
    entry = { schema: schemaOf(argument, own, context), uses: [...own] };
    parameterSchemas.set(argument, entry);
  }
  for (const definition of entry.uses) uses.add(definition);
  return entry.schema;
}

function schemaOf(argument: Argument, uses: Set<Definition>, context: SchemaContext): JsonSchema {
  const { builder, resolver } = context;
  const { origin, extension } = argument;
  const override = extension.description;
  switch (origin.kind) {
    case 'parameter': {
      const { schema, object, description } = origin.parameter;
      const source = schema.value === object ? { ...schema, value: schemaOfParameter(object) } : schema;
      const value = withType(builder.convert(source, 'request', uses), source, origin.parameter, resolver);
      return withAnnotations(
        withWords(value, override ?? description ?? textAt(object, 'description')),
        origin.parameter,
        argument,
        resolver,
      );
    }
    case 'field': {
      if (origin.file) return withWords(fileSchema(origin.schemas[0], resolver), override);
      const parts = origin.schemas.map((schema) => builder.convertField(schema, uses));
      const [only = {}] = parts;
      const value = parts.length > 1 ? { allOf: parts.map((part) => withReadOnly(part, false)) } : only;
      return withWords(withReadOnly(value, isReadOnly(argument)), override);
    }
    case 'rest': {
      const { schema, names } = origin;
      const each = schema === 'anything' ? undefined : builder.convert(schema, 'request', uses);
      // A field with an argument of its own is checked there.
      const ownFields = emptyMap<JsonSchema>();
      for (const name of names) ownFields[name] = false;
      const others = omitUndefined({ type: 'object', properties: ownFields, additionalProperties: each });
      return withWords(others, 'Further fields of the body, by name.');
    }
    case 'whole': {
      const { whole, plan, description } = origin.body;
      const words = override ?? description ?? whole?.description;
      if (whole?.key === 'file') return withWords(FILE_SCHEMA, words);
      if (plan.kind === 'text') return withWords(textSchema(whole, uses, context), whole?.description ?? words);
      if (!whole?.schema) return withWords(plan.kind === 'form' ? { type: 'object' } : {}, words);
      return withWords(wholeSchema(whole.schema, uses, context), words);
    }
  }
}

/** In a URL or a header an untyped value is a word, a number or of the kind its default and examples are. */
function withType(schema: JsonSchema, source: Place, { target, object }: Parameter, resolver: Resolver): JsonSchema {
  if (target.in === 'querystring' || !('style' in target) || target.mediaType !== undefined) return schema;
  const node = nodeBehind(source, resolver)?.node;
  if (!isObject(schema) || !saysNoType(node)) return schema;
  const { $ref: _, ...rest } = schema;
  const types = target.style === 'deepObject' ? ['object'] : ['string', 'number', ...sampleTypes(schema, object)];
  return { ...rest, type: types };
}

/** `default: false` of a value without a type: a value of the default's type may be given as well. */
function sampleTypes(schema: Node, object: Node): string[] {
  const samples = [schema.default, ...listAt(schema, 'examples'), object.example, object['x-example']];
  for (const each of Object.values(nodeAt(object, 'examples') ?? {})) if (isObject(each)) samples.push(each.value);
  const types: string[] = [];
  if (samples.some((sample) => typeof sample === 'boolean')) types.push('boolean');
  if (samples.some(Array.isArray)) types.push('array');
  if (samples.some(isObject)) types.push('object');
  return types;
}

/** Text is written as it is given; a document may still say that it is a number, `true` or one of a few words. */
function textSchema(whole: BodyDraft['whole'], uses: Set<Definition>, context: SchemaContext): JsonSchema {
  const node = nodeBehind(whole?.schema, context.resolver)?.node;
  const isPlain = node !== undefined && whole?.description === undefined && subschemas(node).next().done === true;
  const types = isPlain ? typesOf(node) : [];
  if (types.length === 0 || types.includes('object') || types.includes('array')) return { type: 'string' };
  return context.builder.convert(whole!.schema!, 'request', uses);
}

/** A base with variants is offered as any of them; the base itself stays allowed, for variants the document forgot. */
function wholeSchema(schema: Place, uses: Set<Definition>, { builder, resolver, variants }: SchemaContext): JsonSchema {
  const own = builder.convert(schema, 'request', uses);
  const target = nodeBehind(schema, resolver);
  const list = target ? variants({ document: target.document, pointer: schema.pointer, value: target.node }) : [];
  if (list.length === 0) return own;
  const refs = list.map((variant) => ({ ...variant, value: { $ref: `#${variant.pointer}` } }));
  const each = refs.map((ref) => builder.convert(ref, 'request', uses));
  return { anyOf: [...each, own] };
}

/** A field that only one branch of an allOf marks as readOnly counts as writable. */
function withReadOnly(schema: JsonSchema, readOnly: boolean): JsonSchema {
  if (!isObject(schema) || (schema.readOnly === true) === readOnly) return schema;
  const { readOnly: _, ...rest } = schema;
  return readOnly ? { ...rest, readOnly } : rest;
}

function withWords(schema: JsonSchema, text: string | undefined): JsonSchema {
  const words = text === undefined ? '' : toPlainLines(text);
  if (words === '') return schema;
  return { ...(schema === true ? {} : schema === false ? { not: {} } : schema), description: words };
}

/** Parameter objects carry examples and `deprecated` beside their schema. */
function withAnnotations(
  schema: JsonSchema,
  parameter: Parameter,
  { wireName, key }: Argument,
  resolver: Resolver,
): JsonSchema {
  if (!isObject(schema)) return schema;
  const out: Record<string, unknown> = { ...schema };
  if (parameter.object.deprecated === true) out.deprecated = true;
  const example = examplesOfParameter(parameter, resolver).find(({ value }) => isSmallValue(value));
  if (example !== undefined && out.examples === undefined) out.examples = [example.value];
  // A key made from a name with non-ASCII characters may say nothing, so the description gives the original name.
  if (/[^\x20-\x7e]/.test(wireName) && wireName !== key && out.description === undefined)
    out.description = `Sent as ${toPlainLines(wireName)}.`;
  return out;
}

function fileSchema(place: Place | undefined, resolver: Resolver): JsonSchema {
  const target = nodeBehind(place, resolver);
  const description = textAt(place?.value, 'description') ?? textAt(target?.node, 'description');
  const schema = target?.node.type === 'array' ? { type: 'array', items: FILE_SCHEMA } : FILE_SCHEMA;
  return withWords(schema, description);
}

/** What the document says about the body as a whole, for the arguments that are offered. */
function bodyRules(offers: readonly Argument[], body: BodyDraft | undefined, fixed: readonly FixedValue[]): Node {
  if (!body?.shape) return {};
  const { alternatives, minProperties } = body.shape;
  const fields = offers.filter(({ location }) => location === 'body');
  const keyOf = new Map(fields.map(({ wireName, key }) => [wireName, key]));
  const keys = [...keyOf.values()];
  const requiredKeys = fields.filter(({ required }) => required).map(({ key }) => key);
  const optional = !body.plan.required;
  const sets = [...alternatives];
  if (minProperties === 1 && keys.length <= 64 && requiredKeys.length === 0 && !optional)
    sets.push({ keyword: 'anyOf', sets: [...keyOf.keys()].map((name) => [name]) });
  const isFixed = (name: string) => fixed.some(({ to }) => to.in === 'body' && to.at[0] === name);
  const fateOf = (name: string) =>
    keyOf.has(name) || !body.shape!.names.includes(name) ? undefined : isFixed(name) ? 'sent' : 'never';
  const rules = changeBodyRules(
    { keys: [], needed: [], alternatives: sets, optional },
    fateOf,
    (name) => keyOf.get(name) ?? name,
  );
  return writeBodyRules({ keys, needed: requiredKeys, alternatives: rules.alternatives, optional });
}
