// The schema that arguments are validated with: one property per argument, and all definitions they need.
import { FILE_SCHEMA } from '../../endpoint/conventions/file-types.ts';
import { isObject } from '../../endpoint/is-object.ts';
import type { FixedValue, JsonSchema } from '../../endpoint/model.ts';
import { toPlainLines } from '../../endpoint/plain-text.ts';
import { emptyMap, listAt, type Node, nodeAt, omitUndefined, textAt } from '../../endpoint/untrusted.ts';
import { changeBodyRules, writeBodyRules } from '../../schema/body-rules.ts';
import { subschemas, typesOf } from '../../schema/keywords.ts';
import { type Argument, isReadOnlyArgument, isRequired } from '../flat-arguments.ts';
import { examplesOfParameter } from '../objects/example.ts';
import { isUntyped, type Parameter, schemaOfParameter } from '../objects/parameter.ts';
import type { BodyDraft } from '../objects/request-body.ts';
import type { DocumentPlace, Resolver } from '../source/resolve.ts';
import type { Definition } from './convert-schema.ts';
import type { SchemaBuilder } from './schema-builder.ts';
import { dereferencedNode } from './schema-refs.ts';
import { isSmallValue } from './schema-values.ts';
import type { Variants } from './variants.ts';

export interface SchemaContext {
  readonly builder: SchemaBuilder;
  readonly resolver: Resolver;
  readonly variants: Variants;
}

export function buildInputSchema(
  args: readonly Argument[],
  body: BodyDraft | undefined,
  fixed: readonly FixedValue[],
  context: SchemaContext,
): JsonSchema {
  const uses = new Set<Definition>();
  const properties = emptyMap<JsonSchema>();
  const required: string[] = [];
  for (const argument of args) {
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
    ...bodyRules(args, body, fixed),
    ...($defs ? { $defs } : {}),
  };
}

/** A parameter that many operations refer to is the same argument in all of them, so its schema is built once. */
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
        withDescription(value, override ?? description ?? textAt(object, 'description')),
        origin.parameter,
        argument,
        resolver,
      );
    }
    case 'field': {
      if (origin.file) return withDescription(fileSchema(origin.schemas[0], resolver), override);
      const parts = origin.schemas.map((schema) => builder.convertField(schema, uses));
      const [only = {}] = parts;
      const value = parts.length > 1 ? { allOf: parts.map((part) => withReadOnly(part, false)) } : only;
      return withDescription(withReadOnly(value, isReadOnlyArgument(argument)), override);
    }
    case 'rest': {
      const { schema, names } = origin;
      const each = schema === 'anything' ? undefined : builder.convert(schema, 'request', uses);
      // Fields that have an argument of their own are not allowed here.
      const ownFields = emptyMap<JsonSchema>();
      for (const name of names) ownFields[name] = false;
      const others = omitUndefined({ type: 'object', properties: ownFields, additionalProperties: each });
      return withDescription(others, 'Further fields of the body, by name.');
    }
    case 'whole': {
      const { whole, plan, description } = origin.body;
      const words = override ?? description ?? whole?.description;
      if (whole?.key === 'file') return withDescription(FILE_SCHEMA, words);
      if (plan.kind === 'text') return withDescription(textSchema(whole, uses, context), whole?.description ?? words);
      if (!whole?.schema) return withDescription(plan.kind === 'form' ? { type: 'object' } : {}, words);
      return withDescription(wholeBodySchema(whole.schema, uses, context), words);
    }
  }
}

/** In a URL or a header, a value without a type may be a string, a number, or of the type of its default and examples. */
function withType(
  schema: JsonSchema,
  source: DocumentPlace,
  { target, object }: Parameter,
  resolver: Resolver,
): JsonSchema {
  if (target.in === 'querystring' || !('style' in target) || target.mediaType !== undefined) return schema;
  const node = dereferencedNode(source, resolver)?.node;
  if (!isObject(schema) || !isUntyped(node)) return schema;
  const { $ref: _, ...rest } = schema;
  const types = target.style === 'deepObject' ? ['object'] : ['string', 'number', ...sampleTypes(schema, object)];
  return { ...rest, type: types };
}

/** The types of a value's default and examples other than string and number. */
function sampleTypes(schema: Node, object: Node): string[] {
  const samples = [schema.default, ...listAt(schema, 'examples'), object.example, object['x-example']];
  for (const each of Object.values(nodeAt(object, 'examples') ?? {})) if (isObject(each)) samples.push(each.value);
  const types: string[] = [];
  if (samples.some((sample) => typeof sample === 'boolean')) types.push('boolean');
  if (samples.some(Array.isArray)) types.push('array');
  if (samples.some(isObject)) types.push('object');
  return types;
}

/** Text is sent as given, but the document may declare that it is a number, a boolean or one of an enum. */
function textSchema(whole: BodyDraft['whole'], uses: Set<Definition>, context: SchemaContext): JsonSchema {
  const node = dereferencedNode(whole?.schema, context.resolver)?.node;
  const isPlain = node !== undefined && whole?.description === undefined && subschemas(node).next().done === true;
  const types = isPlain ? typesOf(node) : [];
  if (types.length === 0 || types.includes('object') || types.includes('array')) return { type: 'string' };
  return context.builder.convert(whole!.schema!, 'request', uses);
}

/** A base with variants accepts any of them, and the base itself, in case the document lacks a variant. */
function wholeBodySchema(
  schema: DocumentPlace,
  uses: Set<Definition>,
  { builder, resolver, variants }: SchemaContext,
): JsonSchema {
  const own = builder.convert(schema, 'request', uses);
  const target = dereferencedNode(schema, resolver);
  const list = target ? variants({ document: target.document, pointer: schema.pointer, value: target.node }) : [];
  if (list.length === 0) return own;
  const refs = list.map((variant) => ({ ...variant, value: { $ref: `#${variant.pointer}` } }));
  const each = refs.map((ref) => builder.convert(ref, 'request', uses));
  return { anyOf: [...each, own] };
}

/** Sets or removes `readOnly`: a field that only one branch of an allOf marks as readOnly counts as writable. */
function withReadOnly(schema: JsonSchema, readOnly: boolean): JsonSchema {
  if (!isObject(schema) || (schema.readOnly === true) === readOnly) return schema;
  const { readOnly: _, ...rest } = schema;
  return readOnly ? { ...rest, readOnly } : rest;
}

function withDescription(schema: JsonSchema, text: string | undefined): JsonSchema {
  const words = text === undefined ? '' : toPlainLines(text);
  if (words === '') return schema;
  return { ...(schema === true ? {} : schema === false ? { not: {} } : schema), description: words };
}

/** Parameter objects have examples and `deprecated` beside their schema. */
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
  // A key made from a name that is not ASCII may be meaningless, so the description contains the original name.
  if (/[^\x20-\x7e]/.test(wireName) && wireName !== key && out.description === undefined)
    out.description = `Sent as ${toPlainLines(wireName)}.`;
  return out;
}

function fileSchema(place: DocumentPlace | undefined, resolver: Resolver): JsonSchema {
  const target = dereferencedNode(place, resolver);
  const description = textAt(place?.value, 'description') ?? textAt(target?.node, 'description');
  const schema = target?.node.type === 'array' ? { type: 'array', items: FILE_SCHEMA } : FILE_SCHEMA;
  return withDescription(schema, description);
}

/** The rules of the document for the body as a whole, for the arguments that are offered. */
function bodyRules(args: readonly Argument[], body: BodyDraft | undefined, fixed: readonly FixedValue[]): Node {
  if (!body?.shape) return {};
  const { alternatives, minProperties } = body.shape;
  const fields = args.filter(({ location }) => location === 'body');
  const keyOf = new Map(fields.map(({ wireName, key }) => [wireName, key]));
  const keys = [...keyOf.values()];
  const requiredKeys = fields.filter(({ required }) => required).map(({ key }) => key);
  const optional = !body.plan.required;
  const sets = [...alternatives];
  if (minProperties === 1 && keys.length <= 64 && requiredKeys.length === 0 && !optional)
    sets.push({ keyword: 'anyOf', sets: [...keyOf.keys()].map((name) => [name]) });
  const isFixed = (name: string) => fixed.some(({ to }) => to.in === 'body' && to.at[0] === name);
  const outcomeOf = (name: string) =>
    keyOf.has(name) || !body.shape!.names.includes(name) ? undefined : isFixed(name) ? 'sent' : 'never';
  const rules = changeBodyRules(
    { keys: [], needed: [], alternatives: sets, optional },
    outcomeOf,
    (name) => keyOf.get(name) ?? name,
  );
  return writeBodyRules({ keys, needed: requiredKeys, alternatives: rules.alternatives, optional });
}
