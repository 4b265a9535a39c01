// The secrets of credentials and connections: their values, variables and how they are shown.
import { originOf } from '../endpoint/address';
import { type Environment, readSecret } from '../endpoint/environment';
import type { Connection, Domain, Endpoint } from '../endpoint/model';
import type { Credential, Secret, TokenCarrier } from '../endpoint/credential';
import { FILE_MARK } from '../endpoint/sources/secret-file';

/** Every secret of these domains, as it could appear in a message. */
export function collectSecrets(domains: readonly Pick<Domain, 'endpoints'>[]): string[] {
  const endpoints = domains.flatMap((domain) => domain.endpoints);
  // Thousands of endpoints share a handful of credentials and connections.
  const credentials = new Set(endpoints.flatMap(({ security }) => security.flat()));
  const connections = new Set(endpoints.flatMap(({ connection }) => connection ?? []));
  return [...new Set([...[...credentials].flatMap(secretValues), ...[...connections].flatMap(connectionSecrets)])];
}

/** What must not be seen of one endpoint. */
export function endpointSecrets({ security, connection }: Endpoint): string[] {
  return [...security.flat().flatMap(secretValues), ...(connection === undefined ? [] : connectionSecrets(connection))];
}

function connectionSecrets({ certificate, proxy }: Connection): string[] {
  const ofProxy = proxy === undefined || proxy === 'none' ? [] : proxy.secrets;
  return [...(certificate?.passphrase === undefined ? [] : [certificate.passphrase]), ...ofProxy];
}

/** What a credential takes from the environment. */
export function secretsIn(credential: Credential): readonly Secret[] {
  if (credential.kind === 'basic')
    return [credential.username, credential.password].filter(({ variable }) => variable !== '');
  if (credential.kind === 'awsSigv4') {
    const { accessKeyId, secretAccessKey, sessionToken } = credential;
    return [accessKeyId, secretAccessKey, ...(sessionToken === undefined ? [] : [sessionToken])];
  }
  if (credential.kind === 'login') return credential.secrets;
  if (credential.kind === 'assertion') return [];
  return credential.kind === 'oauth2' || credential.kind === 'token_exchange'
    ? [credential.clientId, credential.clientSecret]
    : [credential.secret];
}

/** A password may be empty: if its variable is set to nothing, or if it has no variable. */
export function readPassword(variable: string | undefined, env: Environment): Secret {
  if (variable === undefined) return { variable: '', value: '' };
  const secret = readSecret(env, variable);
  return secret.value === undefined && Object.hasOwn(env, variable) && secret.problem === undefined
    ? { variable, value: env[variable] }
    : secret;
}

/** The fields of a domain file that name the variables of a credential, in the order of `secretsIn`. */
export const VARIABLE_FIELDS: Readonly<Record<Credential['kind'], readonly string[]>> = {
  apiKey: ['env'],
  bearer: ['env'],
  basic: ['usernameEnv', 'passwordEnv'],
  oauth2: ['clientIdEnv', 'clientSecretEnv'],
  token_exchange: ['clientIdEnv', 'clientSecretEnv'],
  assertion: [],
  login: ['usernameEnv', 'passwordEnv', 'clientIdEnv', 'clientSecretEnv'],
  awsSigv4: ['accessKeyIdEnv', 'secretAccessKeyEnv', 'sessionTokenEnv'],
};

/** The origin that sees its secrets: that of the API, or of the server that issues tokens. */
export function destinationOf(credential: Credential, baseUrl: string): string {
  const url = credential.kind === 'oauth2' || credential.kind === 'token_exchange' ? credential.tokenUrl : baseUrl;
  return originOf(credential.kind === 'login' ? credential.request.url : url) ?? 'the API';
}

/**
 * The variables that are missing. An empty password is allowed (often the key is the user name), other secrets must not be empty;
 * only temporary keys have a session token.
 */
export function unsetVariables(credential: Credential): string[] {
  const mayBeEmpty = credential.kind === 'basic' ? credential.password : undefined;
  const mayBeUnset = credential.kind === 'awsSigv4' ? credential.sessionToken : undefined;
  return secretsIn(credential)
    .filter((secret) => secret !== mayBeUnset)
    .filter((secret) => secret.value === undefined || (secret.value === '' && secret !== mayBeEmpty))
    .map(({ variable, problem }) => (problem === undefined ? variable : `${variable} (${problem})`));
}

/**
 * The alternatives that count. If one that identifies the caller still lacks its variables, those behind it are dropped:
 * otherwise calls would be made in the name of the gateway instead of the caller.
 */
export function alternativesOf(security: Endpoint['security']): Endpoint['security'] {
  const waiting = security.findIndex(
    (set) =>
      set.some(({ kind }) => kind === 'token_exchange' || kind === 'assertion') &&
      set.flatMap(unsetVariables).length > 0,
  );
  return waiting < 0 ? security : security.slice(0, waiting + 1).filter((set) => set.length > 0);
}

/** Whether a name in `unsetVariables` is about a file that cannot be read. */
export function isAboutFile(name: string): boolean {
  return name.startsWith(FILE_MARK) || name.endsWith(')');
}

/** The secret values of one credential. A user name is not secret, unless there is no password: then it is the key. */
function secretValues(credential: Credential): string[] {
  if (credential.kind === 'oauth2' || credential.kind === 'token_exchange') return secretText(credential.clientSecret);
  // A new one is signed for every call, and added to the redactor of that call.
  if (credential.kind === 'assertion') return [];
  if (credential.kind === 'awsSigv4') return secretsIn(credential).slice(1).flatMap(secretText);
  if (credential.kind === 'login') return credential.secrets.filter(({ isName }) => !isName).flatMap(secretText);
  if (credential.kind !== 'basic') return secretText(credential.secret);
  const { username, password } = credential;
  const pair =
    username.value === undefined && password.value === undefined ? [] : [basicToken(username.value, password.value)];
  return [...secretText(password.value ? password : username), ...pair];
}

/** How it looks in a request: `Authorization: Token token=…`. */
export function formatOf(credential: Credential): string {
  switch (credential.kind) {
    case 'apiKey': {
      const value = `${credential.prefix ?? ''}…`;
      return credential.in === 'header'
        ? `${credential.field}: ${value}`
        : `${credential.in} ${credential.field}=${value}`;
    }
    case 'bearer':
      return 'Authorization: Bearer …';
    case 'basic':
      return 'Authorization: Basic, user name and password';
    case 'oauth2':
      return `Authorization: Bearer, a token from ${credential.tokenUrl}`;
    case 'token_exchange':
      return `Authorization: Bearer, a token from ${credential.tokenUrl} in exchange for the caller’s token`;
    case 'assertion':
      return `${credential.field}: ${credential.prefix ?? ''}…, a JWT about the caller, signed by this gateway`;
    case 'login':
      return `${carrierOf(credential.send)} from ${credential.request.method} ${credential.request.shown}`;
    case 'awsSigv4':
      return `AWS Signature Version 4 for ${credential.service} in ${credential.region}`;
  }
}

function carrierOf(send: TokenCarrier): string {
  if (send.in === 'cookies') return 'the cookies';
  const word = send.prefix?.trim() ?? '';
  if (send.in !== 'header') return `${send.in} ${send.field}, a token`;
  return `${send.field}${word === '' ? '' : `: ${word}`}, a token`;
}

function secretText({ value }: Secret): string[] {
  return value === undefined || value === '' ? [] : [value];
}

/** What follows `Basic ` in the header. */
export function basicToken(username = '', password = ''): string {
  return Buffer.from(`${username}:${password}`).toString('base64');
}
