import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type AuditTrail, openTrail } from '../../src/audit/open-trail.ts';
import { buildDigest } from '../../src/call/digest.ts';
import { collectSecrets } from '../../src/credentials/secrets.ts';
import { createRedactor } from '../../src/endpoint/redaction/redact.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway.ts';
import { type AuditRecord, readRecords, verify } from '../support/audit.ts';
import { modern, type Rpc } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { type Answer, startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

let folder: string;
let file: string;
let trail: AuditTrail;
let gateway: Gateway;
let upstream: Upstream;
/** The content of the file when a request reaches the API. */
let atArrival: string[];
let answer: Answer | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'landbridge-audited-'));
  file = join(folder, 'audit.jsonl');
  atArrival = [];
  answer = undefined;
  upstream = await startUpstream((request, response) => {
    atArrival.push(
      calls()
        .map(({ kind, request: id }) => `${kind} ${String(id)}`)
        .join(),
    );
    if (answer) answer(request, response);
    else response.setHeader('content-type', 'application/json').end('{"name":"Rex"}');
  });
});
afterEach(async () => {
  await gateway.close();
  trail.close();
  const { ok } = verify([file], trail.keyFile, true);
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
  expect(ok).toBe(true);
});

function start(more: object = {}, options: Partial<GatewayOptions> = {}, env: Record<string, string> = {}): void {
  const domains = [petsDomain(upstream.url, env, more)];
  const redact = createRedactor(collectSecrets(domains));
  trail = openTrail({ file, redact });
  gateway = createGateway({ domains, redact, audit: trail, exposure: 'tools', ...options });
}

const calls = (): AuditRecord[] => readRecords(file).filter(({ kind }) => kind === 'call' || kind === 'begin');
const last = () => calls().at(-1)!;
const CLIENT = { 'io.modelcontextprotocol/clientInfo': { name: 'Probe', version: '1.2.3' } };

async function ask(method: string, params: Record<string, unknown>, capabilities = {}): Promise<Rpc> {
  const message = modern(1, method, { ...params, _meta: CLIENT }, capabilities);
  const reply = await gateway.handle(message, {
    transport: 'http',
    principal: { id: 'key:ci' },
    remote: '192.0.2.7',
  });
  return JSON.parse(reply!.body) as Rpc;
}

const call = (name: string, args: Record<string, unknown> = {}, more: object = {}, capabilities = {}) =>
  ask('tools/call', { name, arguments: args, ...more }, capabilities);

describe('the record of a call', () => {
  test('has the caller, the client, the tool, why it was allowed, what was sent and how long it took', async () => {
    start();
    await call('pets_get', { id: 7 });
    expect(last()).toEqual({
      seq: 3,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      kind: 'call',
      request: expect.stringMatching(/^[\w-]+$/),
      method: 'tools/call',
      principal: 'key:ci',
      transport: 'http',
      remote: '192.0.2.7',
      client: { name: 'Probe', version: '1.2.3', protocol: '2026-07-28' },
      tool: 'pets_get',
      operation: 'pets.get',
      effect: 'read',
      argumentsDigest: buildDigest({ id: 7 }),
      policy: { decision: 'allow', because: 'it only reads' },
      upstream: { method: 'GET', url: `${upstream.url}/pets/7`, status: 200, bytes: 14 },
      outcome: 'ok',
      startedAt: expect.stringMatching(/Z$/),
      totalMs: expect.any(Number),
      upstreamMs: expect.any(Number),
      gatewayMs: expect.any(Number),
      prev: expect.stringMatching(/^[\w-]{43}$/),
      hash: expect.stringMatching(/^[\w-]{43}$/),
    });
    const { totalMs, upstreamMs } = last() as unknown as Record<string, number>;
    expect(upstreamMs).toBeGreaterThan(0);
    expect(upstreamMs).toBeLessThanOrEqual(totalMs!);
  });

  test('is also written for refused calls, failed calls and unknown tools', async () => {
    start({}, { policy: { readOnly: false, destructive: 'deny' } });
    answer = (_request, response) => response.writeHead(503).end('later');
    await call('pets_get', { id: 'x' });
    await call('pets_delete', { id: 7 });
    await call('pets_get', { id: 7 });
    await call('pets_nope');
    await ask('resources/read', { uri: 'nope://nope' });
    await ask('prompts/get', { name: 'nope' });
    expect(
      calls().map(({ method, tool, outcome, failureMode, policy }) => [method, tool, outcome, failureMode, policy]),
    ).toEqual([
      ['tools/call', 'pets_get', 'failed', 'validation', { decision: 'allow', because: 'it only reads' }],
      [
        'tools/call',
        'pets_delete',
        'failed',
        'denied',
        { decision: 'deny', because: 'this gateway was started with --guard deny' },
      ],
      ['tools/call', 'pets_get', 'failed', 'upstream_error', { decision: 'allow', because: 'it only reads' }],
      ['tools/call', 'pets_nope', 'error', undefined, undefined],
      ['resources/read', 'nope://nope', 'error', undefined, undefined],
      ['prompts/get', 'nope', 'error', undefined, undefined],
    ]);
    expect(upstream.seen).toHaveLength(1);
  });

  test('is written for resources and prompts, with the profile', async () => {
    start(
      { prompts: { plan: { text: 'Plan {{pet}}', arguments: { pet: {} } } } },
      { profiles: { vets: { domains: ['pets'] } } },
    );
    await ask('prompts/get', { name: 'plan', arguments: { pet: 'Rex' } });
    const { result } = await ask('resources/templates/list', {});
    const [template] = result!.resourceTemplates as { uriTemplate: string }[];
    await ask('resources/read', { uri: template!.uriTemplate.replace('{id}', '7') });
    expect(calls().map(({ method, operation, outcome }) => [method, operation, outcome])).toEqual([
      ['prompts/get', undefined, 'ok'],
      ['resources/read', 'pets.get', 'ok'],
    ]);
    await gateway.serviceOf('vets')!.handle(modern(1, 'tools/call', { name: 'pets_list' }));
    expect(last()).toMatchObject({ profile: 'vets', principal: 'local', transport: 'local' });
  });

  test('names the action inside a grouped tool', async () => {
    start({}, { exposure: 'grouped' });
    await call('pets_read', { action: 'get', id: 7 });
    expect(last()).toMatchObject({ tool: 'pets_read', action: 'get', operation: 'pets.get' });
  });

  test('says that nothing was sent in a dry run', async () => {
    start();
    await call('pets_create', { name: 'Rex', dry_run: true });
    expect(calls()).toMatchObject([{ kind: 'call', effect: 'write', dryRun: true, outcome: 'ok' }]);
    expect(last()).not.toHaveProperty('upstream');
    expect(upstream.seen).toEqual([]);
  });
});

describe('a call that may change something', () => {
  test('is in the file before it is sent, and again before it is answered', async () => {
    start();
    await call('pets_list');
    await call('pets_create', { name: 'Rex' });
    const [read, begin, write] = calls();
    expect([read, begin, write].map((record) => record?.kind)).toEqual(['call', 'begin', 'call']);
    expect(begin).toMatchObject({
      operation: 'pets.create',
      effect: 'write',
      principal: 'key:ci',
      request: write?.request,
    });
    expect(atArrival).toEqual(['', `call ${String(read?.request)},begin ${String(begin?.request)}`]);
  });

  test('has no begin record if it was refused before it was sent', async () => {
    start();
    await call('pets_delete', { id: 7 });
    await call('pets_create', {});
    expect(calls().map(({ kind }) => kind)).toEqual(['call', 'call']);
  });
});

describe('a confirmation', () => {
  test('by token has one id in the refusal that issued it and in the call that used it, and that id is not the token', async () => {
    start();
    const refusal = await call('pets_delete', { id: 7 });
    const { confirmation_token: token } = refusal.result!.structuredContent as { confirmation_token: string };
    await call('pets_delete', { id: 7, confirmation_token: token });
    await call('pets_delete', { id: 7, confirmation_token: token });
    await call('pets_delete', { id: 7, confirmation_token: 'made-up' });
    const id = (calls()[0]!.confirmation as { issued: string }).issued;
    expect(id).toMatch(/^[\w-]{16}$/);
    expect(calls().map(({ kind, outcome, confirmation }) => [kind, outcome, confirmation])).toEqual([
      ['call', 'failed', { issued: id, by: 'token' }],
      ['begin', undefined, { used: id, by: 'token', answer: 'good' }],
      ['call', 'ok', { used: id, by: 'token', answer: 'good' }],
      ['call', 'failed', { used: id, by: 'token', answer: 'used' }],
      ['call', 'failed', { by: 'token', answer: 'tampered' }],
    ]);
    expect(readFileSync(file, 'utf8')).not.toContain(token);
    expect(calls()[0]).toMatchObject({ policy: { decision: 'confirm', because: 'it destroys data' } });
  });

  test('by an answer has one id in the question and in the call that it permitted', async () => {
    start();
    const form = { elicitation: { form: {} } };
    const question = await call('pets_delete', { id: 7 }, {}, form);
    const { requestState } = question.result as { requestState: string };
    const yes = { inputResponses: { confirm: { action: 'accept', content: { confirm: true } } }, requestState };
    await call('pets_delete', { id: 7 }, yes, form);
    const id = (calls()[0]!.confirmation as { issued: string }).issued;
    expect(calls().map(({ kind, outcome, confirmation }) => [kind, outcome, confirmation])).toEqual([
      ['call', 'input_required', { issued: id, by: 'answer' }],
      ['begin', undefined, { used: id, by: 'answer', answer: 'accept' }],
      ['call', 'ok', { used: id, by: 'answer', answer: 'accept' }],
    ]);
    expect(upstream.seen).toHaveLength(1);
  });
});

describe('the audit trail does not contain', () => {
  const SECRET = 'open-sesame-42';
  const login = {
    endpoints: {
      login: {
        method: 'POST',
        path: '/login/{realm}',
        summary: 'Signs in.',
        effect: 'write',
        args: z.object({ realm: z.string(), user: z.string(), card: z.looseObject({}).optional() }),
        place: { user: 'body', card: 'body' },
      },
    },
  };

  test('arguments, unless the domain says otherwise', async () => {
    start(login);
    await call('pets_login', { realm: 'north', user: 'ada-lovelace' });
    expect(readFileSync(file, 'utf8')).not.toContain('ada-lovelace');
    expect(last()).not.toHaveProperty('arguments');
  });

  test('arguments that the domain redacts, that are named like secrets, or that contain secrets', async () => {
    start(
      {
        ...login,
        audit: { arguments: true, redact: ['card.number', '$.user'] },
        credentials: { key: { kind: 'bearer', env: 'KEY' } },
      },
      {},
      { KEY: SECRET },
    );
    const card = { number: '4111', holder: `of ${SECRET}`, list: [{ password: 'hunter2', ok: 1 }] };
    await call('pets_login', { realm: 'north', user: 'ada-lovelace', card });
    expect(last()).toMatchObject({
      arguments: {
        realm: 'north',
        user: '[redacted]',
        card: { number: '[redacted]', holder: 'of [redacted]', list: [{ password: '[redacted]', ok: 1 }] },
      },
    });
    const text = readFileSync(file, 'utf8');
    for (const hidden of ['4111', 'hunter2', 'ada-lovelace', SECRET]) expect(text).not.toContain(hidden);
  });

  test('more of the arguments than fits in a line', async () => {
    start({ ...login, audit: { arguments: true } });
    const card = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`field${index}`, 'x'.repeat(100)]));
    await call('pets_login', { realm: 'north', user: 'a'.repeat(300_000), card });
    const { arguments: kept } = last() as { arguments?: { user: string; card: object } };
    expect(kept?.user).toMatch(/^a{1000}\[cut\]$/);
    expect(Object.keys(kept!.card).length).toBeLessThan(100);
    expect(readFileSync(file, 'utf8').length).toBeLessThan(20_000);
  });

  test('values in the path that the domain redacts, or that are named like secrets', async () => {
    start({ ...login, audit: { redact: ['realm'] } });
    await call('pets_login', { realm: 'north-pole', user: 'ada' });
    expect(last()).toMatchObject({ upstream: { url: `${upstream.url}/login/{realm}` } });
    expect(readFileSync(file, 'utf8')).not.toContain('north-pole');
  });
});
