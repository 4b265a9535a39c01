// The shape of a credential in a domain file: of a kind of its own, or variables for a security scheme of the imported document.

import { z } from 'zod';
import { VARIABLE_NAME } from '../endpoint/environment';
import { isObject } from '../endpoint/is-object';
import { about, chosen, closed, named, strict, text, texts, withDefault } from '../domain/definition/shape/fields';
import { assertion, exchangeFields } from '../domain/definition/credentials/caller-credential-schema';
import { loginShape } from '../domain/definition/credentials/login-schema';

/** The message does not repeat the value: it may be the secret itself. */
export const variable = z.string().regex(VARIABLE_NAME, {
  error: ({ input }) => {
    const name = /^\$\{?([A-Za-z_][A-Za-z0-9_]{0,99})\}?$/.exec(String(input))?.[1];
    const fix =
      name === undefined ? 'such as MY_API_KEY; the value itself belongs in the environment' : `so write ${name}`;
    return `must be the name of an environment variable, ${fix}`;
  },
});

const plainUrl = named(
  /^(?:[^\s$]|\$(?!\{))+$/,
  'must be a URL without spaces or variables; only baseUrl, headers and serverVariables can contain \u0024{VARIABLE}',
);
/** A domain file says where a secret is, never the secret itself. */
const FROM_FILE = (field: string) =>
  `Instead of \`${field}\`: a file that holds the value. The path is relative to the domain file. The file is read at start, at most 64 KB; line breaks at its end are removed.`;

const variables = {
  env: about(variable, 'The environment variable that holds the key or token.', 'SHOP_KEY'),
  usernameEnv: about(variable, 'The environment variable that holds the user name.', 'SHOP_USER'),
  passwordEnv: about(variable, 'The environment variable that holds the password.', 'SHOP_PASSWORD'),
  clientIdEnv: about(variable, 'The environment variable that holds the client id.', 'SHOP_CLIENT_ID'),
  clientSecretEnv: about(variable, 'The environment variable that holds the client secret.', 'SHOP_CLIENT_SECRET'),
  file: about(text, FROM_FILE('env'), '/run/secrets/shop_key'),
  usernameFile: about(text, FROM_FILE('usernameEnv'), '/run/secrets/shop_user'),
  passwordFile: about(text, FROM_FILE('passwordEnv'), '/run/secrets/shop_password'),
  clientIdFile: about(text, FROM_FILE('clientIdEnv'), '/run/secrets/shop_client_id'),
  clientSecretFile: about(text, FROM_FILE('clientSecretEnv'), '/run/secrets/shop_client_secret'),
  accessKeyIdFile: about(text, FROM_FILE('accessKeyIdEnv'), '/run/secrets/aws_key_id'),
  secretAccessKeyFile: about(text, FROM_FILE('secretAccessKeyEnv'), '/run/secrets/aws_key'),
  sessionTokenFile: about(text, FROM_FILE('sessionTokenEnv'), '/run/secrets/aws_session'),
  tokenUrl: about(
    plainUrl,
    'The URL of the token endpoint. It issues an access token for client id and secret.',
    'https://shop.example/token',
  ),
  scopes: about(texts, withDefault('The scopes to request.', 'none'), ['orders:read']),
  accessKeyIdEnv: about(
    variable,
    withDefault(
      'The environment variable that holds the access key id.',
      '`AWS_ACCESS_KEY_ID`, if the file has `kind: awsSigv4` and no key; then also `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`',
    ),
    'AWS_ACCESS_KEY_ID',
  ),
  secretAccessKeyEnv: about(
    variable,
    'The environment variable that holds the secret access key.',
    'AWS_SECRET_ACCESS_KEY',
  ),
  sessionTokenEnv: about(
    variable,
    'The environment variable that holds the session token of temporary keys.',
    'AWS_SESSION_TOKEN',
  ),
  region: about(
    text,
    withDefault(
      'The region for which requests are signed.',
      'with `kind: awsSigv4`, the environment variable `AWS_REGION` or `AWS_DEFAULT_REGION`',
    ),
    'eu-central-1',
  ),
  service: about(text, 'The service for which requests are signed.', 'dynamodb'),
};

export const scheme = strict({
  ...variables,
  argument: about(
    z.boolean(),
    'Set it if the gateway takes a parameter for a key because of its name. The parameter becomes an argument, and the model fills it in.',
    true,
  ),
}).meta({
  id: 'scheme',
  description:
    'The secret values for a security scheme of the imported document. The document says which kind it is. Use the name of the scheme as the name of the credential.',
});

/** Fields of those above that may be left out. */
function optional<Name extends keyof typeof variables>(...names: readonly Name[]) {
  const fields = names.map((name) => [name, variables[name].exactOptional()]);
  return Object.fromEntries(fields) as { [Key in Name]: z.ZodExactOptional<(typeof variables)[Key]> };
}

/** What asking a token endpoint as a client takes. */
const clientFields = {
  tokenUrl: variables.tokenUrl,
  ...optional('clientIdEnv', 'clientIdFile', 'clientSecretEnv', 'clientSecretFile', 'scopes'),
};

export const kinds = z.discriminatedUnion('kind', [
  closed({
    kind: about(z.literal('apiKey'), 'Sends a key in a header, query parameter or cookie.', 'apiKey'),
    in: about(
      z.enum(['header', 'query', 'cookie']),
      withDefault('Where the key is sent.', '`header`'),
      'query',
    ).exactOptional(),
    field: about(text, 'The name of the header, query parameter or cookie.', 'X-API-Key'),
    ...optional('env', 'file'),
    prefix: about(z.string(), 'Text that is sent before the key, with the space at its end.', 'Token ').exactOptional(),
  }).meta({ id: 'apiKey' }),
  closed({
    kind: about(z.literal('bearer'), 'Sends a token as `Authorization: Bearer <token>`.', 'bearer'),
    ...optional('env', 'file'),
  }).meta({ id: 'bearer' }),
  closed({
    kind: about(z.literal('basic'), 'Sends user name and password as `Authorization: Basic <encoded>`.', 'basic'),
    ...optional('usernameEnv', 'usernameFile', 'passwordEnv', 'passwordFile'),
  }).meta({ id: 'basic' }),
  closed({
    kind: about(
      z.literal('oauth2'),
      'Gets an access token for client id and secret (OAuth 2.0 client credentials), and sends it as `Authorization: Bearer <token>`. It is renewed before it expires.',
      'oauth2',
    ),
    ...clientFields,
  }).meta({ id: 'oauth2' }),
  closed({
    kind: about(
      z.literal('token_exchange'),
      'Exchanges the caller’s own verified access token for one that this API accepts (RFC 8693), and sends that as `Authorization: Bearer <token>`. It is kept per caller and renewed before it expires. Callers without a token are refused.',
      'token_exchange',
    ),
    ...clientFields,
    ...exchangeFields,
  }).meta({ id: 'token_exchange' }),
  assertion,
  closed({
    kind: about(z.literal('awsSigv4'), 'Signs every request (AWS Signature Version 4).', 'awsSigv4'),
    ...optional('accessKeyIdEnv', 'accessKeyIdFile', 'secretAccessKeyEnv', 'secretAccessKeyFile'),
    ...optional('sessionTokenEnv', 'sessionTokenFile', 'region'),
    service: variables.service,
  }).meta({ id: 'awsSigv4' }),
  closed(loginShape).meta({ id: 'login' }),
]);

/** Without `kind` it can only be a security scheme of an imported document; the build reports it if there is none. */
export const credential = chosen([kinds, scheme], (value) =>
  isObject(value) && !Object.keys(value).every(isSchemeKey) ? kinds : scheme,
);

function isSchemeKey(key: string): boolean {
  return key !== 'kind' && (key in variables || key === 'argument');
}
