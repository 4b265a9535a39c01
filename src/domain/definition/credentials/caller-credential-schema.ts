// The shape of credentials that tell an API who is really calling: the caller's token exchanged for another, and a JWT that the
// gateway signs.
import { z } from 'zod';
import { about, closed, headerName, list, text } from '../shape/fields.ts';

const CALLER =
  '`\u0024{principal.id}`, `\u0024{principal.sub}`, `\u0024{principal.claims.email}` and `\u0024{tool}` are filled in';

const uri = z.string().refine((value) => URL.canParse(value) && !value.includes('#'), {
  error: 'must be an absolute URI without #',
});

/** One, or several as a list. */
const oneOrMore = <Type extends z.ZodType>(type: Type) =>
  z.union([type, list(type).refine((all) => all.length > 0 && all.length <= 8, 'must have one to eight items')]);

export const exchangeFields = {
  audience: about(
    oneOrMore(text),
    'The API that the new token is for, as the authorization server calls it. Either this or `resource` is required.',
    'orders-api',
  ).exactOptional(),
  resource: about(
    oneOrMore(uri),
    'Where the new token is to be used (RFC 8707): the URL of the API.',
    'https://shop.example/v1',
  ).exactOptional(),
  subjectTokenType: about(
    z.enum(['access_token', 'jwt']),
    'What the caller’s token is called in the exchange. Default: `access_token`.',
    'jwt',
  ).exactOptional(),
  requestedTokenType: about(
    z.enum(['access_token', 'jwt']),
    'What kind of token is asked for; an answer of another kind is refused. Default: the server’s choice of the two.',
    'access_token',
  ).exactOptional(),
};

const assertionShape = {
  kind: about(
    z.literal('assertion'),
    'A short-lived JWT about the caller, signed by this gateway with the keys of `assertions` in landbridge.yaml; the API verifies it with `/.well-known/jwks.json`.',
    'assertion',
  ),
  audience: about(text, 'The audience (`aud`). Default: the origin of the API.', 'orders-api').exactOptional(),
  subject: about(
    text,
    `The caller (\`sub\`); ${CALLER}. Default: \`\${principal.id}\`, which no two callers share.`,
    '\u0024{principal.sub}',
  ).exactOptional(),
  lifetimeSeconds: about(
    z.int().min(10).max(600),
    'How long it is valid. A new one is signed for every call. Default: 60.',
    30,
  ).exactOptional(),
  header: about(
    headerName('must be the name of a header, such as X-Caller'),
    'The header whose value it is. Default: `Authorization`, after `Bearer`.',
    'X-Caller',
  ).exactOptional(),
  claims: about(
    z.record(text, z.unknown()),
    `Further claims: fixed values, and texts in which ${CALLER}. A text that is one claim and nothing else keeps its type.`,
    { email: '\u0024{principal.claims.email}', gateway: 'landbridge' },
  ).exactOptional(),
};

export const assertion = closed(assertionShape).meta({ id: 'assertion' });
