// Whole trees of spans, as a real collector gets them: over every transport, in both eras, for successes and failures.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ToolEntry } from '../../src/catalog/tool-entry.ts';
import { GatewayError } from '../../src/errors.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway.ts';
import { Tool } from '../../src/model/tool.ts';
import { type ExportOptions, openTraceExport, type TraceExport } from '../../src/tracing/otlp-export.ts';
import { openTcp } from '../support/lines.ts';
import { headersOf, LINKS, legacy, modern, post, type Rpc, serveHttp } from '../support/mcp.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver, toTrees } from '../support/otlp-receiver.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { type Answer, startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

let receiver: OtlpReceiver;
let upstream: Upstream;
let answer: Answer;
let traces: TraceExport;
let gateway: Gateway;

const PLAN = {
  version: '0',
  protocol: 'http/protobuf',
  headers: {},
  serviceName: 'landbridge',
  resource: {},
  sampleRatio: 1,
  callers: 'own',
  tls: {},
  queue: {},
  onChange: () => {},
  onWarning: () => {},
} as const;

beforeEach(async () => {
  receiver = await startOtlpReceiver();
  answer = ({ url }, response) => response.setHeader('content-type', 'application/json').end(JSON.stringify({ url }));
  upstream = await startUpstream((request, response) => answer(request, response));
});
afterEach(async () => {
  await gateway.close();
  await traces.close();
  await upstream.close();
  await receiver.close();
});

function open(more: Partial<GatewayOptions> = {}, plan: Partial<ExportOptions> = {}): Gateway {
  traces = openTraceExport({ ...PLAN, endpoint: `${receiver.url}/v1/traces`, ...plan });
  gateway = createGateway({
    domains: [petsDomain(upstream.url)],
    exposure: 'tools',
    tracerProvider: traces.provider,
    ...more,
  });
  return gateway;
}

/** All spans that were recorded so far, in the order of their ends. */
async function collect(): Promise<readonly ReceivedSpan[]> {
  await traces.provider.forceFlush();
  return receiver.spans;
}

const getPet = { name: 'pets_get', arguments: { id: 7 } };
const CLIENT = { name: 'GET /pets/{id}', kind: 'client' };
const CALL = { name: 'tools/call pets_get', kind: 'server', steps: [{ name: 'validate' }, CLIENT] };

describe.each(['http/protobuf', 'http/json'] as const)('a call, exported as %s', (protocol) => {
  test.each([
    ['http', 'modern'],
    ['http', 'legacy'],
    ['tcp', 'modern'],
    ['tcp', 'legacy'],
    ['stdio', 'modern'],
    ['stdio', 'legacy'],
  ] as const)('over %s in the %s era is a tree of spans', async (transport, era) => {
    const link = await LINKS[transport](open({}, { protocol }));
    const message = era === 'modern' ? modern(5, 'tools/call', getPet) : legacy(5, 'tools/call', getPet);
    await link.send(JSON.stringify(message));
    await link.close();
    const spans = (await collect()).filter(({ name }) => name !== 'ping');
    expect(toTrees(spans)).toEqual([CALL]);
    const [server, validate, client] = ['tools/call pets_get', 'validate', 'GET /pets/{id}'].map(
      (name) => spans.find((span) => span.name === name)!,
    );
    expect(server!.attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': era === 'modern' ? '2026-07-28' : transport === 'http' ? '2025-03-26' : '2025-11-25',
      'jsonrpc.request.id': '5',
      'gen_ai.tool.name': 'pets_get',
      'gen_ai.operation.name': 'execute_tool',
      'network.transport': transport === 'stdio' ? 'pipe' : 'tcp',
      ...(transport !== 'stdio' && { 'client.address': '127.0.0.1' }),
      ...(transport === 'http' && {
        'network.protocol.name': 'http',
        'http.request.method': 'POST',
        'http.route': '/mcp',
        'http.response.status_code': 200,
      }),
      'landbridge.operation': 'pets.get',
      'landbridge.effect': 'read',
    });
    expect(validate!.attributes).toEqual({});
    expect(client!.attributes).toEqual({
      'http.request.method': 'GET',
      'url.template': '/pets/{id}',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(upstream.url).port),
      'http.response.status_code': 200,
    });
    expect(server!.scope).toBe('landbridge');
    expect(upstream.seen.at(-1)!.headers.traceparent).toBe(`00-${client!.traceId}-${client!.spanId}-01`);
  });
});

describe('the span of a failure', () => {
  const call = (params: Record<string, unknown>) => gateway.handle(modern(1, 'tools/call', params));

  test('has the kind of the failure, and no span contains the value of an argument', async () => {
    open();
    await call({ name: 'pets_get', arguments: { id: 'hidden-value' } });
    const spans = await collect();
    expect(toTrees(spans)).toEqual([
      {
        name: 'tools/call pets_get',
        kind: 'server',
        error: 'tool_error',
        steps: [{ name: 'validate', error: 'validation' }],
      },
    ]);
    expect(spans.find(({ kind }) => kind === 'server')!.attributes).toMatchObject({
      'landbridge.failure_mode': 'validation',
      'landbridge.outcome': 'failed',
    });
    expect(JSON.stringify(spans)).not.toContain('hidden-value');
  });

  test('does not have the name of an unknown tool', async () => {
    open();
    await call({ name: 'made_up_name', arguments: {} });
    await gateway.handle(modern(2, 'made/up'));
    const spans = await collect();
    expect(toTrees(spans)).toEqual([
      { name: 'tools/call', kind: 'server' },
      { name: '_OTHER', kind: 'server' },
    ]);
    expect(spans.map(({ attributes }) => attributes['rpc.response.status_code'])).toEqual(['-32602', '-32601']);
    expect(JSON.stringify(spans)).not.toMatch(/made_up|made\/up/);
  });

  const refuser = (name: string, error: Error): ToolEntry => ({
    tool: new Tool({ name, description: 'Fails.', inputSchema: { type: 'object' } }),
    domain: '',
    operations: [],
    run: () => Promise.reject(error),
  });
  const tools = [
    refuser('picky', new GatewayError('MISSING_CLIENT_CAPABILITY', 'This tool needs sampling.')),
    refuser('broken', new TypeError('a bug')),
    refuser('undelivered', new GatewayError('ANSWER_UNDELIVERED', 'Nobody is there.')),
  ];
  const listing = modern(1, 'tools/list');
  const picky = modern(1, 'tools/call', { name: 'picky' });
  const future = modern(1, 'tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2027-01-01' } });
  const broken = modern(1, 'tools/call', { name: 'broken' });
  const undelivered = modern(1, 'tools/call', { name: 'undelivered' });

  test.each([
    ['headers that contradict the body', listing, { ...headersOf(listing), 'mcp-method': 'ping' }, '-32020', undefined],
    ['a capability that was not declared', picky, headersOf(picky), '-32021', undefined],
    ['a new revision', future, { ...headersOf(future), 'mcp-protocol-version': '2027-01-01' }, '-32022', undefined],
    ['a session that is gone', legacy(1, 'tools/list'), { 'mcp-session-id': 'gone' }, '-32001', undefined],
    ['a missing resource', legacy(1, 'resources/read', { uri: 'pets://nowhere' }), {}, '-32002', undefined],
    ['a bug', broken, headersOf(broken), '-32603', '-32603'],
    ['an answer that reaches nobody', undelivered, headersOf(undelivered), '-32603', '-32603'],
  ])('is distinguished from an error of the client: %s', async (_, message, headers, code, failure) => {
    await open({ native: { tools } }).handle(message, { transport: 'http', principal: { id: 'ann' }, headers });
    const spans = await collect();
    expect(spans.map(({ attributes }) => attributes['rpc.response.status_code'])).toEqual([code]);
    expect(toTrees(spans).map(({ error }) => error)).toEqual([failure]);
  });

  test.each([
    ['404', (_, response) => response.writeHead(404).end('{}'), '404', 'upstream_error'],
    ['503', (_, response) => response.writeHead(503).end(), '503', 'upstream_error'],
    ['429', (_, response) => response.writeHead(429).end(), '429', 'rate_limited'],
    ['a broken connection', (_, response) => response.destroy(), 'unreachable', 'unreachable'],
    [
      'another origin',
      (_, response) => response.writeHead(302, { location: 'https://example.com/' }).end(),
      undefined,
      'redirect_blocked',
    ],
  ] as [string, Answer, string | undefined, string][])('an API that answers with %s', async (_, reply, type, mode) => {
    answer = reply;
    open();
    await call(getPet);
    const spans = await collect();
    expect(toTrees(spans)).toEqual([
      {
        name: 'tools/call pets_get',
        kind: 'server',
        error: 'tool_error',
        steps: [{ name: 'validate' }, { ...CLIENT, ...(type && { error: type }) }],
      },
    ]);
    expect(spans.find(({ kind }) => kind === 'server')!.attributes['landbridge.failure_mode']).toBe(mode);
  });

  test('says that an API did not answer in time', async () => {
    answer = () => {};
    open({ domains: [petsDomain(upstream.url, {}, { timeoutMs: 50 })] });
    await call(getPet);
    expect(toTrees(await collect())).toMatchObject([
      { error: 'tool_error', steps: [{ name: 'validate' }, { ...CLIENT, error: 'timeout' }] },
    ]);
  });

  test('of a call beyond the limits of its caller has no request to the API', async () => {
    open({ limits: { perPrincipal: { rate: '1/min', queue: 0 } } });
    await call(getPet);
    await call(getPet);
    await call(getPet);
    const spans = await collect();
    expect(toTrees(spans).slice(1)).toEqual([
      { name: 'tools/call pets_get', kind: 'server', error: 'tool_error' },
      { name: 'tools/call pets_get', kind: 'server', error: 'tool_error' },
    ]);
    expect(spans.at(-1)!.attributes['landbridge.failure_mode']).toBe('rate_limited');
  });
});

describe('requests that a call causes', () => {
  test('have a separate span and context for a redirect', async () => {
    answer = ({ url }, response) => {
      if (url === '/pets/7') response.writeHead(302, { location: '/pets/8' }).end();
      else response.setHeader('content-type', 'application/json').end('{}');
    };
    open();
    await gateway.handle(modern(1, 'tools/call', getPet));
    const spans = await collect();
    expect(toTrees(spans)).toEqual([{ ...CALL, steps: [{ name: 'validate' }, CLIENT, CLIENT] }]);
    const clients = spans.filter(({ kind }) => kind === 'client');
    expect(clients.map(({ attributes }) => attributes['http.request.resend_count'])).toEqual([undefined, 1]);
    expect(upstream.seen.map(({ headers }) => headers.traceparent)).toEqual(
      clients.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
    );
  });

  test('fetch a token in the trace of the call that needed it, and renew it in that of another', async () => {
    let tokens = 0;
    answer = ({ url, headers }, response) => {
      response.setHeader('content-type', 'application/json');
      if (url === '/token')
        response.end(JSON.stringify({ access_token: `secret-token-${++tokens}`, expires_in: 3600 }));
      else if (headers.authorization === 'Bearer secret-token-1' && url === '/pets/9')
        response.writeHead(401).end('{}');
      else response.end('{}');
    };
    const credentials = {
      machine: { kind: 'oauth2', tokenUrl: `${upstream.url}/token`, clientIdEnv: 'ID', clientSecretEnv: 'SECRET' },
    };
    const env = { ID: 'gateway', SECRET: 'client-secret' };
    open({ domains: [petsDomain(upstream.url, env, { credentials, security: [['machine']] })] });
    await gateway.handle(modern(1, 'tools/call', getPet));
    await gateway.handle(modern(2, 'tools/call', getPet));
    await gateway.handle(modern(3, 'tools/call', { name: 'pets_get', arguments: { id: 9 } }));
    const spans = await collect();
    const token = { name: 'token', steps: [{ name: 'POST', kind: 'client' }] };
    expect(toTrees(spans)).toEqual([
      { ...CALL, steps: [{ name: 'validate' }, token, CLIENT] },
      CALL,
      { ...CALL, steps: [{ name: 'validate' }, { ...CLIENT, error: '401' }, token, CLIENT] },
    ]);
    expect(JSON.stringify(spans)).not.toMatch(/secret/);
    const posted = spans.find(({ name }) => name === 'POST')!;
    expect(upstream.seen[0]!.headers.traceparent).toBe(`00-${posted.traceId}-${posted.spanId}-01`);
  });
});

describe('the span of the guard', () => {
  const remove = { name: 'pets_delete', arguments: { id: 7 } };
  const DELETE = { name: 'DELETE /pets/{id}', kind: 'client' };

  test('shows how long a person took to answer', async () => {
    const client = await openTcp(open().protocol);
    await client.ask(legacy(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } }));
    client.send(legacy(2, 'tools/call', remove));
    const question = await client.find(({ method }) => method === 'elicitation/create');
    client.send({ jsonrpc: '2.0', id: question.id!, result: { action: 'accept', content: { confirm: true } } } as Rpc);
    await client.find(({ id, result }) => id === 2 && result !== undefined);
    await client.close();
    const spans = await collect();
    expect(toTrees(spans)).toEqual([
      { name: 'initialize', kind: 'server' },
      {
        name: 'tools/call pets_delete',
        kind: 'server',
        steps: [
          { name: 'validate' },
          { name: 'guard', steps: [{ name: 'elicitation/create', kind: 'client' }] },
          DELETE,
        ],
      },
    ]);
    expect(spans.find(({ name }) => name === 'guard')!.attributes).toEqual({
      'landbridge.guard.policy': 'confirm',
      'landbridge.guard.by': 'answer',
      'landbridge.guard.answer': 'accept',
    });
  });

  test('is in both requests of the modern era: the question, and the answer', async () => {
    open();
    const capabilities = { elicitation: { form: {} } };
    const asked = await gateway.handle(modern(1, 'tools/call', remove, capabilities));
    const { requestState } = (JSON.parse(asked!.body) as Rpc).result as { requestState: string };
    const inputResponses = { confirm: { action: 'accept', content: { confirm: true } } };
    await gateway.handle(modern(2, 'tools/call', { ...remove, inputResponses, requestState }, capabilities));
    const spans = await collect();
    expect(toTrees(spans)).toEqual([
      { name: 'tools/call pets_delete', kind: 'server', steps: [{ name: 'validate' }, { name: 'guard' }] },
      { name: 'tools/call pets_delete', kind: 'server', steps: [{ name: 'validate' }, { name: 'guard' }, DELETE] },
    ]);
    const servers = spans.filter(({ kind }) => kind === 'server');
    expect(servers.map(({ attributes }) => attributes['landbridge.outcome'])).toEqual(['input_required', undefined]);
    expect(JSON.stringify(spans)).not.toContain(requestState);
  });

  test('says that it refused, with a token to confirm or without', async () => {
    open();
    await gateway.handle(modern(1, 'tools/call', remove));
    await gateway.close();
    gateway = createGateway({
      domains: [petsDomain(upstream.url)],
      exposure: 'tools',
      policy: { readOnly: false, destructive: 'deny' },
      tracerProvider: traces.provider,
    });
    await gateway.handle(modern(1, 'tools/call', remove));
    const refused = (why: string) => ({
      name: 'tools/call pets_delete',
      kind: 'server',
      error: 'tool_error',
      steps: [{ name: 'validate' }, { name: 'guard', error: why }],
    });
    const spans = await collect();
    expect(toTrees(spans)).toEqual([refused('not_confirmed'), refused('denied')]);
    expect(JSON.stringify(spans)).not.toMatch(/eyJ|[A-Za-z0-9_-]{60}/);
  });
});

describe('the trace of the caller', () => {
  const meta = { traceparent: PARENT, tracestate: 'vendor=1', baggage: 'tenant=blue' };

  test('is continued here and passed on to the API, if it is in the message', async () => {
    open();
    await gateway.handle(modern(1, 'tools/call', { ...getPet, _meta: meta }));
    const spans = await collect();
    const server = spans.find(({ kind }) => kind === 'server')!;
    const client = spans.find(({ kind }) => kind === 'client')!;
    expect([server.traceId, server.parentSpanId, server.traceState]).toEqual([TRACE, '00f067aa0ba902b7', 'vendor=1']);
    const { traceparent, tracestate, baggage } = upstream.seen[0]!.headers;
    expect({ traceparent, tracestate, baggage }).toEqual({
      traceparent: `00-${TRACE}-${client.spanId}-01`,
      tracestate: 'vendor=1',
      baggage: 'tenant=blue',
    });
  });

  test('is continued from the HTTP headers; the context of the message takes precedence, and the other becomes a link', async () => {
    const server = await serveHttp(open());
    const other = '0af7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${other}-b7ad6b7169203331-01`, baggage: 'tenant=red' };
    const bare = modern(1, 'tools/call', getPet);
    const carrying = modern(2, 'tools/call', { ...getPet, _meta: meta });
    await post(server.url, JSON.stringify(bare), { ...headersOf(bare), ...headers });
    await post(server.url, JSON.stringify(carrying), { ...headersOf(carrying), ...headers });
    await server.close(0);
    const servers = (await collect()).filter(({ kind }) => kind === 'server');
    expect(servers.map(({ traceId, parentSpanId, links }) => ({ traceId, parentSpanId, links }))).toEqual([
      { traceId: other, parentSpanId: 'b7ad6b7169203331', links: [] },
      {
        traceId: TRACE,
        parentSpanId: '00f067aa0ba902b7',
        links: [{ traceId: other, spanId: 'b7ad6b7169203331' }],
      },
    ]);
    expect(upstream.seen.map(({ headers }) => headers.baggage)).toEqual(['tenant=red', 'tenant=blue']);
  });

  test('is ignored if it is malformed', async () => {
    open();
    await gateway.handle(modern(1, 'tools/call', { ...getPet, _meta: { traceparent: '00-0-0-1', baggage: 'a b' } }));
    const [first] = await collect();
    expect([first!.parentSpanId === '', upstream.seen[0]!.headers.baggage]).toEqual([false, undefined]);
    expect((await collect()).find(({ kind }) => kind === 'server')!.parentSpanId).toBe('');
  });

  test.each([
    ['own', 0, '01', 0],
    ['own', 1, '00', 1],
    ['follow', 0, '01', 1],
    ['follow', 1, '00', 0],
    // The lowest possible id: it is within the share of any ratio.
    ['id', 0.5, '00', 1],
  ] as const)(
    'with callers %s and a ratio of %d: a flag of %s makes %d recorded',
    async (callers, sampleRatio, flag, recorded) => {
      open({}, { callers, sampleRatio });
      const id = callers === 'id' ? `${'0'.repeat(31)}1` : TRACE;
      const traceparent = `00-${id}-00f067aa0ba902b7-${flag}`;
      await gateway.handle(modern(1, 'tools/call', { ...getPet, _meta: { traceparent } }));
      expect((await collect()).filter(({ kind }) => kind === 'server')).toHaveLength(recorded);
      // The API gets the context either way, with a flag that says whether it is recorded here.
      expect(upstream.seen[0]!.headers.traceparent).toMatch(new RegExp(`^00-${id}-[0-9a-f]{16}-0${recorded}$`));
    },
  );

  test('cannot choose an id that is always recorded', async () => {
    open({}, { sampleRatio: 0.5 });
    const traceparent = `00-${'0'.repeat(31)}1-00f067aa0ba902b7-01`;
    const calls = Array.from({ length: 200 }, (_, id) =>
      gateway.handle(modern(id, 'tools/call', { ...getPet, _meta: { traceparent } })),
    );
    await Promise.all(calls);
    const { length } = (await collect()).filter(({ kind }) => kind === 'server');
    // Some are recorded, but not all. With 50 calls, this would fail by chance once in 10^15 runs.
    expect(length > 0 && length < 200).toBe(true);
  });
});

test('each request of a batch has a span, notifications have none', async () => {
  const link = await LINKS.http(open());
  const batch = [
    legacy(1, 'tools/call', getPet),
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    legacy(2, 'tools/call', { name: 'pets_list', arguments: {} }),
    legacy(3, 'tools/list'),
  ];
  await link.send(JSON.stringify(batch));
  await link.close();
  const names = toTrees(await collect()).map(({ name }) => name);
  expect(names.sort()).toEqual(['tools/call pets_get', 'tools/call pets_list', 'tools/list']);
});

test('resources and prompts have spans, without the URI that was read', async () => {
  open();
  await gateway.handle(modern(1, 'resources/read', { uri: 'pets://about' }));
  await gateway.handle(modern(2, 'prompts/get', { name: 'introduce', arguments: { kind: 'cat' } }));
  const spans = await collect();
  expect(toTrees(spans)).toEqual([
    { name: 'resources/read', kind: 'server' },
    { name: 'prompts/get introduce', kind: 'server' },
  ]);
});

test('without tracing, the API gets the context of the message, and nothing of the headers', async () => {
  open({ tracerProvider: undefined });
  const server = await serveHttp(gateway);
  const meta = { traceparent: PARENT, tracestate: 'vendor=1', baggage: 'tenant=blue' };
  const bare = modern(1, 'tools/call', getPet);
  const carrying = modern(2, 'tools/call', { ...getPet, _meta: meta });
  await post(server.url, JSON.stringify(bare), { ...headersOf(bare), traceparent: PARENT });
  await post(server.url, JSON.stringify(carrying), headersOf(carrying));
  await server.close(0);
  const carried = upstream.seen.map(({ headers: { traceparent, tracestate, baggage } }) => ({
    traceparent,
    tracestate,
    baggage,
  }));
  expect(carried).toEqual([{}, meta]);
  expect(await collect()).toEqual([]);
});
