// A certified authorization server on loopback (oidc-provider): clients register themselves, people log in and agree without a
// page in between, and tokens are made for the resource that was asked for, as JWTs or opaque ones.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type Configuration } from 'oidc-provider';

export interface AuthorizationServer {
  readonly issuer: string;
  /** Method and path of everything it was asked, without queries. */
  readonly asked: string[];
  /** What a browser does with the page that asks for permission: the address it ends up at. */
  authorize(url: URL): Promise<URL>;
  /** A token for a program of its own right. */
  clientToken(resource: string, scope: string): Promise<string>;
  revoke(token: string): Promise<void>;
  close(): Promise<void>;
}

export const RESOURCE_CLIENT = { id: 'landbridge', secret: 'a secret: with + and %' };
const PROGRAM = { id: 'robot', secret: 'robot-secret' };
/** A client that is known there already. */
export const DESKTOP = 'desktop';
export const REDIRECT = 'http://127.0.0.1:9/callback';

export async function startAuthorizationServer(
  accessTokenFormat: 'jwt' | 'opaque',
  scopes: readonly string[],
): Promise<AuthorizationServer> {
  const asked: string[] = [];
  let answer: (request: IncomingMessage, response: ServerResponse) => unknown = () => {};
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url?.split('?', 1)[0]}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const provider = new Provider(issuer, {
    ...settingsFor(accessTokenFormat, scopes),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'first', alg: 'RS256', use: 'sig' }] },
  } as Configuration);
  const callback = provider.callback();
  answer = (request, response) =>
    request.url?.startsWith('/interaction/') ? agree(provider, request, response) : callback(request, response);

  const form = (path: string, fields: Record<string, string>, { id, secret }: typeof PROGRAM) =>
    fetch(`${issuer}${path}`, {
      method: 'POST',
      body: new URLSearchParams({ ...fields, client_id: id, client_secret: secret }),
    });

  return {
    issuer,
    asked,
    authorize,
    async clientToken(resource, scope) {
      const response = await form('/token', { grant_type: 'client_credentials', resource, scope }, PROGRAM);
      return ((await response.json()) as { access_token: string }).access_token;
    },
    async revoke(token) {
      await form('/token/revocation', { token }, PROGRAM);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function settingsFor(accessTokenFormat: 'jwt' | 'opaque', scopes: readonly string[]): Configuration {
  return {
    clients: [
      {
        client_id: RESOURCE_CLIENT.id,
        client_secret: RESOURCE_CLIENT.secret,
        redirect_uris: [],
        response_types: [],
        grant_types: [],
        token_endpoint_auth_method: 'client_secret_basic',
      },
      { client_id: DESKTOP, redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
      {
        client_id: PROGRAM.id,
        client_secret: PROGRAM.secret,
        redirect_uris: [],
        response_types: [],
        grant_types: ['client_credentials'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    scopes: ['openid', 'offline_access', ...scopes],
    cookies: { keys: ['only for tests'] },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    // Programs that people run on their own machines.
    clientDefaults: { token_endpoint_auth_method: 'none' },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => true },
      introspection: { enabled: true, allowedPolicy: () => true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => ({
          audience: resource,
          scope: scopes.join(' '),
          accessTokenFormat,
          accessTokenTTL: 600,
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
    ttl: { AccessToken: 600, ClientCredentials: 600, Grant: 600, Interaction: 600, Session: 600, RefreshToken: 600 },
  } as Configuration;
}

/** Alice logs in and agrees to everything that is asked. */
async function agree(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, grantId, session } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: 'alice' } });
    return;
  }
  const grant =
    (grantId && (await provider.Grant.find(grantId))) ||
    new provider.Grant({ accountId: session!.accountId, clientId: params.client_id as string });
  const { missingOIDCScope, missingResourceScopes } = prompt.details as {
    missingOIDCScope?: string[];
    missingResourceScopes?: Record<string, string[]>;
  };
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '));
  for (const [resource, missing] of Object.entries(missingResourceScopes ?? {}))
    grant.addResourceScope(resource, missing.join(' '));
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

/** Follows redirects with the cookies of one browser, up to the address of the client. */
async function authorize(start: URL): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let hop = 0; hop < 12; hop++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${url.pathname}: ${response.status} ${await response.text()}`);
    url = new URL(location, url);
    if (url.href.startsWith(REDIRECT)) return url;
  }
  throw new Error('too many redirects');
}
