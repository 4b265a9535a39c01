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
import type { CredentialSource, ImportOptions } from '../import-options.ts';

/** In front of every variable whose name a document chose. */
export const DOCUMENT_PREFIX = 'LANDBRIDGE_CRED_';

export interface ApiKeyPlace {
  readonly scheme: string;
  readonly in: 'header' | 'query' | 'cookie';
  readonly field: string;
}

export function apiKeyPlace(scheme: string, node: Node): ApiKeyPlace[] {
  const place = node.in;
  const field = textAt(node, 'name');
  if (node.type !== 'apiKey' || field === undefined) return [];
  return place === 'header' || place === 'query' || place === 'cookie' ? [{ scheme, in: place, field }] : [];
}

type Suffix = '' | 'USERNAME' | 'PASSWORD' | 'CLIENT_ID' | 'CLIENT_SECRET';

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
  };
  const read = (suffix: Suffix, byDocument = baseUrl === undefined && !ownOrigin): Secret => {
    const variable =
      variables[suffix] ?? (byDocument ? DOCUMENT_PREFIX : '') + (suffix === '' ? base : `${base}_${suffix}`);
    return { variable, value: lookup(env, variable) };
  };
  return { source, read };
}

export interface TokenAddress {
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
  address: TokenAddress,
): Credential {
  const place = apiKeyPlace(name, scheme)[0];
  if (place) return { kind: 'apiKey', name, in: place.in, field: place.field, secret: read('') };
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
    return { kind: 'apiKey', name, in: 'header', field: 'Authorization', secret: read(''), prefix };
  }
  return { kind: 'bearer', name, secret: read('') };
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
