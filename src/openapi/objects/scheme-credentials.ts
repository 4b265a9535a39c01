// One security scheme → one credential, its secrets named after domain and scheme.
import type { Credential, Secret } from '../../endpoint/model.ts';
import { toSnakeCase } from '../../endpoint/names.ts';
import { type Node, nodeAt, textAt } from '../../endpoint/untrusted.ts';
import type { CredentialSource, ImportOptions } from '../import-options.ts';

export interface ApiKeyPlace {
  readonly scheme: string;
  readonly in: 'header' | 'query' | 'cookie';
  readonly field: string;
}

type Flow = { readonly tokenUrl: string };

export function apiKeyPlace(scheme: string, node: Node): ApiKeyPlace[] {
  const place = node.in;
  const field = textAt(node, 'name');
  if (node.type !== 'apiKey' || field === undefined) return [];
  return place === 'header' || place === 'query' || place === 'cookie' ? [{ scheme, in: place, field }] : [];
}

export type Secrets = (
  suffix: '' | 'USERNAME' | 'PASSWORD' | 'CLIENT_ID' | 'CLIENT_SECRET',
) => Secret & { readonly source: CredentialSource };

/** `<DOMAIN>_<SCHEME>[_<HOST>][_<SUFFIX>]`, unless the caller named a variable; a name the caller gave is for the main origin. */
export function secretsOf(
  name: string,
  domain: string,
  foreignOrigin: string | undefined,
  { env, credentials }: ImportOptions,
): Secrets {
  const source: CredentialSource =
    foreignOrigin === undefined && credentials !== undefined && Object.hasOwn(credentials, name)
      ? credentials[name]!
      : {};
  const host = foreignOrigin === undefined ? '' : `_${toSnakeCase(new URL(foreignOrigin).host)}`;
  const base = `${domain}_${toSnakeCase(name) || 'credential'}${host}`.toUpperCase();
  const given = {
    '': source.env,
    USERNAME: source.usernameEnv,
    PASSWORD: source.passwordEnv,
    CLIENT_ID: source.clientIdEnv,
    CLIENT_SECRET: source.clientSecretEnv,
  };
  return (suffix) => {
    const variable = given[suffix] ?? (suffix === '' ? base : `${base}_${suffix}`);
    const value = Object.hasOwn(env, variable) ? env[variable] : undefined;
    return { variable, value: value === '' ? undefined : value, source };
  };
}

export function buildCredential(
  name: string,
  scheme: Node,
  scopes: readonly string[],
  secrets: Secrets,
  baseUrl: string,
): Credential {
  const plain = (suffix: Parameters<Secrets>[0]): Secret => {
    const { variable, value } = secrets(suffix);
    return { variable, value };
  };
  const place = apiKeyPlace(name, scheme)[0];
  if (place) return { kind: 'apiKey', name, in: place.in, field: place.field, secret: plain('') };
  const kind = scheme.type === 'http' ? (textAt(scheme, 'scheme') ?? 'bearer').toLowerCase() : scheme.type;
  if (kind === 'basic') return { kind: 'basic', name, username: plain('USERNAME'), password: plain('PASSWORD') };
  if (kind === 'oauth2') {
    const { source } = secrets('');
    const flow = clientCredentials(scheme, source, baseUrl);
    // A token that is already there is used as it is, whatever the flow.
    if (flow && plain('').value === undefined) {
      return {
        kind: 'oauth2',
        name,
        tokenUrl: flow.tokenUrl,
        clientId: plain('CLIENT_ID'),
        clientSecret: plain('CLIENT_SECRET'),
        scopes: source.scopes ?? scopes,
      };
    }
    return { kind: 'bearer', name, secret: plain('') };
  }
  if (scheme.type === 'http' && kind !== 'bearer') {
    const prefix = `${textAt(scheme, 'scheme')} `;
    return { kind: 'apiKey', name, in: 'header', field: 'Authorization', secret: plain(''), prefix };
  }
  return { kind: 'bearer', name, secret: plain('') };
}

/** The client credentials flow (2.0: `application`), or a token URL the caller gave. */
function clientCredentials(scheme: Node, source: CredentialSource, baseUrl: string): Flow | undefined {
  const flow =
    nodeAt(nodeAt(scheme, 'flows'), 'clientCredentials') ?? (scheme.flow === 'application' ? scheme : undefined);
  const tokenUrl = source.tokenUrl ?? textAt(flow, 'tokenUrl');
  if (tokenUrl === undefined || !URL.canParse(tokenUrl, baseUrl === '' ? undefined : baseUrl)) return undefined;
  const url = new URL(tokenUrl, baseUrl === '' ? undefined : baseUrl);
  return url.protocol === 'https:' || url.protocol === 'http:' ? { tokenUrl: url.href } : undefined;
}
