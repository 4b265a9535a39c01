// Example Objects: all examples that a document has for the request of an operation, the few that are shown to a model, and the
// fields of a body that only occur in its examples.
// https://spec.openapis.org/oas/v3.2.0.html#example-object
import { isMethodParameter } from '../../endpoint/headers/header-names.ts';
import { isObject } from '../../endpoint/is-object.ts';
import type { Args, DocumentExample, Endpoint } from '../../endpoint/model.ts';
import { type Node, nodeAt, own, textAt } from '../../endpoint/untrusted.ts';
import { exampleCalls, parseJsonText } from '../../schema/example-calls.ts';
import type { Argument } from '../flat-arguments.ts';
import type { Field, ObjectShape } from '../schema/schema-shape.ts';
import { isSmallValue } from '../schema/schema-values.ts';
import { type DocumentPlace, inside, orUndefined, pointerOf, type Resolver } from '../source/resolve.ts';
import type { Parameter } from './parameter.ts';
import type { BodyDraft } from './request-body.ts';

/** Examples shown to a model. */
const MAX_SHOWN = 3;
/** Examples read from one `examples`, and for one request. */
const MAX_READ = 100;
const MAX_ALL = 1_000;

/** All examples, those of parameters first. An `externalValue` is never fetched. */
export function readExamples(
  args: readonly Argument[],
  body: BodyDraft | undefined,
  resolver: Resolver,
): readonly DocumentExample[] {
  const examples: DocumentExample[] = [];
  for (const { origin, to } of args) {
    if (examples.length > MAX_ALL) break;
    const add = (places: readonly DocumentPlace[], inSchema: boolean) => {
      for (const place of places) examples.push({ of: to[0]!, value: place.value, place: pointerOf(place), inSchema });
    };
    if (origin.kind === 'parameter') {
      const { schema, object } = origin.parameter;
      add(examplesOfParameter(origin.parameter, resolver), false);
      if (schema.value !== object) add(inSchemaAt(schema, resolver), true);
    } else if (origin.kind === 'field' && !origin.file) {
      for (const schema of origin.schemas) add(inSchemaAt(schema, resolver), true);
    }
  }
  if (!body || body.whole?.key === 'file') return examples;
  if (!body.media) return examples;
  for (const { place, inSchema } of examplesOfBody(body.media, resolver))
    examples.push({ of: 'body', value: place.value, place: pointerOf(place), inSchema });
  return examples;
}

/** The examples beside the schema of a parameter. */
export function examplesOfParameter({ schema, object }: Parameter, resolver: Resolver): readonly DocumentPlace[] {
  const owner = nodeAt(object, 'content') ? contentOf(object) : object;
  if (!hasExamples(owner)) return NONE;
  // In 2.0 the parameter is the schema; otherwise the schema is in the parameter or in its media type object.
  const pointer = schema.value === object ? schema.pointer : schema.pointer.replace(/\/schema$/, '');
  return besideSchema({ ...schema, pointer, value: owner }, resolver);
}

/** The examples of a media type object (2.0: a body parameter), then those of its schema. */
export function examplesOfBody(
  media: DocumentPlace,
  resolver: Resolver,
): readonly { readonly place: DocumentPlace; readonly inSchema: boolean }[] {
  return [
    ...besideSchema(media, resolver).map((place) => ({ place, inSchema: false })),
    ...inSchemaAt(inside(media, 'schema'), resolver).map((place) => ({ place, inSchema: true })),
  ];
}

function contentOf(parameter: unknown): unknown {
  const content = nodeAt(parameter, 'content');
  return nodeAt(content, Object.keys(content ?? {})[0] ?? '');
}

const KEYWORDS = ['example', 'examples', 'x-example', 'x-examples'];
const NONE: readonly DocumentPlace[] = Object.freeze([]);

/** A quick check, because there are very many objects and most have no examples. */
function hasExamples(value: unknown): boolean {
  return isObject(value) && KEYWORDS.some((keyword) => value[keyword] !== undefined);
}

/** `example` and `examples` of a parameter or media type object, and `x-example(s)`, as they are called in 2.0. */
function besideSchema(owner: DocumentPlace, resolver: Resolver): readonly DocumentPlace[] {
  if (!hasExamples(owner.value)) return NONE;
  return [
    ...oneExample(inside(owner, 'example'), resolver),
    ...oneExample(inside(owner, 'x-example'), resolver),
    ...namedExamples(inside(owner, 'examples'), resolver),
    ...namedExamples(inside(owner, 'x-examples'), resolver),
  ].filter(({ value }) => value !== undefined);
}

/** Some documents have a `$ref` instead of the value. */
function oneExample(example: DocumentPlace, resolver: Resolver): readonly DocumentPlace[] {
  if (textAt(example.value, '$ref') === undefined) return [example];
  const target = orUndefined(() => resolver.dereference(example));
  if (!target) return NONE;
  return [own(target.value, 'value') === undefined ? target : inside(target, 'value')];
}

function namedExamples(examples: DocumentPlace, resolver: Resolver): readonly DocumentPlace[] {
  if (Array.isArray(examples.value)) return listOf(examples);
  const names = Object.keys(isObject(examples.value) ? examples.value : {}).slice(0, MAX_READ);
  const bare = examples.pointer.endsWith('/x-examples');
  return names.flatMap((name) => {
    const example = orUndefined(() => resolver.dereference(inside(examples, name)));
    if (!example) return [];
    // In 3.2, `dataValue` and `serializedValue` replace `value`.
    const key = ['value', 'dataValue'].find((word) => own(example.value, word) !== undefined);
    if (key !== undefined) return [inside(example, key)];
    // The keys of the 2.0 extension are media types, with the value itself.
    return bare ? [example] : [];
  });
}

export function inSchemaAt(schema: DocumentPlace, resolver: Resolver): readonly DocumentPlace[] {
  const place = orUndefined(() => resolver.dereference(schema));
  if (!hasExamples(place?.value)) return NONE;
  const examples = inside(place!, 'examples');
  return [
    inside(place!, 'example'),
    inside(place!, 'x-example'),
    ...(Array.isArray(examples.value) ? listOf(examples) : []),
  ].filter(({ value }) => value !== undefined);
}

function listOf(list: DocumentPlace): readonly DocumentPlace[] {
  return (list.value as readonly unknown[]).slice(0, MAX_READ).map((_, index) => inside(list, index));
}

/**
 * One set of arguments per example of the body, with the examples of parameters. Only sets with all required arguments are shown.
 */
export function buildExamples(endpoint: Endpoint): readonly Args[] {
  const required = endpoint.args.filter((arg) => arg.required).map(({ key }) => key);
  const common: Record<string, unknown> = {};
  const bodies: Args[] = [];
  let beside = false;
  for (const { kind, inSchema, arguments: args } of exampleCalls(endpoint)) {
    if (kind === 'body') {
      // Examples in a shared schema are only used if the operation has none of its own.
      if (inSchema && beside) continue;
      beside ||= !inSchema;
      if (isSmallValue(args)) bodies.push(args);
    } else if (kind === 'parameter') {
      const [key = ''] = Object.keys(args);
      // Optional parameters only appear if the parameter itself, not its schema, has an example.
      if (Object.hasOwn(common, key) || (inSchema && !required.includes(key)) || !isSmallValue(args)) continue;
      common[key] = args[key];
    }
  }
  const names = new Set(endpoint.args.filter(({ readOnly }) => !readOnly).map(({ key }) => key));
  const sets = bodies.length > 0 ? bodies.map((args) => ({ ...common, ...args })) : [common];
  return sets
    .map((set) => Object.fromEntries(Object.entries(set).filter(([key]) => names.has(key))))
    .filter((set) => Object.keys(set).length > 0 && required.every((key) => Object.hasOwn(set, key)))
    .slice(0, MAX_SHOWN);
}

/** If examples have more such fields, the body is taken for a map. */
const MAX_EXAMPLE_FIELDS = 32;
/** Names read in all examples of a body; limited, because this happens at the start. */
const MAX_EXAMPLE_NAMES = 5_000;
const FROM_EXAMPLE = 'Not declared by the API description; taken from its example.';

/**
 * Adds fields that occur in a body's examples but not in its schema (elasticsearch's `aggs`). If the document does not forbid
 * further fields, they become arguments with the type they have in the example. `listExamples`: values of the body.
 */
export function withExampleFields(shape: ObjectShape, listExamples: () => readonly DocumentPlace[]): ObjectShape {
  // The names in a map are chosen by the caller.
  if (shape.closed || (shape.rest !== undefined && shape.rest !== 'anything')) return shape;
  const examples = listExamples();
  if (examples.length === 0) return shape;
  const places = new Map<string, DocumentPlace[]>();
  const names = new Set(shape.names);
  const required = shape.fields.filter((field) => field.required);
  /** Several references may lead to the same example. */
  const visits = new Set<unknown>();
  let namesLeft = MAX_EXAMPLE_NAMES;
  for (const example of examples) {
    if (visits.has(example.value) || namesLeft <= 0) continue;
    visits.add(example.value);
    const value = parseJsonText(example.value);
    // An example without the required fields is an example of something else.
    if (!isObject(value) || !required.every(({ name }) => Object.hasOwn(value, name))) continue;
    for (const name of Object.keys(value).slice(0, namesLeft)) {
      namesLeft--;
      if (names.has(name) || isMethodParameter(name) || name === '__proto__') continue;
      const place = inside({ ...example, value }, name);
      const list = places.get(name);
      if (list) list.push(place);
      else places.set(name, [place]);
      if (places.size > MAX_EXAMPLE_FIELDS) return { ...shape, rest: 'anything' };
    }
  }
  if (places.size === 0) return shape;
  return { ...shape, fields: [...shape.fields, ...[...places].map(([name, list]) => fieldOf(name, list))] };
}

function fieldOf(name: string, places: readonly DocumentPlace[]): Field {
  const schema = { ...schemaOf(places.map(({ value }) => value)), description: FROM_EXAMPLE };
  return { name, required: false, schemas: [{ ...places[0]!, value: schema }] };
}

/** The types of the values, and of the items in lists. For objects, an example is shown instead of a schema. */
function schemaOf(values: readonly unknown[]): Node {
  const types = [...new Set(values.map(typeOf))];
  // null does not show the type.
  const type = types.includes('null') ? {} : { type: types.length === 1 ? types[0] : types };
  const items = values.filter(Array.isArray).flat();
  const itemTypes = new Set(items.map(typeOf));
  const [itemType] = itemTypes;
  const isUniform = itemTypes.size === 1 && itemType !== 'null';
  const example = values.find((value) => typeof value === 'object' && value !== null && isSmallValue(value));
  return {
    ...type,
    ...(isUniform && types.includes('array') ? { items: { type: itemType } } : {}),
    ...(example === undefined ? {} : { example }),
  };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
