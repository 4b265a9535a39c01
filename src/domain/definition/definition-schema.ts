// The strict shape of a domain file. Unknown keys are mistakes, and every mistake says what to write instead.
import { z } from 'zod';
import { HEADER_NAME } from '../../endpoint/headers/header-names.ts';
import { isObject } from '../../endpoint/is-object.ts';
import { ARGUMENT_KEY, DOMAIN_NAME, TOOL_NAME } from '../../endpoint/names.ts';
import { type Problem, toProblems } from '../../endpoint/problems.ts';
import { hint } from '../../endpoint/suggest.ts';
import type { ArgAddition, ArgCuration, ArgDefinition, DomainDefinition } from './definition-types.ts';
import { loginShape } from './login-schema.ts';

type Fields<Shape> = { readonly [Key in keyof Shape]: z.output<Shape[Key]> };
type Definition<Shape, Needed extends keyof Shape> = Pick<Fields<Shape>, Needed> & Partial<Omit<Fields<Shape>, Needed>>;

/** Named, so that declarations do not spell out all of zod's parameters at every level. */
interface Of<Value> extends z.ZodType<Value> {}

/** An object that refuses unknown keys with a suggestion. `{key}` is filled in per key by toProblems(). */
function closed<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const keys = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return undefined;
      const first = issue.keys?.[0] ?? '';
      return issue.keys?.length === 1
        ? `"{key}" is not known here; ${hint(first, keys)}`
        : `"{key}" is not known here; allowed: ${keys.join(', ')}.`;
    },
  });
}

/** The same, where every key may be left out but those in `needed`. */
function strict<Shape extends z.core.$ZodLooseShape, Needed extends keyof Shape & string = never>(
  shape: Shape,
  ...needed: Needed[]
): Of<Definition<Shape, Needed>> {
  const optional = Object.keys(shape).filter((key) => !needed.includes(key as Needed));
  const mask = Object.fromEntries(optional.map((key) => [key, true as const]));
  return closed(shape).exactPartial(mask as never) as never;
}

const text = z.string().trim().min(1, 'must not be empty: write it or remove the key');
const flag = z.boolean();
const named = (pattern: RegExp, say: string) => z.string().regex(pattern, say);
const variable = named(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable, such as MY_API_KEY');
const argumentName = named(
  ARGUMENT_KEY,
  'an argument name is letters, digits and _, at most 64, not starting with a digit',
);
const action = named(TOOL_NAME, 'an action is lower case letters, digits and _, at most 48, such as list_pets');
const anything = z.unknown();
const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();
const texts = list(text);
const milliseconds = z.int().min(1).max(3_600_000);
const bytes = z
  .int()
  .min(1)
  .max(1024 * 1024 * 1024);

const baseUrl = z.union([text, strict({ env: variable, default: text }, 'env')]);
const headers = z.record(named(HEADER_NAME, 'is not a header name'), z.string());
const policy = z.enum(['allow', 'confirm', 'deny']);
const style = z.enum(['simple', 'label', 'matrix', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'cookie']);
const jsonSchema = z.union([z.record(z.string(), anything), z.boolean()]);
const security = list(texts);

export const scheme = strict({
  env: variable,
  usernameEnv: variable,
  passwordEnv: variable,
  clientIdEnv: variable,
  clientSecretEnv: variable,
  tokenUrl: text,
  scopes: texts,
  accessKeyIdEnv: variable,
  secretAccessKeyEnv: variable,
  sessionTokenEnv: variable,
  region: text,
  service: text,
  argument: flag,
});

export const kinds = z.discriminatedUnion('kind', [
  closed({
    kind: z.literal('apiKey'),
    in: z.enum(['header', 'query', 'cookie']).exactOptional(),
    field: text,
    env: variable,
    prefix: z.string().exactOptional(),
  }),
  closed({ kind: z.literal('bearer'), env: variable }),
  closed({ kind: z.literal('basic'), usernameEnv: variable, passwordEnv: variable.exactOptional() }),
  closed({
    kind: z.literal('oauth2'),
    tokenUrl: text,
    clientIdEnv: variable,
    clientSecretEnv: variable,
    scopes: texts.exactOptional(),
  }),
  closed({
    kind: z.literal('awsSigv4'),
    accessKeyIdEnv: variable,
    secretAccessKeyEnv: variable,
    sessionTokenEnv: variable.exactOptional(),
    region: text,
    service: text,
  }),
  closed(loginShape),
]);

/** Without a kind it can only be a security scheme of an imported document; the build says so where it is not. */
const credential = z.unknown().transform((value, context) => {
  const kind = typeof value === 'object' && value !== null && 'kind' in value;
  const result = (kind ? kinds : scheme).safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  for (const issue of result.error.issues) context.issues.push({ ...issue, input: issue.input } as never);
  return z.NEVER;
});

const response = strict({
  accept: text,
  pick: texts,
  drop: texts,
  maxChars: z.int().min(200).max(1_000_000),
  format: z.enum(['auto', 'json', 'toon', 'text']),
  structured: flag,
});

const pagination = strict(
  {
    kind: z.enum(['page', 'offset', 'cursor']),
    arg: argumentName,
    sizeArg: argumentName,
    nextFrom: text,
  },
  'kind',
  'arg',
);

export const location = z.enum(['path', 'query', 'header', 'cookie', 'body', 'body-root']);

const placementShape = {
  in: location,
  name: text,
  at: texts,
  style,
  explode: flag,
  allowReserved: flag,
  mediaType: text,
  arrays: z.enum(['indices', 'brackets', 'repeat']),
  file: flag,
  clamp: flag,
};
export const placement = strict(placementShape);
/** The keys an argument of a YAML file may carry beside its JSON Schema. */
export const PLACEMENT_KEYS: ReadonlySet<string> = new Set(Object.keys(placementShape));

const partEncoding = strict({ contentType: text, style, explode: flag, allowReserved: flag, headers, file: flag });

export const bodyKind = z.enum(['json', 'form', 'multipart', 'binary', 'text']);
const body = z.union([
  bodyKind,
  strict({ kind: bodyKind, mediaType: text, wrap: texts, encoding: z.record(z.string(), partEncoding) }, 'kind'),
]);

/** What a hand-written endpoint and the curation of an imported one have in common. */
const common = {
  title: text,
  description: text,
  tags: texts,
  effect: z.enum(['read', 'write', 'destructive']),
  idempotent: flag,
  guard: policy,
  timeoutMs: milliseconds,
  maxResponseBytes: bytes,
  headers,
  response,
  pagination,
  examples: list(z.record(z.string(), anything)),
  expose: z.enum(['tool', 'resource', 'both']),
  pinned: flag,
};

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'];
const method = z.string().superRefine((word, context) => {
  if (METHODS.includes(word.toUpperCase())) return;
  const shown = JSON.stringify(word);
  context.addIssue(`${shown} is no HTTP method; ${hint(word, METHODS)} One of the API's own is written { custom: … }`);
});

export const endpoint = strict(
  {
    method: z.union([method, closed({ custom: named(/^[A-Za-z-]{1,32}$/, 'must be letters') })]),
    path: named(
      /^\/[^?#\s]*$/,
      'must start with / and hold no ?, # or blank; query parameters are args or fixed values',
    ),
    summary: text,
    deprecated: flag,
    // readArguments() looks inside
    args: z.custom<z.ZodType | { readonly [key: string]: z.ZodType | ArgDefinition }>(
      isObject,
      'must be an object of arguments',
    ),
    inputSchema: jsonSchema,
    place: z.record(argumentName, z.union([location, placement])),
    fixed: z.record(argumentName, anything),
    body,
    baseUrl,
    security,
    outputSchema: jsonSchema,
    ...common,
  },
  'path',
  'summary',
);

export const filter = strict({ tags: texts, paths: texts, methods: texts, operations: texts, deprecated: flag });

export const argCuration = strict({
  description: text,
  rename: argumentName,
  hide: flag,
  fixed: anything,
  default: anything,
  required: flag,
  enum: list(anything),
  clamp: flag,
});

/** What makes an entry of `args` an argument of its own instead of a change to one: only those say what it looks like. */
const ADDITION_KEYS = ['in', 'type', 'schema'];

export function isAddition(entry: unknown): entry is ArgAddition {
  return isObject(entry) && ADDITION_KEYS.some((key) => Object.hasOwn(entry, key));
}

/** An added argument is read like one of a hand-written endpoint (argument-plan.ts), which looks inside. */
const operationArg = z.unknown().transform((value, context): ArgCuration | ArgAddition => {
  if (isAddition(value)) return value;
  const result = argCuration.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  for (const issue of result.error.issues) context.issues.push({ ...issue, input: issue.input } as never);
  return z.NEVER;
});

export const operation = strict({
  name: action,
  summary: text,
  ...common,
  args: z.record(z.string(), operationArg),
  additional: flag,
});

export const prompt = strict({
  title: text,
  description: text,
  arguments: z.record(argumentName, strict({ description: text, required: flag, values: list(z.string()) })),
  text,
  messages: list(strict({ role: z.enum(['user', 'assistant']), text, resource: text })),
});

export const resource = strict(
  { name: text, title: text, description: text, mimeType: text, text: z.string(), file: text },
  'name',
);

export const domain = strict(
  {
    name: named(DOMAIN_NAME, 'a domain name is lower case letters, digits and _, at most 32, starting with a letter'),
    title: text,
    description: text,
    baseUrl,
    prefix: named(/^([a-z][a-z0-9_]{0,31})?$/, 'a prefix is lower case letters, digits and _, at most 32, or empty'),
    headers,
    credentials: z.record(named(/^[\w.-]{1,64}$/, 'is not a credential name'), credential),
    security,
    guard: strict({ write: policy, destructive: policy }),
    exposure: z.enum(['tools', 'grouped', 'search', 'auto']),
    pinned: texts,
    timeoutMs: milliseconds,
    maxResponseBytes: bytes,
    response,
    prompts: z.record(named(/^[\w.-]{1,64}$/, 'is not a prompt name'), prompt),
    resources: z.record(
      named(/^[a-z][a-z0-9+.-]*:\S+$/i, 'must be a URI with a scheme, such as guide://pets'),
      resource,
    ),
    endpoints: z.record(action, endpoint),
    openapi: text,
    overlays: texts,
    refsRoot: text,
    server: text,
    serverVariables: z.record(z.string(), text),
    include: filter,
    exclude: filter,
    operations: z.record(z.string(), operation),
  },
  'name',
);

/** Checks the shape of a definition; the meaning (does every path variable have an argument?) is checked by the build. */
export function checkDefinition(value: unknown): { definition: DomainDefinition } | { problems: Problem[] } {
  const result = domain.safeParse(withoutUndefined(value), { reportInput: true });
  if (!result.success) return { problems: toProblems(result.error.issues) };
  return { definition: result.data as DomainDefinition };
}

/** No key of ours lies deeper; below are schemas and values, which are kept as they are. */
const MAX_KEY_DEPTH = 8;

/** A key set to undefined is a key left out, as people write it: `title: known ? 'x' : undefined`. */
function withoutUndefined(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || '_zod' in value || depth > MAX_KEY_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => withoutUndefined(item, depth + 1));
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutUndefined(inner, depth + 1)]));
}
