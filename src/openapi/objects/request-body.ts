// Request Body Object: how the body is written (BodyPlan), and whether it is one argument or has one for each field.
// https://spec.openapis.org/oas/v3.2.0.html#request-body-object
import { toSingular } from '../../endpoint/conventions/short-name.ts';
import { isObject } from '../../endpoint/is-object.ts';
import { toEssence } from '../../endpoint/media-type.ts';
import type { BodyPlan, PartEncoding } from '../../endpoint/model.ts';
import { toSnakeCase } from '../../endpoint/names.ts';
import { nodeAt, omitUndefined, once, own, textAt } from '../../endpoint/untrusted.ts';
import { parseJsonText } from '../../schema/example-calls.ts';
import { isKind, shownNames } from '../../schema/portable/read-only.ts';
import { isBytes, isText, mayBeObject, type RequiresFields } from '../schema/body-schemas.ts';
import type { Field, ObjectShape, ShapeOf } from '../schema/schema-shape.ts';
import type { DocumentLimits } from '../source/limits.ts';
import { type DocumentPlace, inside, OperationProblem, pointerOf, type Resolver } from '../source/resolve.ts';
import { encodingsOf } from './encoding.ts';
import { examplesOfBody, inSchemaAt, withExampleFields } from './example.ts';
import { chooseMediaType, kindOf } from './media-type-object.ts';
import { type BodyParameter, collectionStyle, dereferenceInOperation, schemaOfParameter } from './parameter.ts';

/** The body of a request. `whole`: one argument is the entire body. */
export interface BodyDraft {
  readonly plan: BodyPlan;
  /** The schemas to check at the start. */
  readonly schemas: readonly DocumentPlace[];
  readonly fields: readonly Field[];
  readonly whole?: { readonly key: 'body' | 'file'; readonly schema?: DocumentPlace; readonly description?: string };
  readonly shape?: ObjectShape;
  /** The only value that the document allows, so it is not an argument. */
  readonly constant?: unknown;
  readonly description?: string;
  /** The media type object (2.0: the body parameter), for its examples. */
  readonly media?: DocumentPlace;
}

export interface BodyContext {
  readonly resolver: Resolver;
  readonly shapeOf: ShapeOf;
  readonly requiresFields: RequiresFields;
  readonly limits: DocumentLimits;
  readonly method: string;
  readonly path: string;
}

/** OpenAPI 3 `requestBody`. */
export function readRequestBody(operation: DocumentPlace, context: BodyContext): BodyDraft | undefined {
  const place = dereferenceInOperation(inside(operation, 'requestBody'), context.resolver);
  const mediaTypes = Object.keys(nodeAt(place.value, 'content') ?? {});
  const mediaAt = (mediaType: string) => dereferenceInOperation(inside(place, 'content', mediaType), context.resolver);
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

/** With several types, the type of the file itself is used. */
function withFileTypes(plan: BodyPlan, mediaTypes: readonly string[]): BodyPlan {
  const files = mediaTypes.filter((type) => kindOf(type) === 'binary');
  return plan.kind === 'binary' && files.length > 1 ? { ...plan, mediaType: files.join(', ') } : plan;
}

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'QUERY']);

/** Whether a call must have a body; `open` if neither the document nor its schema decides. */
type BodyNeed = 'required' | 'optional' | 'open';

/**
 * If the document does not state it, the schema's required fields decide. An explicit `required: false` counts (of 492 in the documents
 * we test with, 5 are beside a required field).
 */
function needOf(owner: unknown, media: DocumentPlace, { method, requiresFields }: BodyContext): BodyNeed {
  const word = own(owner, 'required');
  if (typeof word === 'boolean') return word ? 'required' : 'optional';
  if (!WITH_BODY.has(method)) return 'optional';
  const schema = schemaAt(media);
  return schema !== undefined && requiresFields(schema) ? 'required' : 'open';
}

/** `application/json: {}` allows a body, but does not describe it. */
function describesBody(media: unknown, mediaType: string): boolean {
  const kind = kindOf(mediaType);
  if (kind === 'text' || kind === 'binary' || kind === 'xml') return true;
  return ['schema', 'example', 'examples'].some((word) => own(media, word) !== undefined);
}

/** Swagger 2.0 `in: body` and `in: formData` parameters. */
export function readBodyParameters(
  parameters: readonly BodyParameter[],
  consumes: readonly string[],
  operation: DocumentPlace,
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

function schemaAt(owner: DocumentPlace): DocumentPlace | undefined {
  const schema = inside(owner, 'schema');
  return isObject(schema.value) ? schema : undefined;
}

function planBody(
  mediaType: string,
  need: BodyNeed,
  media: DocumentPlace,
  context: BodyContext,
): BodyDraft | undefined {
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
    // A list or a string has no field names, so the caller writes the form itself.
    return whole('text', type, 'body', `The body as ${type} text (name=value pairs).`);
  }
  if (!shape || shape.fields.length > context.limits.maxArguments) return whole(kind, body, 'body');
  if (shape.fields.length === 0) {
    // `{type: object, properties: {}}`, which generators write for GET: there is nothing to send.
    if (!required && (kind === 'form' || context.method === 'GET' || context.method === 'HEAD')) return undefined;
    if (shape.closed && !shape.readOnlyFields?.length)
      return required ? { plan: { mediaType: body, kind, required }, schemas, fields: [], constant: {} } : undefined;
    return whole(kind, body, 'body');
  }
  const parts = kind === 'json' ? undefined : encodingsOf(shape.fields, media.value, kind, context.resolver);
  const plan: BodyPlan = { mediaType: body, kind, required, ...(parts ? { encoding: parts } : {}) };
  const draft = { plan, schemas, fields: shape.fields, shape };
  const complete = need === 'optional' || kind !== 'json' ? draft : requireWrapper(draft, context);
  return showReference(unwrap(complete, examples, context), context.path);
}

/**
 * If the body of /users is `{user: {…}}`, `user` counts as required: it is the only field, and has required fields of its own. A
 * `filter` or `options` that is the only field stays optional.
 */
function requireWrapper(draft: BodyDraft, { requiresFields, method, path }: BodyContext): BodyDraft {
  const [only, ...others] = draft.fields;
  const { shape, plan } = draft;
  if (!only || others.length > 0 || only.required || !shape || shape.rest || !WITH_BODY.has(method)) return draft;
  const isResource = NEUTRAL_WRAPPER.test(only.name) || resourceOf(only.name) === resourceOf(lastWordOf(path));
  if (!isResource || !only.schemas.some(requiresFields)) return draft;
  const fields = [{ ...only, required: true }];
  return { ...draft, plan: { ...plan, required: true }, fields, shape: { ...shape, fields } };
}

/** If the body is `{data: {…}}`, the fields inside the wrapper become the arguments. */
function unwrap(
  draft: BodyDraft,
  bodies: () => readonly DocumentPlace[],
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
      ...around().map((example) => inside({ ...example, value: parseJsonText(example.value) }, only.name)),
      ...inSchemaAt(only.schemas[0]!, resolver),
    ]);
    const inner = outline && withExampleFields(outline, examples);
    if (!inner || inner.fields.length === 0 || inner.fields.length > limits.maxArguments) return current;
    const wrap = [...(current.plan.wrap ?? []), only.name];
    current = { ...current, plan: { ...current.plan, wrap }, fields: inner.fields, shape: inner };
  }
  return current;
}

/** Wrapper names that do not describe their content. */
const NEUTRAL_WRAPPER =
  /^(?:data|attributes|body|payload|params|parameters|input|request|item|object|resource|entity|record)$/i;

/**
 * A wrapper that is not about the resource in the path refers to another resource (`{service: {id, type}}`). The fields that
 * identify it are shown, although they are readOnly where that resource is created.
 */
function showReference(draft: BodyDraft, path: string): BodyDraft {
  const { shape, fields, plan } = draft;
  const wrapper = plan.wrap?.at(-1);
  const readOnlyFields = shape?.readOnlyFields ?? [];
  if (!shape || wrapper === undefined || readOnlyFields.length === 0) return draft;
  const isOther = !NEUTRAL_WRAPPER.test(wrapper) && resourceOf(wrapper) !== resourceOf(lastWordOf(path));
  if (!isOther && !fields.every(({ name }) => isKind(name))) return draft;
  const readOnlyNames = new Set(readOnlyFields.map(({ name }) => name));
  const required = new Set(fields.filter((field) => field.required).map(({ name }) => name));
  const names = [...fields, ...readOnlyFields].map(({ name }) => name);
  const rules = {
    isSetByApi: (name: string) => readOnlyNames.has(name),
    isRequired: (name: string) => required.has(name),
  };
  const visibleNames = new Set(shownNames({ names, ...rules, tags: new Set() }, 'part'));
  const identifying = readOnlyFields.filter(({ name }) => visibleNames.has(name)).slice(0, MAX_REFERENCE_FIELDS);
  const others = readOnlyFields.filter((field) => !identifying.includes(field));
  const all = [...identifying, ...fields];
  return { ...draft, fields: all, shape: { ...shape, fields: all, readOnlyFields: others } };
}

/** Fields that identify a resource; real documents have two of them. */
const MAX_REFERENCE_FIELDS = 100;

/** The last segment of a path without variables. */
function lastWordOf(path: string): string {
  return path.split('/').findLast((segment) => segment !== '' && !segment.includes('{')) ?? '';
}

function resourceOf(name: string): string {
  return toSingular(toSnakeCase(name));
}

/** A type that is valid in a Content-Type header. */
function concrete(mediaType: string): string {
  const type = toEssence(mediaType);
  if (!type.includes('*')) return mediaType.trim();
  return type.endsWith('json')
    ? 'application/json'
    : type.startsWith('text/')
      ? 'text/plain'
      : 'application/octet-stream';
}

function hasFiles(media: DocumentPlace, mediaType: string, { resolver, shapeOf }: BodyContext): boolean {
  if (kindOf(mediaType) !== 'multipart') return false;
  const encoding = encodingsOf(partsOf(media, { shapeOf })?.fields ?? [], media.value, 'multipart', resolver);
  return Object.values(encoding ?? {}).some((part) => part.file === true);
}

function partsOf(media: DocumentPlace, { shapeOf }: Pick<BodyContext, 'shapeOf'>): ObjectShape | undefined {
  const schema = schemaAt(media);
  return schema && shapeOf(schema, 'merged');
}
