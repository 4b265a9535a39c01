// Request Body Object → how it is written (BodyPlan) and which fields or single value it takes.
// https://spec.openapis.org/oas/v3.2.0.html#request-body-object

import { toSingular } from '../../endpoint/conventions/short-name.ts';
import { isObject } from '../../endpoint/is-object.ts';
import { toEssence } from '../../endpoint/media-type.ts';
import type { BodyPlan, PartEncoding } from '../../endpoint/model.ts';
import { toSnakeCase } from '../../endpoint/names.ts';
import { nodeAt, omitUndefined, once, own, textAt } from '../../endpoint/untrusted.ts';
import { readText } from '../../schema/example-calls.ts';
import { isKind, shownNames } from '../../schema/portable/read-only.ts';
import type { DemandsFields } from '../schema/body-demands.ts';
import { isBytes, isText, mayBeObject } from '../schema/byte-schemas.ts';
import type { Field, ObjectShape, ShapeOf } from '../schema/schema-shape.ts';
import type { Limits } from '../source/limits.ts';
import { inside, OperationProblem, type Place, pointerOf, type Resolver } from '../source/resolve.ts';
import { encodingsOf } from './encoding.ts';
import { examplesOfBody, inSchemaAt } from './example.ts';
import { withExampleFields } from './example-fields.ts';
import { chooseMediaType, kindOf } from './media-type-object.ts';
import { type BodyParameter, collectionStyle, schemaOfParameter, settlePlace } from './parameter.ts';

/** What the body asks for. `whole`: one argument is the entire body. */
export interface BodyDraft {
  readonly plan: BodyPlan;
  /** The schemas a request needs, for the scan. */
  readonly schemas: readonly Place[];
  readonly fields: readonly Field[];
  readonly whole?: { readonly key: 'body' | 'file'; readonly schema?: Place; readonly description?: string };
  readonly shape?: ObjectShape;
  /** The only body the document allows, so it is not an argument. */
  readonly constant?: unknown;
  readonly description?: string;
  /** The media type object (2.0: the body parameter), for its examples. */
  readonly media?: Place;
}

export interface BodyContext {
  readonly resolver: Resolver;
  readonly shapeOf: ShapeOf;
  readonly demandsFields: DemandsFields;
  readonly limits: Limits;
  readonly method: string;
  readonly path: string;
}

/** OpenAPI 3 `requestBody`. */
export function readRequestBody(operation: Place, context: BodyContext): BodyDraft | undefined {
  const place = settlePlace(inside(operation, 'requestBody'), context.resolver);
  const mediaTypes = Object.keys(nodeAt(place.value, 'content') ?? {});
  const mediaAt = (mediaType: string) => settlePlace(inside(place, 'content', mediaType), context.resolver);
  // A multipart body without named parts cannot be written, so any other type is better.
  const writable = mediaTypes.filter((type) => kindOf(type) !== 'multipart' || partsOf(mediaAt(type), context));
  const mediaType = chooseMediaType(writable.length > 0 ? writable : mediaTypes, (type) =>
    hasFiles(mediaAt(type), type, context),
  );
  if (mediaType === undefined) return undefined;
  const media = mediaAt(mediaType);
  const isDescribed = describesBody(media.value, mediaType);
  if (!isDescribed && (context.method === 'GET' || context.method === 'HEAD')) return undefined;
  const draft = planBody(mediaType, isDescribed ? needOf(place.value, media, context) : 'optional', media, context);
  const description = textAt(place.value, 'description');
  return draft && omitUndefined({ ...draft, plan: withFileTypes(draft.plan, mediaTypes), description, media });
}

/** If there are several types, the file's own type decides. */
function withFileTypes(plan: BodyPlan, mediaTypes: readonly string[]): BodyPlan {
  const files = mediaTypes.filter((type) => kindOf(type) === 'binary');
  return plan.kind === 'binary' && files.length > 1 ? { ...plan, mediaType: files.join(', ') } : plan;
}

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'QUERY']);

/** Whether a call has to bring a body; `open` where neither the document nor its schema says so. */
type Need = 'required' | 'optional' | 'open';

/**
 * If the document does not say, the schema's required fields decide; an explicit `required: false` is taken seriously (of 492 in
 * the documents we test with, 5 stand beside a required field).
 */
function needOf(owner: unknown, media: Place, { method, demandsFields }: BodyContext): Need {
  const word = own(owner, 'required');
  if (typeof word === 'boolean') return word ? 'required' : 'optional';
  if (!WITH_BODY.has(method)) return 'optional';
  const schema = schemaAt(media);
  return schema !== undefined && demandsFields(schema) ? 'required' : 'open';
}

/** `application/json: {}` says that there may be a body, and nothing that a caller could be asked for. */
function describesBody(media: unknown, mediaType: string): boolean {
  const kind = kindOf(mediaType);
  if (kind === 'text' || kind === 'binary' || kind === 'xml') return true;
  return ['schema', 'example', 'examples'].some((word) => own(media, word) !== undefined);
}

/** Swagger 2.0 `in: body` and `in: formData` parameters. */
export function readBodyParameters(
  parameters: readonly BodyParameter[],
  consumes: readonly string[],
  operation: Place,
  context: BodyContext,
): BodyDraft | undefined {
  const body = parameters.find((parameter) => parameter.in === 'body');
  const form = parameters.filter((parameter) => parameter.in === 'formData');
  if (body && form.length > 0) {
    throw new OperationProblem(
      `${operation.pointer}/parameters`,
      'it has both a body and formData parameters; a request can have only one of them',
    );
  }
  if (form.length > 0) return readForm(form, consumes);
  if (!body) return undefined;
  const mediaType = chooseMediaType(consumes, () => false) ?? 'application/json';
  const draft = planBody(mediaType, needOf(body.object, body.place, context), body.place, context);
  return draft && omitUndefined({ ...draft, description: textAt(body.object, 'description'), media: body.place });
}

function readForm(form: readonly BodyParameter[], consumes: readonly string[]): BodyDraft {
  const files = form.filter(({ object }) => object.type === 'file');
  const types = consumes.map(toEssence);
  const multipart =
    files.length > 0 || (types.includes('multipart/form-data') && !types.includes('application/x-www-form-urlencoded'));
  const encoding: Record<string, PartEncoding> = Object.create(null);
  const fields: Field[] = form.map(({ name, place, object }) => {
    if (object.type === 'file') encoding[name] = { file: true };
    else if (object.type === 'array') encoding[name] = collectionStyle(textAt(object, 'collectionFormat'), 'formData');
    const description = textAt(object, 'description');
    const schema = omitUndefined({ ...schemaOfParameter(object), description });
    return { name, required: object.required === true, schemas: [{ ...place, value: schema }] };
  });
  const required = fields.some((field) => field.required);
  const names = fields.map(({ name }) => name);
  const shape: ObjectShape = { fields, alternatives: [], minProperties: 0, closed: true, names };
  const plan: BodyPlan = {
    mediaType: multipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded',
    kind: multipart ? 'multipart' : 'form',
    required,
    ...(Object.keys(encoding).length > 0 ? { encoding } : {}),
  };
  return { plan, schemas: fields.flatMap((field) => field.schemas), fields, shape };
}

function schemaAt(owner: Place): Place | undefined {
  const schema = inside(owner, 'schema');
  return isObject(schema.value) ? schema : undefined;
}

function planBody(mediaType: string, need: Need, media: Place, context: BodyContext): BodyDraft | undefined {
  const required = need === 'required';
  const schema = schemaAt(media);
  const schemas = schema ? [schema] : [];
  const whole = (kind: BodyPlan['kind'], type: string, key: 'body' | 'file', description?: string): BodyDraft => ({
    plan: { mediaType: type, kind, required },
    schemas: key === 'file' || kind === 'text' ? [] : schemas,
    fields: [],
    whole: omitUndefined({ key, schema, description }),
  });
  const mediaKind = kindOf(mediaType);
  const bytes = isBytes(schema, context.resolver);
  const type = concrete(mediaType);
  if (mediaKind === 'binary' || (bytes && mediaKind !== 'multipart' && mediaKind !== 'form')) {
    return whole('binary', mediaKind === 'any' ? '*/*' : mediaType.trim(), 'file');
  }
  if (mediaKind === 'text' || mediaKind === 'xml') {
    return whole('text', type, 'body', mediaKind === 'xml' ? `The body as ${type} text.` : undefined);
  }
  if (mediaKind === 'any' && isText(schema, context.resolver)) return whole('text', 'text/plain', 'body');
  const kind = mediaKind === 'form' ? 'form' : mediaKind === 'multipart' ? 'multipart' : 'json';
  const body = mediaKind === 'any' ? 'application/json' : type;
  const outline = schema && context.shapeOf(schema, kind === 'json' ? 'whole' : 'merged');
  const examples = once(() => examplesOfBody(media, context.resolver).map(({ place }) => place));
  const shape = outline && withExampleFields(outline, examples);
  if (kind === 'multipart' && !shape) {
    throw new OperationProblem(
      pointerOf(media),
      `its ${type} body is not an object with properties, so it has no fields to fill in`,
    );
  }
  if (!shape && kind === 'form' && schema && !mayBeObject(schema, context.resolver)) {
    // A list or a string has no field names to be sent under: the caller writes the form itself.
    return whole('text', type, 'body', `The body as ${type} text (name=value pairs).`);
  }
  if (!shape || shape.fields.length > context.limits.maxArguments) return whole(kind, body, 'body');
  if (shape.fields.length === 0) {
    // `{type: object, properties: {}}`, as generators write it for GET: there is nothing to send.
    if (!required && (kind === 'form' || context.method === 'GET' || context.method === 'HEAD')) return undefined;
    if (shape.closed && !shape.readOnlyFields?.length)
      return required ? { plan: { mediaType: body, kind, required }, schemas, fields: [], constant: {} } : undefined;
    return whole(kind, body, 'body');
  }
  const parts = kind === 'json' ? undefined : encodingsOf(shape.fields, media.value, kind, context.resolver);
  const plan: BodyPlan = { mediaType: body, kind, required, ...(parts ? { encoding: parts } : {}) };
  const draft = { plan, schemas, fields: shape.fields, shape };
  const complete = need === 'optional' || kind !== 'json' ? draft : demandWrapper(draft, context);
  return showReference(unwrap(complete, examples, context), context.path);
}

/**
 * `{user: {…}}` of /users where `user` is not required: it is the only field, and has required fields of its own, so it is
 * required. A `filter` or `options` that is the only field stays optional.
 */
function demandWrapper(draft: BodyDraft, { demandsFields, method, path }: BodyContext): BodyDraft {
  const [only, ...others] = draft.fields;
  const { shape, plan } = draft;
  if (!only || others.length > 0 || only.required || !shape || shape.rest || !WITH_BODY.has(method)) return draft;
  const isThing = NEUTRAL.test(only.name) || thingOf(only.name) === thingOf(lastWordOf(path));
  if (!isThing || !only.schemas.some(demandsFields)) return draft;
  const fields = [{ ...only, required: true }];
  return { ...draft, plan: { ...plan, required: true }, fields, shape: { ...shape, fields } };
}

/** `{data: {…}}`: the wrapper says nothing, so its fields become the arguments. */
function unwrap(
  draft: BodyDraft,
  bodies: () => readonly Place[],
  { shapeOf, limits, resolver }: BodyContext,
): BodyDraft {
  if (draft.plan.kind !== 'json') return draft;
  let current = draft;
  let examples = bodies;
  for (let depth = 0; depth < 3; depth++) {
    const [only, ...others] = current.fields;
    if (!only || others.length > 0 || !only.required || only.schemas.length !== 1 || current.shape?.rest)
      return current;
    const outline = shapeOf(only.schemas[0]!, 'whole');
    const around = examples;
    examples = once(() => [
      ...around().map((example) => inside({ ...example, value: readText(example.value) }, only.name)),
      ...inSchemaAt(only.schemas[0]!, resolver),
    ]);
    const inner = outline && withExampleFields(outline, examples);
    if (!inner || inner.fields.length === 0 || inner.fields.length > limits.maxArguments) return current;
    const wrap = [...(current.plan.wrap ?? []), only.name];
    current = { ...current, plan: { ...current.plan, wrap }, fields: inner.fields, shape: inner };
  }
  return current;
}

/** Wrapper names that say nothing about their content. */
const NEUTRAL =
  /^(?:data|attributes|body|payload|params|parameters|input|request|item|object|resource|entity|record)$/i;

/**
 * A wrapper that is not about the thing in the path refers to another thing (`{service: {id, type}}`). The fields that identify
 * it are shown, although they are readOnly where that thing is created.
 */
function showReference(draft: BodyDraft, path: string): BodyDraft {
  const { shape, fields, plan } = draft;
  const wrapper = plan.wrap?.at(-1);
  const readOnlyFields = shape?.readOnlyFields ?? [];
  if (!shape || wrapper === undefined || readOnlyFields.length === 0) return draft;
  const isOther = !NEUTRAL.test(wrapper) && thingOf(wrapper) !== thingOf(lastWordOf(path));
  if (!isOther && !fields.every(({ name }) => isKind(name))) return draft;
  const readOnlyNames = new Set(readOnlyFields.map(({ name }) => name));
  const required = new Set(fields.filter((field) => field.required).map(({ name }) => name));
  const names = [...fields, ...readOnlyFields].map(({ name }) => name);
  const rules = {
    isSetByApi: (name: string) => readOnlyNames.has(name),
    isRequired: (name: string) => required.has(name),
  };
  const visibleNames = new Set(shownNames({ names, ...rules, tags: new Set() }, 'part'));
  const telling = readOnlyFields.filter(({ name }) => visibleNames.has(name)).slice(0, MAX_REFERENCE_FIELDS);
  const others = readOnlyFields.filter((field) => !telling.includes(field));
  const all = [...telling, ...fields];
  return { ...draft, fields: all, shape: { ...shape, fields: all, readOnlyFields: others } };
}

/** Real things have two of them; a limit makes the arguments of a body countable before it is read. */
export const MAX_REFERENCE_FIELDS = 100;

/** What a path ends in, variables aside. */
function lastWordOf(path: string): string {
  return path.split('/').findLast((segment) => segment !== '' && !segment.includes('{')) ?? '';
}

function thingOf(name: string): string {
  return toSingular(toSnakeCase(name));
}

/** A type that can stand in a Content-Type header. */
function concrete(mediaType: string): string {
  const type = toEssence(mediaType);
  if (!type.includes('*')) return mediaType.trim();
  return type.endsWith('json')
    ? 'application/json'
    : type.startsWith('text/')
      ? 'text/plain'
      : 'application/octet-stream';
}

function hasFiles(media: Place, mediaType: string, { resolver, shapeOf }: BodyContext): boolean {
  if (kindOf(mediaType) !== 'multipart') return false;
  const encoding = encodingsOf(partsOf(media, { shapeOf })?.fields ?? [], media.value, 'multipart', resolver);
  return Object.values(encoding ?? {}).some((part) => part.file === true);
}

function partsOf(media: Place, { shapeOf }: Pick<BodyContext, 'shapeOf'>): ObjectShape | undefined {
  const schema = schemaAt(media);
  return schema && shapeOf(schema, 'merged');
}
