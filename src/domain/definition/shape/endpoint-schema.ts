// The shape of an operation written by hand, and of what can be said of an imported one as well.
import { z } from 'zod';
import { isObject } from '../../../endpoint/is-object.ts';
import { CONFIRM_WAYS, EFFECTS, GUARD_POLICIES } from '../../../endpoint/model.ts';
import { TOOL_NAME } from '../../../endpoint/names.ts';
import { REDACT_PATH } from '../../../endpoint/redaction/redact-paths.ts';
import { hint } from '../../../endpoint/suggest.ts';
import { variable } from '../credentials/credential-schema.ts';
import type { ArgDefinition } from '../definition-types.ts';
import { pagination, response } from './answer-schema.ts';
import { about, anything, closed, FILLED, flag, inAnyCase, list, named, strict, text, texts } from './fields.ts';
import { argumentName, body, headers, location, placement } from './placement-schema.ts';

export const action = named(TOOL_NAME, 'an action is lower case letters, digits and _, at most 48, such as list_pets');
const CALLER =
  '`\u0024{principal.id}`, and of a verified token `\u0024{principal.sub}` and `\u0024{principal.claims.email}`. A call whose caller has none is refused, unless a default is written: `\u0024{principal.sub:-nobody}`';
const milliseconds = z.int().min(1).max(3_600_000);
const bytes = z
  .int()
  .min(1)
  .max(1024 * 1024 * 1024);

export const policy = z.enum(GUARD_POLICIES);
export const confirm = about(
  z.enum(CONFIRM_WAYS),
  'What counts as a confirmation of a guarded call: `ask`, only the user’s own answer; `token`, the token from the refusal, passed back; `either`, the user’s answer, or the token if the client could not ask. Default: as the deployment says, else `either`.',
  'ask',
);
const jsonSchema = z.union([z.record(z.string(), anything), z.boolean()]);
export const security = list(texts);

export const baseUrl = z.union([
  text,
  strict(
    {
      env: about(variable, 'The environment variable that holds the URL.', 'SHOP_BASE_URL'),
      default: about(text, 'The URL while the variable is not set.', 'https://shop.example/v1'),
    },
    'env',
  ),
]);

export const audit = strict({
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
export const common = {
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
    return `${JSON.stringify(word)} is not an HTTP method; ${hint(word, METHODS)} Write { custom: … } for a method that only this API has.`;
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
