import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { KnownCredential } from '../../src/credentials/kind-table.ts';
import { createRedactor, type Redactor } from '../../src/endpoint/redaction/redact.ts';
import { createExecutor } from '../../src/executor/executor.ts';
import { endpoint, type Overrides, run, startRaw, startUpstream, textOf, type Upstream } from '../executor/support.ts';
import { contextOf } from '../support/context.ts';

let upstream: Upstream;
let issuer: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
  issuer = await startUpstream();
});
beforeEach(() => {
  upstream.seen.length = 0;
  issuer.seen.length = 0;
  upstream.answer = (_, response) => response.setHeader('content-type', 'application/json').end('{}');
  issuer.answer = (_, response) =>
    response.end(JSON.stringify({ access_token: `token-${issuer.seen.length}-x`, expires_in: 3600 }));
});

const secret = (variable: string, value?: string) => ({ variable, value });
const key = (where: 'header' | 'query' | 'cookie', value?: string, prefix?: string): KnownCredential => ({
  kind: 'apiKey',
  name: 'key',
  in: where,
  field: 'X-Key',
  secret: secret('MY_KEY', value),
  ...(prefix !== undefined && { prefix }),
});
const bearer = (value?: string): KnownCredential => ({
  kind: 'bearer',
  name: 'token',
  secret: secret('MY_TOKEN', value),
});
const basic = (user?: string, password?: string): KnownCredential => ({
  kind: 'basic',
  name: 'login',
  username: secret('MY_USER', user),
  password: secret('MY_PASSWORD', password),
});
const guarded = (...security: KnownCredential[][]) => endpoint(upstream.origin, { security });

describe('static credentials', () => {
  test('apiKey is sent in a header, the query or a cookie', async () => {
    await run(guarded([key('header', 'abc 123', 'Token ')]));
    expect(upstream.last().headers['x-key']).toBe('Token abc 123');
    await run(guarded([key('query', 'a&b')]));
    expect(upstream.last().url).toBe('/things?X-Key=a%26b');
    await run(guarded([key('cookie', 'a;b')]));
    expect(upstream.last().headers.cookie).toBe('X-Key=a%3Bb');
  });

  test('bearer and basic are sent as Authorization', async () => {
    await run(guarded([bearer('tok')]));
    expect(upstream.last().headers.authorization).toBe('Bearer tok');
    await run(guarded([basic('ann', 'pä:ss')]));
    expect(upstream.last().headers.authorization).toBe(`Basic ${Buffer.from('ann:pä:ss').toString('base64')}`);
    await run(guarded([basic('sk_live', '')]));
    expect(upstream.last().headers.authorization).toBe(`Basic ${Buffer.from('sk_live:').toString('base64')}`);
  });

  test('all credentials of the first complete alternative are sent', async () => {
    await run(guarded([bearer(), key('header', 'k')], [key('header', 'k'), key('query', 'q')], [bearer('t')]));
    expect(upstream.last()).toMatchObject({ url: '/things?X-Key=q', headers: { 'x-key': 'k' } });
    expect(upstream.last().headers).not.toHaveProperty('authorization');
  });

  test('a credential is preferred to an anonymous call, which is made only if the document allows it', async () => {
    await run(guarded([], [bearer('t')]));
    expect(upstream.last().headers.authorization).toBe('Bearer t');
    await run(guarded([], [bearer()]));
    expect(upstream.last().headers).not.toHaveProperty('authorization');
    await run(guarded());
    expect(upstream.last().headers).not.toHaveProperty('authorization');
  });

  test('a missing credential: nothing is sent, and the message names the variables', async () => {
    await expect(run(guarded([bearer(), basic('u')], [key('header', '')]))).rejects.toMatchObject({
      code: 'MISSING_CREDENTIAL',
      message: `get_thing needs a credential that is not configured; nothing was sent. Set MY_TOKEN and MY_PASSWORD, or MY_KEY in the environment of the gateway (it goes to ${upstream.origin}) and restart it. Changing the arguments does not help.`,
      details: { tool: 'get_thing', variables: ['MY_TOKEN', 'MY_PASSWORD', 'MY_KEY'] },
    });
    expect(upstream.seen).toHaveLength(0);
  });

  test('a secret no header can carry is reported without showing it', async () => {
    const failure = await run(guarded([bearer('abc123\n')])).catch((error: Error) => error);
    expect(failure).toMatchObject({ code: 'MISSING_CREDENTIAL' });
    expect(String(failure)).not.toContain('abc123');
    expect(upstream.seen).toHaveLength(0);
  });

  test('secrets that the API repeats are redacted', async () => {
    upstream.answer = (request, response) =>
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ url: request.url, headers: request.headers }));
    const answer = await run(guarded([key('query', 'k&y-12345'), bearer('tok-98765')]));
    expect(textOf(answer)).not.toMatch(/12345|98765/);
    expect(textOf(answer)).toContain('[redacted]');
    const wrapped = await run(guarded([basic('ann', 'secret-pass')]));
    expect(textOf(wrapped)).toContain('"authorization":"Basic [redacted]"');
    upstream.answer = (request, response) =>
      response
        .writeHead(401, { 'content-type': 'application/problem+json' })
        .end(JSON.stringify({ title: 'no', detail: request.headers.authorization }));
    expect(await run(guarded([bearer('tok-98765')]))).toMatchObject({ problem: { detail: 'Bearer [redacted]' } });
  });
});

describe('OAuth2 client credentials', () => {
  const oauth = (more: Partial<Extract<KnownCredential, { kind: 'oauth2' }>> = {}): KnownCredential => ({
    kind: 'oauth2',
    name: 'oauth',
    tokenUrl: `${issuer.origin}/token`,
    clientId: secret('MY_ID', 'my id'),
    clientSecret: secret('MY_SECRET', 's3cr&t-value'),
    scopes: ['read', 'write'],
    ...more,
  });

  function watchSecrets(onSecret: (value: string) => void): Redactor {
    const redact = createRedactor([]);
    return Object.assign((text: string) => redact(text), {
      addSecret: onSecret,
      keepSecret: onSecret,
      secrets: () => [],
    });
  }

  function fresh(overrides: Overrides = {}, onSecret?: (value: string) => void) {
    const executor = createExecutor({ redact: onSecret ? watchSecrets(onSecret) : createRedactor([]) });
    const target = executor.compile(endpoint(upstream.origin, { security: [[oauth()]], ...overrides }));
    return (signal = new AbortController().signal) => target.run(contextOf({ tool: 'get_thing', signal }), {});
  }

  test('fetches one token for many calls and sends it', async () => {
    issuer.answer = (_, response) =>
      setTimeout(() => response.end('{"access_token":"the-token","expires_in":"3600"}'), 30);
    const secrets: string[] = [];
    const call = fresh({}, (value) => secrets.push(value));
    await Promise.all(Array.from({ length: 20 }, () => call()));
    await call();
    expect(issuer.seen).toHaveLength(1);
    expect(issuer.last()).toMatchObject({
      method: 'POST',
      url: '/token',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: `Basic ${Buffer.from('my%20id:s3cr%26t-value').toString('base64')}`,
      },
    });
    expect(issuer.last().body.toString()).toBe('grant_type=client_credentials&scope=read%20write');
    expect(upstream.seen).toHaveLength(21);
    expect(upstream.seen.every((request) => request.headers.authorization === 'Bearer the-token')).toBe(true);
    expect(new Set(secrets)).toEqual(new Set(['s3cr&t-value', 'the-token']));
  });

  test('sends the client in the body if the server reads it only there, and remembers that', async () => {
    issuer.answer = (request, response) =>
      request.body.includes('client_secret=s3cr%26t-value')
        ? response.end('{"access_token":"from-body","expires_in":1}')
        : response.writeHead(401).end('{"error":"invalid_client"}');
    const call = fresh();
    await call();
    expect(upstream.last().headers.authorization).toBe('Bearer from-body');
    expect(issuer.seen).toHaveLength(2);
    expect(issuer.last().headers).not.toHaveProperty('authorization');
    await sleep(1_000);
    await call();
    expect(issuer.seen).toHaveLength(3);
  });

  test('refreshes an expired token', async () => {
    issuer.answer = (_, response) =>
      response.end(JSON.stringify({ access_token: `short-${issuer.seen.length}`, expires_in: 1 }));
    const call = fresh();
    await call();
    await call();
    expect(upstream.seen.map((request) => request.headers.authorization)).toEqual(['Bearer short-1', 'Bearer short-2']);
  });

  test('a 401 gets one new token for a read, and none for a write', async () => {
    upstream.answer = (request, response) =>
      response.writeHead(request.headers.authorization === 'Bearer token-2-x' ? 200 : 401).end();
    const call = fresh();
    expect(await call()).toMatchObject({ status: 200 });
    expect(issuer.seen).toHaveLength(2);
    expect(upstream.seen).toHaveLength(2);

    upstream.seen.length = 0;
    issuer.seen.length = 0;
    upstream.answer = (_, response) => response.writeHead(401).end();
    expect(await fresh()()).toMatchObject({ status: 401, ok: false });
    expect(upstream.seen).toHaveLength(2);

    upstream.seen.length = 0;
    issuer.seen.length = 0;
    const write = fresh({ method: 'POST', effect: 'write', idempotent: false });
    expect(await write()).toMatchObject({ status: 401 });
    expect(upstream.seen).toHaveLength(1);
    await write();
    expect(issuer.seen).toHaveLength(2);
  });

  test('refused credentials name their variables, not their values', async () => {
    issuer.answer = (_, response) => response.writeHead(400).end('{"error":"invalid_client"}');
    const failure = await fresh()().catch((error: Error) => error);
    expect(failure).toMatchObject({
      code: 'MISSING_CREDENTIAL',
      message: expect.stringMatching(
        /refused the client credentials \(400 invalid_client\).*Check MY_ID and MY_SECRET/,
      ),
    });
    expect(JSON.stringify(failure) + String(failure)).not.toContain('s3cr');
    expect(upstream.seen).toHaveLength(0);
  });

  test.each([
    [
      'an error of the server',
      (response: { writeHead(status: number): { end(): void } }) => response.writeHead(503).end(),
      'UNREACHABLE',
    ],
    ['no token in the answer', (response: { end(text: string): void }) => response.end('{"ok":true}'), 'BAD_RESPONSE'],
    ['no JSON', (response: { end(text: string): void }) => response.end('<html>'), 'BAD_RESPONSE'],
    [
      'a redirect',
      (response: { writeHead(status: number, headers: object): { end(): void } }) =>
        response.writeHead(302, { location: upstream.origin }).end(),
      'REDIRECT_BLOCKED',
    ],
  ])('%s at the token endpoint', async (_, answer, code) => {
    issuer.answer = (__, response) => answer(response as never);
    await expect(fresh()()).rejects.toMatchObject({ code });
    expect(upstream.seen).toHaveLength(0);
  });

  test('an unreachable token endpoint is named, and not the API', async () => {
    await expect(fresh({ security: [[oauth({ tokenUrl: 'http://127.0.0.1:1/t' })]] })()).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringMatching(/no access token could be fetched from http:\/\/127\.0\.0\.1:1: nothing listens/),
    });
  });

  test('the secret never goes over plain HTTP to another machine', async () => {
    for (const tokenUrl of ['http://auth.example.test/token', 'http://169.254.169.254/x', 'ftp://x', 'nonsense']) {
      await expect(fresh({ security: [[oauth({ tokenUrl })]] })()).rejects.toMatchObject({
        code: 'MISSING_CREDENTIAL',
        message: expect.stringContaining('must be an https URL'),
      });
    }
  });

  test('waiting for a token ends for each call with its own deadline or caller', async () => {
    const silent = await startRaw(() => {});
    const security = [[oauth({ tokenUrl: `${silent.origin}/token` })]];
    const call = fresh({ security, limits: { timeoutMs: 150, maxResponseBytes: 1000 } });
    const leave = new AbortController();
    const left = call(leave.signal).catch((error: unknown) => error);
    const late = call().catch((error: unknown) => error);
    leave.abort();
    expect(await left).toMatchObject({ code: 'CANCELLED' });
    expect(await late).toMatchObject({ code: 'TIMEOUT', timeoutSeconds: 0.15 });
  });

  test('bad arguments are refused before a token is fetched', async () => {
    await expect(fresh({ path: '/x/{id}' })()).rejects.toMatchObject({ code: 'VALIDATION' });
    expect(issuer.seen).toHaveLength(0);
  });
});
