// The complete OAuth flow of the official clients: a 401 leads them to our metadata, the metadata to the authorization server. There they
// register, are authorized and get a token for the endpoint, and then they call it. Only the person is scripted.

import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AuthorizationServer,
  DESKTOP,
  REDIRECT,
  startAuthorizationServer,
} from '../../support/authorization-server.ts';
import { type ProtectedGateway, startProtected } from '../../support/protected-gateway.ts';
import { useRealHttp } from '../../support/real-http.ts';

useRealHttp();

const SCOPES = { read: ['pets.read'], write: ['pets.write'], destructive: ['pets.admin'] };
const INFO = { name: 'test', version: '1' };

let server: AuthorizationServer;
let gateway: ProtectedGateway;
let eager: ProtectedGateway;

beforeAll(async () => {
  server = await startAuthorizationServer('jwt', ['pets.read', 'pets.write', 'pets.admin', 'staff.use']);
  const profiles = { staff: {} };
  gateway = await startProtected([{ issuer: server.issuer, scopes: SCOPES, profiles: { staff: ['staff.use'] } }], {
    profiles,
  });
  eager = await startProtected([{ issuer: server.issuer, scopes: SCOPES, stepUp: true }], {
    policy: { readOnly: false, destructive: 'allow' },
  });
});
afterAll(async () => {
  await gateway.close();
  await eager.close();
  await server.close();
});

/** What a client stores about its logins, and where it sends the person. */
class Memory implements OAuthClientProvider {
  redirected: URL | undefined;
  #client: unknown;
  #tokens: never | undefined;
  #verifier = '';
  #discovery: unknown;
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = {
    client_name: 'test',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  /** Without a name the client registers itself. */
  constructor(clientId?: string) {
    this.#client = clientId && { client_id: clientId };
  }

  clientInformation = () => this.#client as never;
  saveClientInformation = (client: unknown) => {
    this.#client = client;
  };
  tokens = () => this.#tokens;
  saveTokens = (tokens: unknown) => {
    this.#tokens = tokens as never;
  };
  redirectToAuthorization = (url: URL) => {
    this.redirected = url;
  };
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
  discoveryState = () => this.#discovery as never;
  saveDiscoveryState = (discovery: unknown) => {
    this.#discovery = discovery;
  };
  get accessToken(): string {
    return (this.#tokens as { access_token: string } | undefined)?.access_token ?? '';
  }
}

const VERSIONS = {
  'version 2': {
    http: (url: string, authProvider: Memory) => new HttpV2(new URL(url), { authProvider }),
    client: () => new ClientV2(INFO),
  },
  'version 1': {
    http: (url: string, authProvider: Memory) => new HttpV1(new URL(url), { authProvider: authProvider as never }),
    client: () => new ClientV1(INFO),
  },
};

/** Connects, sends the person to the authorization server when told to, and connects again. */
async function logIn(version: keyof typeof VERSIONS, url: string, memory: Memory): Promise<ClientV2> {
  const { http, client } = VERSIONS[version];
  const transport = http(url, memory);
  await expect((client() as ClientV2).connect(transport as never)).rejects.toThrow(/unauthorized/i);
  await finish(transport, memory);
  const second = client() as ClientV2;
  await second.connect(http(url, memory) as never);
  return second;
}

async function finish(transport: { finishAuth: unknown }, memory: Memory): Promise<void> {
  const back = await server.authorize(memory.redirected!);
  const code = back.searchParams.get('code')!;
  const iss = back.searchParams.get('iss') ?? undefined;
  await (transport.finishAuth as (code: string, iss?: string) => Promise<void>).call(transport, code, iss);
}

describe.each(Object.keys(VERSIONS) as (keyof typeof VERSIONS)[])('the official client, %s', (version) => {
  test('finds the authorization server, registers, is authorized and calls', async () => {
    const memory = new Memory();
    const client = await logIn(version, gateway.url, memory);
    gateway.upstream.seen.length = 0;
    const result = await client.callTool({ name: 'pets_list', arguments: {} });
    expect(result.isError).toBeFalsy();
    expect(gateway.upstream.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /pets']);
    expect(decodeJwt(memory.accessToken)).toMatchObject({
      iss: server.issuer,
      aud: gateway.url,
      sub: 'alice',
      scope: 'pets.read pets.write pets.admin',
    });
    expect(server.asked).toContain('POST /reg');
    await client.close();
  });

  test('never has its token sent to the API', async () => {
    const memory = new Memory();
    const client = await logIn(version, gateway.url, memory);
    gateway.upstream.seen.length = 0;
    await client.callTool({ name: 'pets_get', arguments: { id: 7 } });
    expect(gateway.upstream.seen).toHaveLength(1);
    expect(JSON.stringify(gateway.upstream.seen)).not.toContain(memory.accessToken);
    await client.close();
  });

  test('gets a token with the scope that a profile needs', async () => {
    const memory = new Memory();
    const client = await logIn(version, gateway.urlOf('staff'), memory);
    await client.callTool({ name: 'pets_list', arguments: {} });
    const { aud, scope } = decodeJwt<{ scope: string }>(memory.accessToken);
    expect(aud).toBe(gateway.urlOf('staff'));
    expect(scope.split(' ').sort()).toEqual(['pets.admin', 'pets.read', 'pets.write', 'staff.use']);
    const [elsewhere] = await gateway.call(memory.accessToken);
    expect(elsewhere.status).toBe(401);
    await client.close();
  });

  test('gets a token with more scopes when a call needs them', async () => {
    // This server limits a client that registers itself to the scopes of its registration.
    const memory = new Memory(DESKTOP);
    await (await logIn(version, eager.url, memory)).close();
    expect(decodeJwt(memory.accessToken).scope).toBe('pets.read');
    const { http, client: create } = VERSIONS[version];
    const transport = http(eager.url, memory);
    const client = create() as ClientV2;
    await client.connect(transport as never);
    eager.upstream.seen.length = 0;
    const call = () => client.callTool({ name: 'pets_create', arguments: { name: 'Rex' } });
    await expect(call()).rejects.toThrow();
    expect(memory.redirected!.searchParams.get('scope')!.split(' ').sort()).toEqual(['pets.read', 'pets.write']);
    expect(eager.upstream.seen).toEqual([]);
    await finish(transport, memory);
    expect((await call()).isError).toBeFalsy();
    expect(eager.upstream.seen.map(({ method }) => method)).toEqual(['POST']);
    await client.close();
  });
});
