// The strict shape of a domain file. Unknown keys are mistakes, and every mistake says what to write instead.

import { z } from 'zod';
import { isObject } from '../../endpoint/is-object.ts';
import { CONFIRM_WAYS, EFFECTS, EXPOSURES, GUARD_POLICIES } from '../../endpoint/model.ts';
import { ARGUMENT_KEY, CREDENTIAL_NAME, DOMAIN_NAME, TOOL_NAME } from '../../endpoint/names.ts';
import { type Problem, toProblems } from '../../endpoint/problems.ts';
import { REDACT_PATH } from '../../endpoint/redaction/redact-paths.ts';
import { hint } from '../../endpoint/suggest.ts';
import { proxy, tls } from './connection/connection-schema.ts';
import { credential, variable } from './credentials/credential-schema.ts';
import type { ArgAddition, ArgDefinition, DomainDefinition } from './definition-types.ts';
import { callLimits } from './shape/call-limits-schema.ts';
import {
  about,
  chosen,
  closed,
  FILLED,
  headerName,
  inAnyCase,
  list,
  named,
  strict,
  text,
  texts,
} from './shape/fields.ts';

const flag = z.boolean();
const argumentName = named(
  ARGUMENT_KEY,
  'an argument name is letters, digits and _, at most 64, not starting with a digit',
);
const action = named(TOOL_NAME, 'an action is lower case letters, digits and _, at most 48, such as list_pets');
const CALLER =
  '`\u0024{principal.id}`, and of a verified token `\u0024{principal.sub}` and `\u0024{principal.claims.email}`. A call whose caller has none is refused, unless a default is written: `\u0024{principal.sub:-nobody}`';
const anything = z.unknown();
const milliseconds = z.int().min(1).max(3_600_000);
const bytes = z
  .int()
  .min(1)
  .max(1024 * 1024 * 1024);

const policy = z.enum(GUARD_POLICIES);
const confirm = about(
  z.enum(CONFIRM_WAYS),
  'What counts as a confirmation of a guarded call: `ask`, only the user’s own answer; `token`, the token from the refusal, passed back; `either`, the user’s answer, or the token if the client could not ask. Default: as the deployment says, else `either`.',
  'ask',
);
const style = about(
  z.enum(['simple', 'label', 'matrix', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'cookie']),
  'How lists and objects are written, as OpenAPI names it. Default: `form`, and `simple` in paths and headers.',
  'form',
);
const explode = about(
  flag,
  'Every item of a list (or field of an object) as a parameter of its own: `tag=a&tag=b` and not `tag=a,b`.',
  false,
);
const allowReserved = about(
  flag,
  'Leaves `/`, `?`, `:` and the like as they are instead of percent-encoding them.',
  true,
);
const jsonSchema = z.union([z.record(z.string(), anything), z.boolean()]);
const headers = z.record(headerName('is not a header name'), z.string());
const security = list(texts);

const baseUrl = z.union([
  text,
  strict(
    {
      env: about(variable, 'The environment variable that holds the URL.', 'SHOP_BASE_URL'),
      default: about(text, 'The URL while the variable is not set.', 'https://shop.example/v1'),
    },
    'env',
  ),
]);

const response = strict({
  accept: about(text, 'The Accept header. Default: JSON, else anything.', 'text/csv'),
  pick: about(
    texts,
    'Keeps only these dot paths, in every item of a list. An answer that has none of them is not shown.',
    ['id', 'customer.name'],
  ),
  drop: about(
    texts,
    'Takes keys away: a name or a glob wherever it stands, a dot path (`$.meta` for the root) just there.',
    ['*_url', 'owner.login'],
  ),
  maxChars: about(
    z.int().min(200).max(1_000_000),
    'Characters of an answer that reach the model; longer answers are cut between items, with a note. Default: 20000.',
    8000,
  ),
  format: about(
    z.enum(['auto', 'json', 'toon', 'text']),
    'How an answer is written. `toon` is a shorter form of JSON tables, used where it is shorter. Default: `auto`.',
    'toon',
  ),
  structured: about(flag, 'Also gives the answer as `structuredContent`. Default: false.', true),
  maxFileBytes: about(
    z
      .int()
      .min(0)
      .max(32 * 1024 * 1024),
    'Pictures, sounds and other files up to this size are passed on; larger ones are described. 0 for none. Default: 1048576.',
    4_194_304,
  ),
}).meta({ id: 'response', description: 'How answers are cut down before they reach the model.' });

const pagination = strict(
  {
    kind: about(
      z.enum(['page', 'offset', 'cursor']),
      'What the argument is: a page number, a number of items to skip, or a cursor.',
      'page',
    ),
    arg: about(argumentName, 'The argument that selects the page.', 'page'),
    sizeArg: about(argumentName, 'The argument that sets how many items a page has.', 'limit'),
    nextFrom: about(text, 'Dot path of the next cursor in the answer.', 'meta.next_cursor'),
  },
  'kind',
  'arg',
).meta({
  id: 'pagination',
  description: 'How to get the next page, so that an answer can say which argument to pass.',
});

export const location = z.enum(['path', 'query', 'header', 'cookie', 'body', 'body-root']);

const placementShape = {
  in: about(
    location,
    'Where it goes; `body-root` is the whole body. Default: the path where it has a variable of that name, else the query for GET, HEAD and DELETE, else the body.',
    'query',
  ),
  name: about(text, 'Its name in the request. Default: the argument’s own.', 'per_page'),
  at: about(texts, 'Where it goes inside the body, key by key, instead of `name`.', ['customer', 'email']),
  style,
  explode,
  allowReserved,
  mediaType: about(text, 'Written as this media type, then encoded (JSON in a query parameter).', 'application/json'),
  arrays: about(
    z.enum(['indices', 'brackets', 'repeat']),
    'How lists inside a `deepObject` are written: `a[0]=`, `a[]=` or `a=`.',
    'brackets',
  ),
  file: about(flag, 'A file: the argument is `{ filename, mimeType, base64 | text }`.', true),
  clamp: about(flag, 'Moves a number that is out of bounds to the nearest bound, with a note in the answer.', true),
};
export const placement = strict(placementShape).meta({
  id: 'placement',
  description: 'Where an argument goes, and how it is written.',
});
/** The keys an argument of a YAML file may carry beside its JSON Schema. */
export const PLACEMENT_KEYS: ReadonlySet<string> = new Set(Object.keys(placementShape));

const partEncoding = strict({
  contentType: about(text, 'Media type of the part.', 'application/json'),
  style,
  explode,
  allowReserved,
  headers: about(headers, 'Headers of the part.', { 'X-Part': 'meta' }),
  file: about(flag, 'The part is a file.', true),
}).meta({ id: 'encoding', description: 'How one field of a form or multipart body is written.' });

export const bodyKind = z.enum(['json', 'form', 'multipart', 'binary', 'text']);
const body = z.union([
  bodyKind,
  strict(
    {
      kind: about(bodyKind, 'What the body is. Default: `multipart` where an argument is a file, else `json`.', 'form'),
      mediaType: about(text, 'The Content-Type. Default: that of the kind.', 'application/vnd.shop+json'),
      wrap: about(texts, 'Wraps the body in these keys, outermost first: `{"data": {…}}`.', ['data']),
      encoding: about(z.record(z.string(), partEncoding), 'How single fields are written, by name.', {
        note: { contentType: 'text/plain' },
      }),
    },
    'kind',
  ),
]);

const audit = strict({
  arguments: about(
    flag,
    'Writes the arguments themselves into the audit trail, and not just their digest; values that are secret by name or by their looks are left out. Default: false.',
    true,
  ),
  redact: about(
    list(named(REDACT_PATH, 'must be a key (password), keys in a row (card.number) or a place ($.cards[*].number)')),
    'Arguments that are never written, neither there nor as part of a URL: `password` is a key at any depth, `card.number` two nested keys at any depth, `$.cards[*].number` one place.',
    ['password', 'card.number', '$.cards[*].number'],
  ),
}).meta({
  id: 'operationAudit',
  description:
    'What the audit trail may keep of calls. What is said of an operation adds to what is said of its domain.',
});

/** What a hand-written endpoint and the curation of an imported one have in common. */
const common = {
  title: about(text, 'What people see in place of the tool’s name.', 'Get an order'),
  description: about(
    text,
    'When to use it, what comes back, its limits. Replaces what an imported document says.',
    'Gets one order with its items. Numbers come from list_orders.',
  ),
  tags: about(texts, 'Groups it belongs to; grouped exposure, filters and profiles go by them.', ['orders']),
  effect: about(
    z.enum(EFFECTS),
    'What a call does. Default: by method, name, path and summary, stricter in doubt; `landbridge explain` says why.',
    'read',
  ),
  idempotent: about(flag, 'Whether repeating a call has no further effect. Default: by the method.', true),
  guard: about(
    policy,
    'Lets calls pass, asks a person first, or refuses. Default: as the domain and the deployment say.',
    'confirm',
  ),
  confirm,
  timeoutMs: about(
    milliseconds,
    'Milliseconds a call may take, connecting and reading included. Default: 30000.',
    10_000,
  ),
  maxResponseBytes: about(bytes, 'Bytes of an answer that are read at most. Default: 10485760.', 1_048_576),
  headers: about(
    headers,
    `Sent with every request. ${FILLED}, and so is who calls: ${CALLER}. A header or a variable that is called a key, token, password or secret holds one, which is never shown.`,
    {
      'Accept-Language': 'en',
    },
  ),
  response: about(response, 'How answers are cut down before they reach the model.', { pick: ['id', 'status'] }),
  pagination: about(pagination, 'How to get the next page.', { kind: 'page', arg: 'page', sizeArg: 'limit' }),
  examples: about(list(z.record(z.string(), anything)), 'Calls as they are really made: arguments by name.', [
    { id: 7 },
  ]),
  audit: about(audit, 'What the audit trail may keep of calls.', { redact: ['password'] }),
  expose: about(
    z.enum(['tool', 'resource', 'both']),
    'Offered as a tool, as a resource to read (GET only), or both. Default: `tool`.',
    'both',
  ),
  pinned: about(flag, 'Listed as a tool of its own in every exposure mode.', true),
};

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'];
const method = z.string().regex(inAnyCase(METHODS), {
  error: ({ input }) => {
    const word = String(input);
    return `${JSON.stringify(word)} is no HTTP method; ${hint(word, METHODS)} One of the API's own is written { custom: … }`;
  },
});

export const endpoint = strict(
  {
    method: about(
      z.union([
        method,
        closed({ custom: about(named(/^[A-Za-z-]{1,32}$/, 'must be letters'), 'A method of the API’s own.', 'PURGE') }),
      ]),
      'The HTTP method. Default: `GET`.',
      'POST',
    ),
    path: about(
      z.string().regex(/^\/(?:[^?#\s$]|\$(?!\{))*$/, {
        error: ({ input }) =>
          String(input).includes('${')
            ? 'holds a variable of the environment: those are filled in in baseUrl; write {name} for an argument or fixed value'
            : 'must start with / and hold no ?, # or blank; query parameters are args or fixed values',
      }),
      'Below the base URL; every `{variable}` needs an argument or a fixed value of its name.',
      '/orders/{id}',
    ),
    summary: about(text, 'One sentence: what it does.', 'Gets one order.'),
    deprecated: about(flag, 'Still works, but is better not used.', true),
    // readArguments() looks inside
    args: about(
      z
        .custom<z.ZodType | { readonly [key: string]: z.ZodType | ArgDefinition }>(
          isObject,
          'must be an object of arguments',
        )
        .meta({ additionalProperties: ['argument'] }),
      'The arguments by name: each a JSON Schema with its placement and `required: true` beside it. In TypeScript also a zod object, or zod types by name. Defaults are sent.',
      { id: { type: 'integer', minimum: 1, required: true, description: 'Number of the order.' } },
    ),
    inputSchema: about(
      jsonSchema.meta({ anyOf: ['jsonSchema'] }),
      'The arguments as one JSON Schema of type object, instead of `args`.',
      { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    ),
    place: about(
      z.record(argumentName, z.union([location, placement])),
      'Where arguments and fixed values go, by name: a place, or a placement.',
      { id: 'path' },
    ),
    fixed: about(z.record(argumentName, anything), 'Sent with every call, never shown. Placed like arguments.', {
      format: 'json',
    }),
    body: about(body, 'What the body is: a kind, or an object that says more.', 'form'),
    baseUrl: about(baseUrl, 'Where this endpoint is, if not where the domain is.', 'https://files.shop.example'),
    security: about(
      security,
      'Names of credentials that go together, as alternatives; `[]` for none. Default: as the domain says.',
      [['key']],
    ),
    outputSchema: about(jsonSchema, 'JSON Schema of the answer; shown, never enforced.', {
      type: 'object',
      properties: { id: { type: 'integer' }, status: { type: 'string' } },
    }),
    ...common,
  },
  'path',
  'summary',
).meta({
  id: 'endpoint',
  description: 'One operation of the API, written by hand. Its key is the action: `get_order`.',
});

export const filter = strict({
  tags: about(texts, 'Tags, as the document spells them or as groups are called.', ['orders']),
  paths: about(texts, 'Paths of the document; `*` stands for a segment, `**` for several.', ['/orders/**']),
  methods: about(texts, 'HTTP methods.', ['GET']),
  operations: about(texts, 'operationIds, `METHOD /path` or fully-qualified names, with globs.', [
    'listOrders',
    'get*',
  ]),
  deprecated: about(flag, 'Whether the document calls it deprecated.', false),
}).meta({
  id: 'filter',
  description: 'Picks operations of the document. Within one key any value may match; all keys that are there must.',
});

export const argCuration = strict({
  description: about(text, 'Replaces the text of the document.', 'Number of the order, from list_orders.'),
  rename: about(argumentName, 'The name the model uses.', 'order_id'),
  hide: about(
    flag,
    'Not offered, and not sent. A required argument is sent with its default; if it has none, use `fixed` or `required: false`.',
    true,
  ),
  fixed: about(anything, 'Not offered; always sent with this value.', 'json'),
  default: about(anything, 'Sent when the model leaves it out.', 20),
  required: about(flag, 'Whether the model must give it.', true),
  enum: about(list(anything), 'The values there are.', ['open', 'closed']),
  clamp: placementShape.clamp,
}).meta({ id: 'argumentChange', description: 'Changes to one argument of an imported operation.' });

/** What makes an entry of `args` an argument of its own instead of a change to one: only those say what it looks like. */
const ADDITION_KEYS = ['in', 'type', 'schema'];

export function isAddition(entry: unknown): entry is ArgAddition {
  return isObject(entry) && ADDITION_KEYS.some((key) => Object.hasOwn(entry, key));
}

/** Read like an argument of a hand-written endpoint (argument-plan.ts), which looks inside. */
const argAddition = z.custom<ArgAddition>(isAddition).meta({ anyOf: ['addition'] });
const operationArg = chosen<typeof argAddition | typeof argCuration>([argCuration, argAddition], (value) =>
  isAddition(value) ? argAddition : argCuration,
);

export const operation = strict({
  name: about(action, 'The action: `list_orders` becomes the tool `<prefix>_list_orders`.', 'get_order'),
  summary: about(text, 'One sentence: what it does. Default: the first sentence of `description`.', 'Gets one order.'),
  ...common,
  args: about(
    z.record(z.string(), operationArg),
    'Changes to arguments by name. An entry with `in`, `type` or `schema` adds one that the document lacks.',
    { id: { description: 'Number of the order.' }, expand: { in: 'query', type: 'string' } },
  ),
  lenient: about(
    flag,
    "Sends arguments that the document's schema would refuse (type, enum, format, bounds, a missing field), and the answer says so. Names, the path, guards and limits stay as strict as ever. Default: false.",
    true,
  ),
  additional: about(
    flag,
    'Passes on arguments that the document does not name: as body fields, or as query parameters where there is no body.',
    true,
  ),
  body: about(
    strict(
      { required: about(flag, 'Whether every call has to bring one. Only `false` can be said here.', false) },
      'required',
    ),
    'The body as a whole: with `required: false` a call may do without it; what it requires counts where one is sent.',
    { required: false },
  ),
}).meta({
  id: 'operation',
  description:
    'Changes to one operation of the imported document. Its key is the operationId, `METHOD /path`, action or tool name.',
});

export const prompt = strict({
  title: about(text, 'What people see in place of the name.', 'Plan my day'),
  description: about(text, 'What the prompt is for.', 'Picks what to work on today.'),
  arguments: about(
    z.record(
      argumentName,
      strict({
        description: about(text, 'What to give.', 'Whose day, e.g. ada.'),
        required: about(flag, 'Whether it must be given. Default: false.', true),
        values: about(list(z.string()), 'Values offered while typing.', ['ada', 'grace']),
      }),
    ),
    'What a person fills in, by name.',
    { person: { required: true } },
  ),
  text: about(text, 'One message of the user; `{{argument}}` is replaced. Or `messages`, for more.', 'Plan the day.'),
  messages: about(
    list(
      strict({
        role: about(z.enum(['user', 'assistant']), 'Who says it. Default: `user`.', 'assistant'),
        text: about(text, 'What is said; `{{argument}}` is replaced.', 'Plan the day.'),
        resource: about(text, 'URI of a resource to embed, instead of `text`.', 'shop://guide'),
      }),
    ),
    'Several messages, instead of `text`.',
    [{ text: 'Plan the day.' }, { role: 'assistant', text: 'Whose day?' }],
  ),
}).meta({ id: 'prompt', description: 'A text that people choose in their client, and fill in.' });

export const resource = strict(
  {
    name: about(text, 'Its name.', 'guide'),
    title: about(text, 'What people see in place of the name.', 'How the shop works'),
    description: about(text, 'What it holds.', 'States of an order, and who may change them.'),
    mimeType: about(text, 'Media type. Default: `text/markdown`.', 'text/plain'),
    text: about(z.string(), 'What it says.', 'An order is open, paid or shipped.'),
    file: about(text, 'Instead of `text`: a file in the folder of the domain file.', './guide.md'),
  },
  'name',
).meta({ id: 'resource', description: 'A text that clients can read. Its key is its URI: `shop://guide`.' });

export const domain = strict(
  {
    name: about(
      named(DOMAIN_NAME, 'a domain name is lower case letters, digits and _, at most 32, starting with a letter'),
      'Lower case letters, digits and `_`; no other domain has it.',
      'shop',
    ),
    title: about(text, 'What people see in place of the name.', 'The shop'),
    description: about(text, 'What the API is about.', 'Orders and customers of the shop.'),
    baseUrl: about(
      baseUrl,
      `Where the API is: a URL in which ${FILLED}, or a variable with a default. Default for an imported document: its own server; without a path (\`https://host\`) it keeps the path of that server.`,
      { env: 'SHOP_BASE_URL', default: 'https://shop.example/v1' },
    ),
    prefix: about(
      named(/^([a-z][a-z0-9_]{0,31})?$/, 'a prefix is lower case letters, digits and _, at most 32, or empty'),
      'Put before every action to make the tool’s name; `""` for none. Default: the domain’s name.',
      '',
    ),
    headers: common.headers,
    forward: about(
      texts,
      'Headers of the caller’s HTTP request that are passed on to this API, by name. They are not verified. Headers that authenticate, route or change a request cannot be forwarded. Default: none.',
      ['X-Tenant', 'Accept-Language'],
    ),
    credentials: about(
      z.record(named(CREDENTIAL_NAME, 'is not a credential name'), credential),
      'How requests prove who they are, by name. Values come from environment variables, never from the file. With `openapi`, the name of a security scheme needs no `kind`.',
      { key: { kind: 'apiKey', field: 'X-API-Key', env: 'SHOP_KEY' } },
    ),
    security: about(
      security,
      'Names of credentials that go together, as alternatives. Default: the one that is declared; for an imported document what it says.',
      [['key']],
    ),
    tls: about(tls, 'Authorities, client certificate and version of TLS.', { ca: 'ca.pem' }),
    proxy,
    guard: about(
      strict({
        write: about(policy, 'For calls that write. Default: `allow`.', 'confirm'),
        destructive: about(policy, 'For calls that destroy. Default: `confirm`.', 'deny'),
      }),
      'Lets calls pass, asks a person first, or refuses, by effect.',
      { destructive: 'deny' },
    ),
    confirm,
    exposure: about(
      z.enum(EXPOSURES),
      'One tool per operation, one per group, or search. Default: `auto`, the first that fits the token budget.',
      'grouped',
    ),
    pinned: about(texts, 'Actions listed as tools of their own in every exposure mode.', ['get_order']),
    timeoutMs: common.timeoutMs,
    audit: about(audit, 'What the audit trail may keep of calls of all operations.', {
      arguments: true,
      redact: ['password'],
    }),
    maxResponseBytes: common.maxResponseBytes,
    limits: about(
      callLimits,
      'How much this API may be called by all callers together; waiting calls are served fairly by caller. Default: `limits.perUpstream` of landbridge.yaml.',
      { rate: '10/s', concurrent: 8 },
    ),
    lenient: about(
      flag,
      'For a document that is wrong about its own API: the default of `lenient` for all imported operations. Default: false.',
      true,
    ),
    response: about(response, 'How answers of all operations are cut down.', { maxChars: 8000 }),
    prompts: about(z.record(named(/^[\w.-]{1,64}$/, 'is not a prompt name'), prompt), 'Prompts by name.', {
      triage: { text: 'Find open orders without a customer.' },
    }),
    resources: about(
      z.record(named(/^[A-Za-z][A-Za-z0-9+.-]*:\S+$/, 'must be a URI with a scheme, such as guide://pets'), resource),
      'Resources by URI.',
      { 'shop://guide': { name: 'guide', text: 'An order is open, paid or shipped.' } },
    ),
    endpoints: about(z.record(action, endpoint), 'Operations written by hand, by action.', {
      get_status: { path: '/status', summary: 'Says whether the shop is open.' },
    }),
    openapi: about(text, 'An OpenAPI document to import: a path beside this file, or a URL.', '../openapi/shop.yaml'),
    importedFrom: about(
      text,
      `Where \`landbridge import --update\` gets a new version of the document: a URL, or a path beside this file; ${FILLED}.`,
      'https://api.shop.example/openapi.json',
    ),
    overlays: about(texts, 'OpenAPI Overlay documents, applied in order before the import.', [
      '../openapi/fixes.overlay.yaml',
    ]),
    refsRoot: about(text, 'A folder that `$ref`s of the document may reach besides its own.', '../openapi'),
    server: about(
      text,
      'Which of the document’s servers to use: its URL, name or description as in the document.',
      'https://{region}.shop.example/v1',
    ),
    serverVariables: about(
      z.record(z.string(), text),
      `Values for the variables of the document’s server URLs; ${FILLED}.`,
      { region: 'eu' },
    ),
    include: about(filter, 'Only these operations of the document.', { tags: ['orders'] }),
    exclude: about(filter, 'None of these; stronger than `include`.', { deprecated: true }),
    operations: about(
      z.record(z.string(), operation),
      'What to change about operations of the document, by operationId, `METHOD /path`, action or tool name.',
      { getOrder: { name: 'get_order', response: { pick: ['id', 'status'] } } },
    ),
    $schema: about(text, 'The JSON Schema of this file, for editors; the gateway ignores it.', './domain.schema.json'),
  },
  'name',
).meta({ id: 'domain', description: 'A domain file: one API, and how it is offered to models.' });

/** Keys that are about an imported document, and mean nothing without `openapi`. */
export const DOCUMENT_KEYS = [
  'importedFrom',
  'overlays',
  'refsRoot',
  'lenient',
  'server',
  'serverVariables',
  'include',
  'exclude',
  'operations',
] as const;

/** Checks the shape of a definition; the meaning (does every path variable have an argument?) is checked by the build. */
export function checkDefinition(value: unknown): { definition: DomainDefinition } | { problems: Problem[] } {
  const result = domain.safeParse(withoutUndefined(value), { reportInput: true });
  if (!result.success) return { problems: toProblems(result.error.issues) };
  return { definition: result.data as DomainDefinition };
}

/** Deeper levels hold JSON Schemas and values, which are left alone. */
const MAX_KEY_DEPTH = 8;

/** A key set to undefined is a key left out, as people write it: `title: known ? 'x' : undefined`. */
function withoutUndefined(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || '_zod' in value || depth > MAX_KEY_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => withoutUndefined(item, depth + 1));
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutUndefined(inner, depth + 1)]));
}
