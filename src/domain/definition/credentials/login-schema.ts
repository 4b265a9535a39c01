// The shape of a login in a domain file: the request, where its answer has the token, and how that is sent.
import { z } from 'zod';
import { about, closed, FILLED, headerName, inAnyCase, text, withDefault } from '../shape/fields.ts';

const header = headerName('must be the name of a header, such as X-Auth-Token');
const scalar = z.union([z.string(), z.number(), z.boolean()]);

const place = z.union([
  text,
  closed({ header: about(header, 'The header of the answer that has the token.', 'X-Auth-Token') }),
]);

const lifetime = z.union([
  text,
  closed({
    at: about(text, 'The dot path of the lifetime in the answer.', 'data.expires'),
    unit: about(z.enum(['seconds', 'milliseconds']), 'The unit of the number.', 'milliseconds').exactOptional(),
  }),
  closed({
    seconds: about(z.int().min(1).max(86_400), 'The lifetime in seconds, if the answer does not have it.', 900),
  }),
]);

const prefix = about(
  z.string(),
  'Text that is sent before the token, with the space at its end.',
  'Token ',
).exactOptional();
const send = z.union([
  z.enum(['bearer', 'cookies']),
  closed({ header: about(header, 'The header that carries the token.', 'X-Auth-Token'), prefix }),
  closed({ query: about(text, 'The query parameter that carries the token.', 'access_token') }),
  closed({ cookie: about(text, 'The cookie that carries the token.', 'session') }),
]);

export const loginShape = {
  kind: about(
    z.literal('login'),
    'Gets a token from a login request. The token is renewed before it expires, and when the API refuses it.',
    'login',
  ),
  method: about(
    z.string().regex(inAnyCase(['GET', 'POST', 'PUT', 'PATCH']), 'must be GET, POST, PUT or PATCH'),
    withDefault('The method of the login.', '`POST`'),
    'POST',
  ).exactOptional(),
  path: about(
    z.string().regex(/^\/[^?#\s]*$/, 'must start with / and hold no ?, # or blank; parameters go into query'),
    'The path of the login, below `baseUrl`.',
    '/auth/login',
  ).exactOptional(),
  url: about(
    text,
    `Instead of \`path\`: the URL of a login at another address. ${FILLED}.`,
    'https://id.example/token',
  ).exactOptional(),
  headers: about(z.record(header, z.string()), `Headers of the login. ${FILLED}.`, {
    'X-Tenant': 'acme',
  }).exactOptional(),
  query: about(z.record(z.string(), scalar), `Query parameters of the login. ${FILLED}.`, {
    tenant: 'acme',
  }).exactOptional(),
  body: about(z.record(z.string(), z.unknown()), `The JSON body of the login. ${FILLED}.`, {
    email: '\u0024{SHOP_EMAIL}',
    password: '\u0024{SHOP_PASSWORD}',
  }).exactOptional(),
  form: about(
    z.record(z.string(), scalar),
    `Instead of \`body\`: fields of the login, sent as an HTML form sends them. ${FILLED}.`,
    { username: '\u0024{SHOP_USER}', password: '\u0024{SHOP_PASSWORD}' },
  ).exactOptional(),
  token: about(
    place,
    withDefault(
      'Where the token is in the answer: a dot path, or `{ header: X-Auth-Token }`.',
      'the usual places (`access_token`, `token`, `data.access_token` …)',
    ),
    'data.access_token',
  ).exactOptional(),
  lifetime: about(
    lifetime,
    withDefault(
      'How long the token is valid: a dot path of the answer, `{ at: data.expires, unit: milliseconds }` or `{ seconds: 900 }`.',
      'what the answer (`expires_in`, `expires` …) or the token itself (a JWT) says, or else one hour',
    ),
    'data.expires',
  ).exactOptional(),
  send: about(
    send,
    withDefault(
      'How the token is sent: `bearer`, `{ header: X-Auth-Token, prefix: "Token " }`, `{ query: token }`, `{ cookie: session }`, or `cookies` for the cookies that the login sets.',
      '`bearer`',
    ),
    'bearer',
  ).exactOptional(),
  renewOn: about(
    z
      .array(z.union([z.literal(401), z.literal(403), z.literal(419), z.literal(440)]))
      .min(1)
      .readonly(),
    withDefault('The statuses with which the API says that the token is no longer valid.', [401]),
    [401, 403],
  ).exactOptional(),
};
