// The strict shape of a domain file. Unknown keys are mistakes, and every mistake says what to write instead.
import { z } from 'zod';
import { HEADER_NAME } from '../../endpoint/headers/header-names.ts';
import { isObject } from '../../endpoint/is-object.ts';
import { ARGUMENT_KEY, DOMAIN_NAME, TOOL_NAME } from '../../endpoint/names.ts';
import { type Problem, toProblems } from '../../endpoint/problems.ts';
import { hint } from '../../endpoint/suggest.ts';
import type { DomainDefinition } from './definition-types.ts';

/** An object that refuses unknown keys with a suggestion. `{key}` is filled in per key by toProblems(). */
function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
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

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

const text = z.string().trim().min(1, 'must not be empty: write it or remove the key');
const named = (pattern: RegExp, say: string) => z.string().regex(pattern, say);
const variable = named(VARIABLE, 'must be the name of an environment variable, such as MY_API_KEY');
const argumentName = named(
  ARGUMENT_KEY,
  'an argument name is letters, digits and _, at most 64, not starting with a digit',
);
const action = named(TOOL_NAME, 'an action is lower case letters, digits and _, at most 48, such as list_pets');
const anything = z.unknown();
const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();
const milliseconds = z.int().min(1).max(3_600_000);
const bytes = z
  .int()
  .min(1)
  .max(1024 * 1024 * 1024);

const baseUrl = z.union([text, strict({ env: variable, default: text.exactOptional() })]);
const headers = z.record(named(HEADER_NAME, 'is not a header name'), z.string());
const policy = z.enum(['allow', 'confirm', 'deny']);
const effect = z.enum(['read', 'write', 'destructive']);
const expose = z.enum(['tool', 'resource', 'both']);
const style = z.enum(['simple', 'label', 'matrix', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'cookie']);
const jsonSchema = z.union([z.record(z.string(), anything), z.boolean()]);
const security = list(list(text));

const scheme = strict({
  env: variable.exactOptional(),
  usernameEnv: variable.exactOptional(),
  passwordEnv: variable.exactOptional(),
  clientIdEnv: variable.exactOptional(),
  clientSecretEnv: variable.exactOptional(),
  tokenUrl: text.exactOptional(),
  scopes: list(text).exactOptional(),
});

const kinds = z.discriminatedUnion('kind', [
  strict({
    kind: z.literal('apiKey'),
    in: z.enum(['header', 'query', 'cookie']).exactOptional(),
    field: text,
    env: variable,
    prefix: z.string().exactOptional(),
  }),
  strict({ kind: z.literal('bearer'), env: variable }),
  strict({ kind: z.literal('basic'), usernameEnv: variable, passwordEnv: variable }),
  strict({
    kind: z.literal('oauth2'),
    tokenUrl: text,
    clientIdEnv: variable,
    clientSecretEnv: variable,
    scopes: list(text).exactOptional(),
  }),
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
  accept: text.exactOptional(),
  pick: list(text).exactOptional(),
  drop: list(text).exactOptional(),
  maxChars: z.int().min(200).max(1_000_000).exactOptional(),
  format: z.enum(['auto', 'json', 'toon', 'text']).exactOptional(),
  structured: z.boolean().exactOptional(),
});

const pagination = strict({
  kind: z.enum(['page', 'offset', 'cursor']),
  arg: argumentName,
  sizeArg: argumentName.exactOptional(),
  nextFrom: text.exactOptional(),
});

const location = z.enum(['path', 'query', 'header', 'cookie', 'body', 'body-root']);

/** The keys an argument of a YAML file may carry beside its JSON Schema. */
export const placementShape = {
  in: location.exactOptional(),
  name: text.exactOptional(),
  at: list(text).exactOptional(),
  style: style.exactOptional(),
  explode: z.boolean().exactOptional(),
  allowReserved: z.boolean().exactOptional(),
  mediaType: text.exactOptional(),
  arrays: z.enum(['indices', 'brackets', 'repeat']).exactOptional(),
  file: z.boolean().exactOptional(),
  clamp: z.boolean().exactOptional(),
};

const placement = strict(placementShape);

const partEncoding = strict({
  contentType: text.exactOptional(),
  style: style.exactOptional(),
  explode: z.boolean().exactOptional(),
  allowReserved: z.boolean().exactOptional(),
  headers: headers.exactOptional(),
  file: z.boolean().exactOptional(),
});

const bodyKind = z.enum(['json', 'form', 'multipart', 'binary', 'text']);
const body = z.union([
  bodyKind,
  strict({
    kind: bodyKind,
    mediaType: text.exactOptional(),
    wrap: list(text).exactOptional(),
    encoding: z.record(z.string(), partEncoding).exactOptional(),
  }),
]);

/** What a hand-written endpoint and the curation of an imported one have in common. */
const shared = {
  title: text.exactOptional(),
  description: text.exactOptional(),
  tags: list(text).exactOptional(),
  effect: effect.exactOptional(),
  idempotent: z.boolean().exactOptional(),
  guard: policy.exactOptional(),
  timeoutMs: milliseconds.exactOptional(),
  maxResponseBytes: bytes.exactOptional(),
  headers: headers.exactOptional(),
  response: response.exactOptional(),
  pagination: pagination.exactOptional(),
  examples: list(z.record(z.string(), anything)).exactOptional(),
  expose: expose.exactOptional(),
  pinned: z.boolean().exactOptional(),
};

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'];
const method = z.string().superRefine((word, context) => {
  if (METHODS.includes(word.toUpperCase())) return;
  const shown = JSON.stringify(word);
  context.addIssue(`${shown} is no HTTP method; ${hint(word, METHODS)} One of the API's own is written { custom: … }`);
});

const endpoint = strict({
  method: z.union([method, strict({ custom: named(/^[A-Za-z-]{1,32}$/, 'must be letters') })]).exactOptional(),
  path: z
    .string()
    .regex(/^\/[^?#\s]*$/, 'must start with / and hold no ?, # or blank; query parameters are args or fixed values'),
  summary: text,
  deprecated: z.boolean().exactOptional(),
  // zod types or JSON Schemas: arguments.ts looks inside
  args: z.custom(isObject, 'must be an object of arguments').exactOptional(),
  inputSchema: jsonSchema.exactOptional(),
  place: z.record(argumentName, z.union([location, placement])).exactOptional(),
  fixed: z.record(argumentName, anything).exactOptional(),
  body: body.exactOptional(),
  baseUrl: baseUrl.exactOptional(),
  security: security.exactOptional(),
  outputSchema: jsonSchema.exactOptional(),
  ...shared,
});

const filter = strict({
  tags: list(text).exactOptional(),
  paths: list(text).exactOptional(),
  methods: list(text).exactOptional(),
  operations: list(text).exactOptional(),
  deprecated: z.boolean().exactOptional(),
});

const argCuration = strict({
  description: text.exactOptional(),
  rename: argumentName.exactOptional(),
  hide: z.boolean().exactOptional(),
  fixed: anything.exactOptional(),
  default: anything.exactOptional(),
  required: z.boolean().exactOptional(),
  enum: list(anything).exactOptional(),
  clamp: z.boolean().exactOptional(),
});

const operation = strict({
  name: action.exactOptional(),
  summary: text.exactOptional(),
  ...shared,
  args: z.record(z.string(), argCuration).exactOptional(),
});

const prompt = strict({
  title: text.exactOptional(),
  description: text.exactOptional(),
  arguments: z
    .record(
      argumentName,
      strict({
        description: text.exactOptional(),
        required: z.boolean().exactOptional(),
        values: list(z.string()).exactOptional(),
      }),
    )
    .exactOptional(),
  text: text.exactOptional(),
  messages: list(
    strict({
      role: z.enum(['user', 'assistant']).exactOptional(),
      text: text.exactOptional(),
      resource: text.exactOptional(),
    }),
  ).exactOptional(),
});

const resource = strict({
  name: text,
  title: text.exactOptional(),
  description: text.exactOptional(),
  mimeType: text.exactOptional(),
  text: z.string().exactOptional(),
  file: text.exactOptional(),
});

const domain = strict({
  name: named(DOMAIN_NAME, 'a domain name is lower case letters, digits and _, at most 32, starting with a letter'),
  title: text.exactOptional(),
  description: text.exactOptional(),
  baseUrl: baseUrl.exactOptional(),
  prefix: z
    .string()
    .regex(/^([a-z][a-z0-9_]{0,31})?$/, 'a prefix is lower case letters, digits and _, at most 32, or empty')
    .exactOptional(),
  headers: headers.exactOptional(),
  credentials: z.record(named(/^[\w.-]{1,64}$/, 'is not a credential name'), credential).exactOptional(),
  security: security.exactOptional(),
  guard: strict({ write: policy.exactOptional(), destructive: policy.exactOptional() }).exactOptional(),
  exposure: z.enum(['tools', 'grouped', 'search', 'auto']).exactOptional(),
  pinned: list(text).exactOptional(),
  timeoutMs: milliseconds.exactOptional(),
  maxResponseBytes: bytes.exactOptional(),
  response: response.exactOptional(),
  prompts: z.record(named(/^[\w.-]{1,64}$/, 'is not a prompt name'), prompt).exactOptional(),
  resources: z
    .record(named(/^[a-z][a-z0-9+.-]*:\S+$/i, 'must be a URI with a scheme, such as guide://pets'), resource)
    .exactOptional(),
  endpoints: z.record(action, endpoint).exactOptional(),
  openapi: text.exactOptional(),
  overlays: list(text).exactOptional(),
  refsRoot: text.exactOptional(),
  serverVariables: z.record(z.string(), text).exactOptional(),
  include: filter.exactOptional(),
  exclude: filter.exactOptional(),
  operations: z.record(z.string(), operation).exactOptional(),
});

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
