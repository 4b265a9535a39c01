// The shape of credentials that tell an API who is really calling: the caller's token exchanged for another, and a JWT that the
// gateway signs.
import { z } from 'zod';
import { about, closed, headerName, list, text, withDefault } from '../shape/fields.ts';

const CALLER =
  '`\u0024{principal.id}`, `\u0024{principal.sub}`, `\u0024{principal.claims.email}` and `\u0024{tool}` are replaced';

const uri = z.string().refine((value) => URL.canParse(value) && !value.includes('#'), {
  error: 'must be an absolute URI without #',
});

/** One, or several as a list. */
const oneOrMore = <Type extends z.ZodType>(type: Type) =>
  z.union([type, list(type).refine((all) => all.length > 0 && all.length <= 8, 'must have one to eight items')]);

export const exchangeFields = {
  audience: about(
    oneOrMore(text),
    'The API that the new token is for, by the name it has at the authorization server. Either this or `resource` is required.',
    'orders-api',
  ).exactOptional(),
  resource: about(
    oneOrMore(uri),
    'The URL of the API that the new token is for (RFC 8707).',
    'https://shop.example/v1',
  ).exactOptional(),
  subjectTokenType: about(
    z.enum(['access_token', 'jwt']),
    withDefault('The type of the caller’s token in the exchange.', '`access_token`'),
    'jwt',
  ).exactOptional(),
  requestedTokenType: about(
    z.enum(['access_token', 'jwt']),
    withDefault(
      'The type of token to request. A token of another type is refused.',
      'the server chooses one of the two',
    ),
    'access_token',
  ).exactOptional(),
};

const assertionShape = {
  kind: about(
    z.literal('assertion'),
    'Sends a short-lived JWT about the caller. This gateway signs it with the keys of `assertions` in landbridge.yaml. The API verifies it with `/.well-known/jwks.json`.',
    'assertion',
  ),
  audience: about(text, withDefault('The audience (`aud`).', 'the origin of the API'), 'orders-api').exactOptional(),
  subject: about(
    text,
    withDefault(`The subject (\`sub\`). ${CALLER}.`, '`\u0024{principal.id}`, which is different for every caller'),
    '\u0024{principal.sub}',
  ).exactOptional(),
  lifetimeSeconds: about(
    z.int().min(10).max(600),
    withDefault('Seconds for which the JWT is valid. Every call gets a new one.', 60),
    30,
  ).exactOptional(),
  header: about(
    headerName('must be the name of a header, such as X-Caller'),
    withDefault('The header that carries the JWT as its value.', '`Authorization`, after `Bearer`'),
    'X-Caller',
  ).exactOptional(),
  claims: about(
    z.record(text, z.unknown()),
    `More claims: fixed values, and texts in which ${CALLER}. A text that is one claim and nothing else keeps the type of the claim.`,
    { email: '\u0024{principal.claims.email}', gateway: 'landbridge' },
  ).exactOptional(),
};

export const assertion = closed(assertionShape).meta({ id: 'assertion' });
