// Example Objects: every example a document gives for the request of an operation, and the few that are worth showing.
// https://spec.openapis.org/oas/v3.2.0.html#example-object

import { isObject } from '../../endpoint/is-object.ts';
import type { Args, DocumentExample, Endpoint } from '../../endpoint/model.ts';
import { nodeAt, own, textAt } from '../../endpoint/untrusted.ts';
import { exampleCalls } from '../../schema/example-calls.ts';
import type { Argument } from '../flat-arguments.ts';
import { isSmallValue } from '../schema/schema-values.ts';
import { inside, orNothing, type Place, pointerOf, type Resolver } from '../source/resolve.ts';
import type { Parameter } from './parameter.ts';
import type { BodyDraft } from './request-body.ts';

/** Shown to a model. */
const MAX_SHOWN = 3;
/** Of one `examples`, and of one request. */
const MAX_READ = 100;
const MAX_ALL = 1_000;

/** All of them, parameters first. An `externalValue` is never fetched. */
export function readExamples(
  offers: readonly Argument[],
  body: BodyDraft | undefined,
  resolver: Resolver,
): readonly DocumentExample[] {
  const examples: DocumentExample[] = [];
  for (const { origin, to } of offers) {
    if (examples.length > MAX_ALL) break;
    const add = (places: readonly Place[], inSchema: boolean) => {
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

/** Those that stand beside the schema of a parameter. */
export function examplesOfParameter({ schema, object }: Parameter, resolver: Resolver): readonly Place[] {
  const owner = nodeAt(object, 'content') ? contentOf(object) : object;
  if (!hasExamples(owner)) return NONE;
  // 2.0 writes the schema into the parameter; otherwise it stands in the parameter or in its media type object.
  const pointer = schema.value === object ? schema.pointer : schema.pointer.replace(/\/schema$/, '');
  return besideSchema({ ...schema, pointer, value: owner }, resolver);
}

/** Those of a media type object (2.0: a body parameter), then those of its schema. */
export function examplesOfBody(
  media: Place,
  resolver: Resolver,
): readonly { readonly place: Place; readonly inSchema: boolean }[] {
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
const NONE: readonly Place[] = Object.freeze([]);

/** Most have none, and there are very many of them. */
function hasExamples(value: unknown): boolean {
  return isObject(value) && KEYWORDS.some((keyword) => value[keyword] !== undefined);
}

/** `example` and `examples` of a parameter or media type object, and what 2.0 writes as `x-example(s)`. */
function besideSchema(owner: Place, resolver: Resolver): readonly Place[] {
  if (!hasExamples(owner.value)) return NONE;
  return [
    ...oneExample(inside(owner, 'example'), resolver),
    ...oneExample(inside(owner, 'x-example'), resolver),
    ...namedExamples(inside(owner, 'examples'), resolver),
    ...namedExamples(inside(owner, 'x-examples'), resolver),
  ].filter(({ value }) => value !== undefined);
}

/** Some write a reference where the value belongs. */
function oneExample(example: Place, resolver: Resolver): readonly Place[] {
  if (textAt(example.value, '$ref') === undefined) return [example];
  const target = orNothing(() => resolver.settle(example));
  if (!target) return NONE;
  return [own(target.value, 'value') === undefined ? target : inside(target, 'value')];
}

function namedExamples(examples: Place, resolver: Resolver): readonly Place[] {
  if (Array.isArray(examples.value)) return listOf(examples);
  const names = Object.keys(isObject(examples.value) ? examples.value : {}).slice(0, MAX_READ);
  const bare = examples.pointer.endsWith('/x-examples');
  return names.flatMap((name) => {
    const example = orNothing(() => resolver.settle(inside(examples, name)));
    if (!example) return [];
    // 3.2 splits `value` into the data and its serialised form.
    const key = ['value', 'dataValue'].find((word) => own(example.value, word) !== undefined);
    if (key !== undefined) return [inside(example, key)];
    // 2.0 extensions name a media type and give the value itself.
    return bare ? [example] : [];
  });
}

export function inSchemaAt(schema: Place, resolver: Resolver): readonly Place[] {
  const place = orNothing(() => resolver.settle(schema));
  if (!hasExamples(place?.value)) return NONE;
  const examples = inside(place!, 'examples');
  return [
    inside(place!, 'example'),
    inside(place!, 'x-example'),
    ...(Array.isArray(examples.value) ? listOf(examples) : []),
  ].filter(({ value }) => value !== undefined);
}

function listOf(list: Place): readonly Place[] {
  return (list.value as readonly unknown[]).slice(0, MAX_READ).map((_, index) => inside(list, index));
}

/** One set per example of the body, parameters filled in beside it. Only sets with every required argument are shown. */
export function buildExamples(endpoint: Endpoint): readonly Args[] {
  const required = endpoint.args.filter((arg) => arg.required).map(({ key }) => key);
  const common: Record<string, unknown> = {};
  const bodies: Args[] = [];
  let beside = false;
  for (const { kind, inSchema, arguments: args } of exampleCalls(endpoint)) {
    if (kind === 'body') {
      // An example in a shared schema counts only if the operation has none of its own.
      if (inSchema && beside) continue;
      beside ||= !inSchema;
      if (isSmallValue(args)) bodies.push(args);
    } else if (kind === 'parameter') {
      const [key = ''] = Object.keys(args);
      // Optional parameters appear only where the parameter itself gives an example.
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
