// The shape of an operation written by hand, and of the fields that an imported one may have as well.
import { z } from 'zod';
import { isObject } from '../../../endpoint/is-object.ts';
import { CONFIRM_WAYS, DEFAULT_ENDPOINT_LIMITS, EFFECTS, GUARD_POLICIES } from '../../../endpoint/model.ts';
import { TOOL_NAME } from '../../../endpoint/names.ts';
import { REDACT_PATH } from '../../../endpoint/redaction/redact-paths.ts';
import { hint } from '../../../endpoint/suggest.ts';
import type { ArgDefinition } from '../definition-types.ts';
import { pagination, response } from './answer-schema.ts';
import { variable } from './credential-schema.ts';
import {
  about,
  anything,
  closed,
  FILLED,
  flag,
  inAnyCase,
  list,
  named,
  strict,
  text,
  texts,
  withDefault,
} from './fields.ts';
import { argumentName, body, headers, location, placement } from './placement-schema.ts';

export const action = named(TOOL_NAME, 'a name is lower case letters, digits and _, at most 48, such as list_pets');
const CALLER =
  '`\u0024{principal.id}`, and `\u0024{principal.sub}` and `\u0024{principal.claims.email}` from a verified token. If a caller has no such value, the call is refused, unless you write a default: `\u0024{principal.sub:-nobody}`';
const milliseconds = z.int().min(1).max(3_600_000);
const bytes = z
  .int()
  .min(1)
  .max(1024 * 1024 * 1024);

export const policy = z.enum(GUARD_POLICIES);
export const confirm = about(
  z.enum(CONFIRM_WAYS),
  withDefault(
    'How a call is confirmed. With `ask`, the client asks the user. With `token`, the call is repeated with the token from the refusal. With `either`, the token is used only if the client cannot ask.',
    'what the settings say, or `either`',
  ),
  'ask',
);
const jsonSchema = z.union([z.record(z.string(), anything), z.boolean()]);
export const security = list(texts);

export const baseUrl = z.union([
  text,
  strict(
    {
      env: about(variable, 'The environment variable that holds the URL.', 'SHOP_BASE_URL'),
      default: about(text, 'The URL to use if the variable is not set.', 'https://shop.example/v1'),
    },
    'env',
  ),
]);

export const audit = strict({
  arguments: about(
    flag,
    withDefault(
      'Writes the arguments into the audit trail, not only their hash. Values that look secret, by name or form, are left out.',
      false,
    ),
    true,
  ),
  redact: about(
    list(named(REDACT_PATH, 'must be a key (password), keys in a row (card.number) or a place ($.cards[*].number)')),
    'Arguments that are never written, not even as part of a URL. `password` is a key at any depth. `card.number` is two nested keys at any depth. `$.cards[*].number` is one place.',
    ['password', 'card.number', '$.cards[*].number'],
  ),
}).meta({
  id: 'operationAudit',
  description: 'What the audit trail keeps of calls. The settings of an operation add to those of its domain.',
});

/** What a hand-written endpoint and the curation of an imported one have in common. */
export const common = {
  title: about(text, 'The title that people see instead of the name of the tool.', 'Get an order'),
  description: about(
    text,
    'When to use the operation, what it returns, and its limits. Replaces the description in an imported document.',
    'Gets one order with its items. Numbers come from list_orders.',
  ),
  tags: about(texts, 'The groups of the operation. Grouped exposure, filters and profiles use them.', ['orders']),
  effect: about(
    z.enum(EFFECTS),
    withDefault(
      'What a call does. `landbridge explain` shows the effect and the reason for it.',
      'from method, name, path and summary; the stricter one in case of doubt',
    ),
    'read',
  ),
  idempotent: about(flag, withDefault('Repeating a call has no further effect.', 'from the method'), true),
  guard: about(
    policy,
    withDefault(
      'What happens to calls: they run (`allow`), need a confirmation (`confirm`) or are refused (`deny`).',
      'what the domain and the settings say',
    ),
    'confirm',
  ),
  confirm,
  timeoutMs: about(
    milliseconds,
    withDefault(
      'The time a call may take, in milliseconds. It includes connecting and reading.',
      DEFAULT_ENDPOINT_LIMITS.timeoutMs,
    ),
    10_000,
  ),
  maxResponseBytes: about(
    bytes,
    withDefault('The largest answer that is read, in bytes.', DEFAULT_ENDPOINT_LIMITS.maxResponseBytes),
    1_048_576,
  ),
  headers: about(
    headers,
    `Headers of every request. ${FILLED}. Values about the caller are replaced too: ${CALLER}. Values of headers and variables whose names contain key, token, password or secret are never shown.`,
    {
      'Accept-Language': 'en',
    },
  ),
  response: about(response, 'How answers are shortened before they reach the model.', { pick: ['id', 'status'] }),
  pagination: about(pagination, 'How to get the next page.', { kind: 'page', arg: 'page', sizeArg: 'limit' }),
  examples: about(list(z.record(z.string(), anything)), 'Real calls as examples: arguments by name.', [{ id: 7 }]),
  audit: about(audit, 'What the audit trail keeps of calls.', { redact: ['password'] }),
  expose: about(
    z.enum(['tool', 'resource', 'both']),
    withDefault('Offers the operation as a tool, as a resource to read (GET only), or both.', '`tool`'),
    'both',
  ),
  pinned: about(flag, 'Always lists the operation as a tool of its own, in every exposure.', true),
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
        closed({
          custom: about(named(/^[A-Za-z-]{1,32}$/, 'must be letters'), 'A method that only this API has.', 'PURGE'),
        }),
      ]),
      withDefault('The HTTP method.', '`GET`'),
      'POST',
    ),
    path: about(
      z.string().regex(/^\/(?:[^?#\s$]|\$(?!\{))*$/, {
        error: ({ input }) =>
          String(input).includes('${')
            ? 'holds a variable of the environment: those are filled in in baseUrl; write {name} for an argument or fixed value'
            : 'must start with / and hold no ?, # or blank; query parameters are args or fixed values',
      }),
      'The path below the base URL. Every `{variable}` needs an argument or a fixed value with its name.',
      '/orders/{id}',
    ),
    summary: about(text, 'What the operation does, in one sentence.', 'Gets one order.'),
    deprecated: about(flag, 'The operation still works, but should not be used any more.', true),
    // readArguments() checks the content
    args: about(
      z
        .custom<z.ZodType | { readonly [key: string]: z.ZodType | ArgDefinition }>(
          isObject,
          'must be an object of arguments',
        )
        .meta({ additionalProperties: ['argument'] }),
      'The arguments, by name. Each is a JSON Schema, plus where it is sent and `required: true`. In TypeScript also a zod object, or zod types by name. A default in the schema is sent if the model leaves the argument out.',
      { id: { type: 'integer', minimum: 1, required: true, description: 'Number of the order.' } },
    ),
    inputSchema: about(
      jsonSchema.meta({ anyOf: ['jsonSchema'] }),
      'Instead of `args`: all arguments as one JSON Schema of type object.',
      { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    ),
    place: about(
      z.record(argumentName, z.union([location, placement])),
      'Where arguments and fixed values are sent, by name: a place, or a placement.',
      { id: 'path' },
    ),
    fixed: about(
      z.record(argumentName, anything),
      'Values that are sent with every call and that the model does not see. They are placed like arguments.',
      {
        format: 'json',
      },
    ),
    body: about(body, 'The body: its kind, or an object with more details.', 'form'),
    baseUrl: about(
      baseUrl,
      withDefault('The base URL of this operation.', 'that of the domain'),
      'https://files.shop.example',
    ),
    security: about(
      security,
      withDefault(
        'The credentials that requests need: a list of alternatives, each a list of names that are sent together. `[]` for none.',
        'what the domain says',
      ),
      [['key']],
    ),
    outputSchema: about(jsonSchema, 'The JSON Schema of the answer. It is shown, but answers are not checked.', {
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
