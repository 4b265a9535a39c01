// User name and password (RFC 7617): `Authorization: Basic <encoded>`.
import type { Credential, Secret } from '../../endpoint/credential.ts';
import { type Environment, lookupSecret } from '../../endpoint/environment.ts';
import { basicToken } from '../../endpoint/headers/header-names.ts';
import { AUTHORIZATION, type CredentialKind, hiddenText, type ShapeTools, withoutValue } from '../credential-kind.ts';
import { type SecretField, secretFields } from '../secret-fields.ts';

export interface BasicCredential extends Credential {
  readonly kind: 'basic';
  readonly username: Secret;
  readonly password: Secret;
}

export const USER = {
  usernameEnv: {
    description: 'The environment variable that holds the user name.',
    example: 'SHOP_USER',
    short: 'shop_user',
  },
  passwordEnv: {
    description: 'The environment variable that holds the password.',
    example: 'SHOP_PASSWORD',
    short: 'shop_password',
  },
} as const satisfies Record<string, SecretField>;

const shape = (tools: ShapeTools) =>
  tools
    .closed({
      kind: tools.about(
        tools.z.literal('basic'),
        'Sends user name and password as `Authorization: Basic <encoded>`.',
        'basic',
      ),
      ...secretFields(tools, USER),
    })
    .meta({ id: 'basic' });

/** A password may be empty: if its variable is set to nothing, or if it has no variable. */
export function readPassword(variable: string | undefined, env: Environment): Secret {
  if (variable === undefined) return { variable: '', value: '' };
  const secret = lookupSecret(env, variable);
  return secret.value === undefined && Object.hasOwn(env, variable) && secret.problem === undefined
    ? { variable, value: env[variable] }
    : secret;
}

export const basic: CredentialKind<BasicCredential, typeof shape> = {
  shape,
  variableFields: ['usernameEnv', 'passwordEnv'],
  requiredFields: ['usernameEnv'],
  build: (name, { usernameEnv, passwordEnv }, { env, secret }) => ({
    kind: 'basic',
    name,
    username: secret(usernameEnv),
    password: readPassword(passwordEnv, env),
  }),
  secrets: ({ username, password }) => [username, password].filter(({ variable }) => variable !== ''),
  // Often the key is the user name, and the password is empty.
  missing: (credential) =>
    withoutValue(basic.secrets(credential)).filter(
      (secret) => secret !== credential.password || secret.value === undefined,
    ),
  // A user name is not secret, unless there is no password: then it is the key.
  hiddenTexts: ({ username, password }) => {
    const isUnset = username.value === undefined && password.value === undefined;
    return [
      ...hiddenText(password.value ? password : username),
      ...(isUnset ? [] : [basicToken(username.value, password.value)]),
    ];
  },
  place: () => ({ ...AUTHORIZATION, prefix: 'Basic ' }),
  proof: { type: 'static', value: ({ username, password }) => basicToken(username.value, password.value) },
  describe: () => 'Authorization: Basic, user name and password',
};
