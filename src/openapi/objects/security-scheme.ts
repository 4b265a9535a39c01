// Builds the credentials of a Security Scheme Object, with secrets from environment variables.
// https://spec.openapis.org/oas/v3.2.0.html#security-scheme-object
//
// A document must not choose a variable that is sent to its own server: with the title `AWS` and a scheme `secretAccessKey`, it
// would get AWS_SECRET_ACCESS_KEY. So the plain name `<DOMAIN>_<SCHEME>` is only read if the operator chose the origin (a base
// URL). Otherwise secrets come from variables with the prefix for documents, or from variables that the operator named.
import type { KnownCredential } from '../../credentials/kind-table.ts';
import { readPassword } from '../../credentials/kinds/basic.ts';
import type { BearerCredential } from '../../credentials/kinds/bearer.ts';
import type { LoginCredential } from '../../credentials/kinds/login.ts';
import type { OAuthCredential } from '../../credentials/kinds/oauth2.ts';
import { fillLogin } from '../../credentials/login/login-request.ts';
import { isWebUrl, originOf } from '../../endpoint/address.ts';
import type { Credential, Secret } from '../../endpoint/credential.ts';
import { DOCUMENT_PREFIX, type Environment, lookupSecret } from '../../endpoint/environment.ts';
import { toSnakeCase } from '../../endpoint/names.ts';
import { type Node, nodeAt, textAt } from '../../endpoint/untrusted.ts';
import type { CredentialSource, ImportOptions } from '../import-options.ts';
import { prefixIn, withPrefix } from '../key-prefix.ts';
import type { KeyParameter } from '../undeclared-keys.ts';

export interface ApiKeyPlace {
  readonly scheme: string;
  readonly in: 'header' | 'query' | 'cookie' | 'body';
  readonly field: string;
  /** Declared as a parameter, not as a scheme. */
  readonly isParameter: boolean;
}

export function apiKeyPlace(scheme: string, node: Node): ApiKeyPlace[] {
  const place = node.in;
  const field = textAt(node, 'name');
  if (node.type !== 'apiKey' || field === undefined) return [];
  const isParameter = parameterKinds.has(node);
  if (place === 'body' && isParameter) return [{ scheme, in: place, field, isParameter }];
  return place === 'header' || place === 'query' || place === 'cookie'
    ? [{ scheme, in: place, field, isParameter }]
    : [];
}

type Suffix =
  | ''
  | 'USERNAME'
  | 'PASSWORD'
  | 'CLIENT_ID'
  | 'CLIENT_SECRET'
  | 'ACCESS_KEY_ID'
  | 'SECRET_ACCESS_KEY'
  | 'SESSION_TOKEN';

export interface SchemeSecrets {
  /** The operator's settings for this scheme. */
  readonly source: CredentialSource;
  readonly env: Environment;
  /** The password of HTTP Basic, which may be empty. */
  readonly password: () => Secret;
  /** `byDocument`: the document chose where the secret is sent, even if the operator chose the server. */
  readonly read: (suffix: Suffix, byDocument?: boolean) => Secret;
}

/** `<DOMAIN>_<SCHEME>[_<HOST>][_<SUFFIX>]`, unless the operator named a variable, which is for the main origin only. */
export function readSecrets(
  scheme: string,
  domain: string,
  foreignOrigin: string | undefined,
  { env, credentials, ownOrigin = false, baseUrl }: ImportOptions,
): SchemeSecrets {
  const isMain = foreignOrigin === undefined;
  const source = isMain && credentials !== undefined && Object.hasOwn(credentials, scheme) ? credentials[scheme]! : {};
  const host = isMain ? '' : `_${toSnakeCase(new URL(foreignOrigin).host)}`;
  const base = `${domain}_${toSnakeCase(scheme) || 'credential'}${host}`.toUpperCase();
  const variables: Readonly<Record<Suffix, string | undefined>> = {
    '': source.env,
    USERNAME: source.usernameEnv,
    PASSWORD: source.passwordEnv,
    CLIENT_ID: source.clientIdEnv,
    CLIENT_SECRET: source.clientSecretEnv,
    ACCESS_KEY_ID: source.accessKeyIdEnv,
    SECRET_ACCESS_KEY: source.secretAccessKeyEnv,
    SESSION_TOKEN: source.sessionTokenEnv,
  };
  const read = (suffix: Suffix, byDocument = baseUrl === undefined && !ownOrigin): Secret => {
    const plain = suffix === '' ? base : `${base}_${suffix}`;
    const variable = variables[suffix] ?? (byDocument ? DOCUMENT_PREFIX : '') + plain;
    const secret = lookupSecret(env, variable);
    if (variables[suffix] !== undefined || secret.value !== undefined || secret.problem !== undefined) return secret;
    const problem = explainOtherName(env, plain, byDocument);
    return problem === undefined || Object.hasOwn(env, variable) ? secret : { ...secret, problem };
  };
  const password = (): Secret => {
    const { variable } = read('PASSWORD');
    const secret = readPassword(variable, env);
    // If only a variable for the user name is configured, there is no password.
    const isNone = source.usernameEnv !== undefined && source.passwordEnv === undefined && secret.value === undefined;
    return isNone ? readPassword(undefined, env) : secret;
  };
  return { source, env, read, password };
}

/** The same secret has two names. The environment may have it under the name that is not read here; its value stays unread. */
function explainOtherName(env: Environment, plain: string, byDocument: boolean): string | undefined {
  const other = byDocument ? plain : DOCUMENT_PREFIX + plain;
  if (!Object.hasOwn(env, other)) return undefined;
  return byDocument
    ? `${other} is set, but without a base URL of yours the name begins with ${DOCUMENT_PREFIX}`
    : `${other} is set, but with a base URL of yours the name has no ${DOCUMENT_PREFIX}`;
}

export interface SchemeAddress {
  /** Region and name that requests are signed for. */
  readonly signing: (source: CredentialSource) => { readonly region: string; readonly service: string };
  /** The base of relative token URLs. */
  readonly mainUrl: string;
  /**
   * Checks an address that the document chose, like that of a server; throws if it may not be used. `isNamed`: variables that the
   * operator named would be sent there.
   */
  readonly admit: (url: URL, isNamed: boolean) => { readonly publicOnly?: true };
}

/** The ways to satisfy a scheme, best first: a scheme of OAuth2 may have several. */
export function credentialsForScheme(
  name: string,
  scheme: Node,
  scopes: readonly string[],
  secrets: SchemeSecrets,
  address: SchemeAddress,
): readonly Credential[] {
  const isOAuth = scheme.type === 'oauth2' && !isSigned(scheme);
  if (!isOAuth) return [buildCredential(name, scheme, secrets, address)];
  const token: BearerCredential = { kind: 'bearer', name, secret: secrets.read('') };
  // An existing token is used as it is, whatever the flow.
  if (token.secret.value !== undefined) return [token];
  const { client, login } = buildFlows(name, scheme, scopes, secrets, address);
  // People often have a token from a login elsewhere, so a token stays an alternative to the password flow. Client programs rarely do.
  if (client !== undefined && login === undefined) return [client];
  return [client, login, token].filter((credential) => credential !== undefined);
}

/** The flows without a browser: client credentials, and user name and password. */
function buildFlows(
  name: string,
  scheme: Node,
  scopes: readonly string[],
  { source, env, read }: SchemeSecrets,
  address: SchemeAddress,
): { readonly client: OAuthCredential | undefined; readonly login: LoginCredential | undefined } {
  const [clientFlow, password] = [
    flowOf(scheme, 'clientCredentials', 'application'),
    flowOf(scheme, 'password', 'password'),
  ];
  const namesClient = source.clientIdEnv !== undefined && source.usernameEnv === undefined;
  const isForClient = clientFlow !== undefined || password === undefined || namesClient;
  const clientUrl = toUrl(
    (isForClient ? source.tokenUrl : undefined) ?? textAt(clientFlow, 'tokenUrl'),
    address.mainUrl,
  );
  const loginUrl = toUrl((isForClient ? undefined : source.tokenUrl) ?? textAt(password, 'tokenUrl'), address.mainUrl);
  const isOwn = (url: URL) => source.tokenUrl !== undefined || url.origin === originOf(address.mainUrl);
  const { usernameEnv, passwordEnv, clientIdEnv, clientSecretEnv } = source;
  const isNamed = [usernameEnv, passwordEnv, clientIdEnv, clientSecretEnv].some((variable) => variable !== undefined);
  const admit = (url: URL) => (isOwn(url) ? {} : address.admit(url, isNamed));
  const readFor = (url: URL, suffix: Suffix) => (isOwn(url) ? read(suffix) : read(suffix, true));
  let client: OAuthCredential | undefined;
  let login: LoginCredential | undefined;
  if (clientUrl !== undefined) {
    client = {
      kind: 'oauth2',
      name,
      tokenUrl: clientUrl.href,
      ...admit(clientUrl),
      clientId: readFor(clientUrl, 'CLIENT_ID'),
      clientSecret: readFor(clientUrl, 'CLIENT_SECRET'),
      scopes: source.scopes ?? scopes,
    };
  }
  if (loginUrl !== undefined) {
    const variable = (suffix: Suffix) => `\${${readFor(loginUrl, suffix).variable}}`;
    // Some servers also require the client id and secret.
    const clientFields = (['CLIENT_ID', 'CLIENT_SECRET'] as const)
      .filter((suffix) => readFor(loginUrl, suffix).value !== undefined)
      .map((suffix) => [suffix.toLowerCase(), variable(suffix)]);
    const scope = (source.scopes ?? scopes).join(' ');
    const form = {
      grant_type: 'password',
      username: variable('USERNAME'),
      password: variable('PASSWORD'),
      ...Object.fromEntries(clientFields),
    };
    const literal = { url: loginUrl.href, form: scope === '' ? {} : { scope } };
    login = {
      kind: 'login',
      name,
      ...fillLogin({ form, literal }, env),
      ...admit(loginUrl),
      send: { in: 'header', field: 'Authorization', prefix: 'Bearer ' },
      renewOn: [401],
      isScheme: true,
    };
  }
  return { client, login };
}

function buildCredential(
  name: string,
  scheme: Node,
  { source, read, password }: SchemeSecrets,
  address: SchemeAddress,
): KnownCredential {
  if (isSigned(scheme)) {
    const [accessKeyId, secretAccessKey] = [read('ACCESS_KEY_ID'), read('SECRET_ACCESS_KEY')];
    const { region, service } = address.signing(source);
    return {
      kind: 'awsSigv4',
      name,
      accessKeyId,
      secretAccessKey,
      sessionToken: read('SESSION_TOKEN'),
      region,
      service,
    };
  }
  const place = apiKeyPlace(name, scheme)[0];
  if (place) {
    const { in: where, field } = place;
    const secret = read('');
    const isParameter = place.isParameter ? { isParameter: true } : {};
    const prefix = where === 'header' ? prefixIn(textsOf(scheme), /^authorization$/i.test(field), name) : undefined;
    return { kind: 'apiKey', name, in: where, field, ...withPrefix(secret, prefix), ...isParameter };
  }
  const kind = scheme.type === 'http' ? (textAt(scheme, 'scheme') ?? 'bearer').toLowerCase() : scheme.type;
  if (kind === 'basic') return { kind: 'basic', name, username: read('USERNAME'), password: password() };
  if (scheme.type === 'http' && kind !== 'bearer') {
    const prefix = `${textAt(scheme, 'scheme')} `;
    return { kind: 'apiKey', name, in: 'header', field: 'Authorization', ...withPrefix(read(''), prefix) };
  }
  // People paste the token with `Bearer` in front, as documentation shows it.
  return { kind: 'bearer', name, secret: withPrefix(read(''), 'Bearer ').secret };
}

/** Texts in which a document may describe how its key is written. */
function textsOf(scheme: Node): (string | undefined)[] {
  const owners = [scheme, nodeAt(scheme, 'schema')];
  const examples = ['example', 'x-example', 'default'].flatMap((key) => owners.map((owner) => textAt(owner, key)));
  const prefix = textAt(scheme, 'x-prefix');
  return [
    textAt(scheme, 'description'),
    prefix && `"${prefix.trim()} <key>"`,
    ...examples.map((text) => text?.trim().replace(/^(\S+) (?:([a-z_]+=)?)\S+$/, '"$1 $2<key>"')),
  ];
}

/** Schemes made from parameters. Kept in a map, because a document could contain the same marker in its node. */
const parameterKinds = new WeakMap<Node, KeyParameter['kind']>();

/** The security scheme for a parameter that is a credential. */
export function toScheme({ object, kind }: KeyParameter): Node {
  const scheme: Node = { ...object, type: 'apiKey' };
  parameterKinds.set(scheme, kind);
  return scheme;
}

export function parameterKind(scheme: Node | undefined): KeyParameter['kind'] | undefined {
  return scheme && parameterKinds.get(scheme);
}

/** Whether it is AWS Signature Version 4, as API Gateway and the public collections of AWS documents write it. */
export function isSigned(scheme: Node): boolean {
  if (/^awsSigv4$/i.test(textAt(scheme, 'x-amazon-apigateway-authtype') ?? '')) return true;
  const isHeader =
    scheme.type === 'apiKey' && scheme.in === 'header' && /^authorization$/i.test(textAt(scheme, 'name') ?? '');
  return (
    isHeader && /\b(?:amazon|aws)\b.*\bsignature\b|\bsigv4\b/i.test((textAt(scheme, 'description') ?? '').slice(0, 300))
  );
}

/** A flow by its name, in 3.x and in 2.0. */
function flowOf(scheme: Node, name: string, nameIn2: string): Node | undefined {
  return nodeAt(nodeAt(scheme, 'flows'), name) ?? (scheme.flow === nameIn2 ? scheme : undefined);
}

/** Relative token URLs are relative to the server: FastAPI's `token` is `<server>/token`. */
function toUrl(text: string | undefined, mainUrl: string): URL | undefined {
  const base = mainUrl === '' ? undefined : `${mainUrl}/`;
  if (text === undefined || !URL.canParse(text, base)) return undefined;
  const url = new URL(text, base);
  return isWebUrl(url) ? url : undefined;
}
