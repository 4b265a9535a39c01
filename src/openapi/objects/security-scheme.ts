// Security Scheme Object → one credential, its secrets read from variables of the environment.
// https://spec.openapis.org/oas/v3.2.0.html#security-scheme-object
//
// A document must not pick the variable that is sent to its own server: titled `AWS`, with a scheme `secretAccessKey`, it
// would get AWS_SECRET_ACCESS_KEY. So the plain name `<DOMAIN>_<SCHEME>` is for where the operator chose the origin (a base
// URL); everything else comes from variables set for documents alone, or from those the operator named.
import { originOf } from '../../endpoint/address.ts';
import { lookup } from '../../endpoint/environment.ts';
import type { Credential, Secret } from '../../endpoint/model.ts';
import { toSnakeCase } from '../../endpoint/names.ts';
import { type Node, nodeAt, textAt } from '../../endpoint/untrusted.ts';
import { prefixIn, withPrefix } from '../credential-format.ts';
import type { CredentialSource, ImportOptions } from '../import-options.ts';
import type { KeyParameter } from '../key-parameters.ts';

/** In front of every variable whose name a document chose. */
export const DOCUMENT_PREFIX = 'LANDBRIDGE_CRED_';

export interface ApiKeyPlace {
  readonly scheme: string;
  readonly in: 'header' | 'query' | 'cookie' | 'body';
  readonly field: string;
  /** A parameter of the document, and no scheme. */
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
  /** What the operator said about this scheme. */
  readonly source: CredentialSource;
  /** `byDocument`: where the secret goes was chosen by the document, whatever the operator said of its server. */
  readonly read: (suffix: Suffix, byDocument?: boolean) => Secret;
}

/** `<DOMAIN>_<SCHEME>[_<HOST>][_<SUFFIX>]`, unless the operator named a variable; that one is for the main origin only. */
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
    const variable =
      variables[suffix] ?? (byDocument ? DOCUMENT_PREFIX : '') + (suffix === '' ? base : `${base}_${suffix}`);
    return { variable, value: lookup(env, variable) };
  };
  return { source, read };
}

export interface SchemeAddress {
  /** Region and name that requests are signed for. */
  readonly signing: (source: CredentialSource) => { readonly region: string; readonly service: string };
  /** What a relative token URL counts from. */
  readonly mainUrl: string;
  /** Checks an address the document chose, as a server's is checked; throws where it may not be used. */
  readonly admit: (url: URL) => { readonly publicOnly?: true };
}

export function buildCredential(
  name: string,
  scheme: Node,
  scopes: readonly string[],
  { source, read }: SchemeSecrets,
  address: SchemeAddress,
): Credential {
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
  if (kind === 'basic') return { kind: 'basic', name, username: read('USERNAME'), password: read('PASSWORD') };
  if (kind === 'oauth2') {
    const token = read('');
    const url = tokenUrlOf(scheme, source, address.mainUrl);
    // A token that is already there is used as it is, whatever the flow.
    if (url === undefined || token.value !== undefined) return { kind: 'bearer', name, secret: token };
    const isOwn = source.tokenUrl !== undefined || url.origin === originOf(address.mainUrl);
    return {
      kind: 'oauth2',
      name,
      tokenUrl: url.href,
      ...(isOwn ? {} : address.admit(url)),
      clientId: isOwn ? read('CLIENT_ID') : read('CLIENT_ID', true),
      clientSecret: isOwn ? read('CLIENT_SECRET') : read('CLIENT_SECRET', true),
      scopes: source.scopes ?? scopes,
    };
  }
  if (scheme.type === 'http' && kind !== 'bearer') {
    const prefix = `${textAt(scheme, 'scheme')} `;
    return { kind: 'apiKey', name, in: 'header', field: 'Authorization', ...withPrefix(read(''), prefix) };
  }
  // Pasted with the word before it, as every documentation shows it.
  return { kind: 'bearer', name, secret: withPrefix(read(''), 'Bearer ').secret };
}

/** Where a document says how its key is written. */
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

/** Schemes made of parameters. Beside the nodes and not in them: a document could write whatever mark they have. */
const parameterKinds = new WeakMap<Node, KeyParameter['kind']>();

/** A parameter that stands for a scheme. */
export function toScheme({ object, kind }: KeyParameter): Node {
  const scheme: Node = { ...object, type: 'apiKey' };
  parameterKinds.set(scheme, kind);
  return scheme;
}

export function parameterKind(scheme: Node | undefined): KeyParameter['kind'] | undefined {
  return scheme && parameterKinds.get(scheme);
}

/** AWS Signature Version 4, as API Gateway and the public collections of AWS documents say it. */
export function isSigned(scheme: Node): boolean {
  if (/^awsSigv4$/i.test(textAt(scheme, 'x-amazon-apigateway-authtype') ?? '')) return true;
  const isHeader =
    scheme.type === 'apiKey' && scheme.in === 'header' && /^authorization$/i.test(textAt(scheme, 'name') ?? '');
  return (
    isHeader && /\b(?:amazon|aws)\b.*\bsignature\b|\bsigv4\b/i.test((textAt(scheme, 'description') ?? '').slice(0, 300))
  );
}

/** Of the client credentials flow (2.0: `application`), or the one the operator gave. */
function tokenUrlOf(scheme: Node, source: CredentialSource, mainUrl: string): URL | undefined {
  const flow =
    nodeAt(nodeAt(scheme, 'flows'), 'clientCredentials') ?? (scheme.flow === 'application' ? scheme : undefined);
  const text = source.tokenUrl ?? textAt(flow, 'tokenUrl');
  const base = mainUrl === '' ? undefined : mainUrl;
  if (text === undefined || !URL.canParse(text, base)) return undefined;
  const url = new URL(text, base);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
}
