// The promises of seeds/004 ("Architecture" of the REST-to-MCP adapter: Request Flow … Non-Goals), with a real upstream.
//
// Decided otherwise, so without a test:
// - "Dynamic authorization: no per-request permission checks" and "Rate limiting: not implemented": DESIGN.md wants both,
//   at the edge; the golden path sees only a principal.
// - an unknown tool is -32602, as MCP says, and a failed validation an `isError` result with the seed's data beside it.
// - lists and discover are answered from canned bytes, without a context of their own (issue 9, decisions).

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAdapter } from '../../src/adapter/adapter.ts';
import type { Executor } from '../../src/executor/executor.ts';
import { createExecutor } from '../../src/executor/executor.ts';
import {
  createGateway,
  defineTool,
  ERRORS,
  ExecutionContext,
  type Gateway,
  GatewayError,
  loadDomains,
  type Outcome,
  serveHttp,
  ToolTimeoutError,
} from '../../src/index.ts';
import { createLog } from '../../src/log.ts';
import { createConfirmations, createSpentStore } from '../../src/orchestration/confirmations.ts';
import { compileOperation } from '../../src/orchestration/operation.ts';
import { createRedaction } from '../../src/orchestration/redaction.ts';
import { createSigner } from '../../src/orchestration/signer.ts';
import { contextOf, FACTS } from '../support/context.ts';
import { legacy, post } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { ask, call, callResult } from './support.ts';

useRealHttp();

let upstream: Upstream;
let gateway: Gateway;
/** The audit trail: one line per sealed context. */
const records: Record<string, unknown>[] = [];

beforeAll(async () => {
  upstream = await startUpstream(({ method, url, body }, response) => {
    if (url === '/pets/99') return;
    response.statusCode = url === '/pets/404' ? 404 : url === '/pets/503' ? 503 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ method, url, ...(body && { body }) }));
  });
  const destination = { write: (line: string) => void records.push(JSON.parse(line)) };
  gateway = createGateway({
    domains: [petsDomain(upstream.url)],
    exposure: 'tools',
    log: createLog({ level: 'info', destination }),
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.seen.length = 0;
  records.length = 0;
});
const requests = () => upstream.seen.map(({ method, url }) => `${method} ${url}`);

describe('Request Flow', () => {
  test('POST /mcp: parse JSON-RPC request', async () => {
    const server = await serveHttp(gateway, { port: 0 });
    const url = `http://127.0.0.1:${server.port}/mcp`;
    const good = await post(url, JSON.stringify(legacy(1, 'ping')));
    const bad = await post(url, '{');
    await server.close(0);
    expect([good.status, JSON.parse(good.body)]).toEqual([200, { jsonrpc: '2.0', id: 1, result: {} }]);
    expect([bad.status, JSON.parse(bad.body).error.code]).toEqual([400, -32700]);
  });

  test('THE GOLDEN PATH: one entry point routes by method (initialize, tools/list, tools/call)', async () => {
    const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    expect((await ask(gateway, 'initialize', hello)).result).toMatchObject({ protocolVersion: '2025-06-18' });
    const { tools } = (await ask(gateway, 'tools/list')).result as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(['pets_list', 'pets_get', 'pets_create', 'pets_delete']);
    expect((await callResult(gateway, 'pets_get', { id: 1 })).content).toEqual([
      { type: 'text', text: '{"method":"GET","url":"/pets/1"}' },
    ]);
    expect((await ask(gateway, 'tools/none')).error).toMatchObject({ code: -32601 });
  });

  test('1. Create ExecutionContext from request … 3. Seal context before return', async () => {
    const sealed: ExecutionContext[] = [];
    let live: ExecutionContext | undefined;
    const done: Outcome = { content: [], isError: false };
    const adapter = createAdapter({
      tools: {
        find: () => async (context) => {
          live = context;
          return done;
        },
        missing: () => new GatewayError('UNKNOWN_TOOL', 'none'),
      },
      redaction: createRedaction((text) => text),
      audit: (record) => void sealed.push(record),
      onHandlerError: () => {},
    });
    expect(await adapter.callTool({ ...FACTS, requestId: 'r-7' }, 'pets_get', {})).toBe(done);
    expect([live?.requestId, live?.tool, live?.sealed]).toEqual(['r-7', 'pets_get', false]);
    expect(sealed.map(({ requestId, tool, sealed }) => [requestId, tool, sealed])).toEqual([['r-7', 'pets_get', true]]);
  });

  test('ORCHESTRATION 1: validate arguments (reject unknown, require path params)', async () => {
    const { structuredContent } = await callResult(gateway, 'pets_get', { idd: 1, other: 2 });
    expect(structuredContent).toMatchObject({
      failure_mode: 'validation',
      tool: 'pets_get',
      errors: [
        { path: 'idd', problem: 'unknown', suggestion: 'id' },
        { path: 'other', problem: 'unknown' },
      ],
    });
    expect((await callResult(gateway, 'pets_get', {})).structuredContent).toMatchObject({
      errors: [{ path: 'id', problem: 'missing' }],
    });
    expect(requests()).toEqual([]);
  });

  test('ORCHESTRATION 2: guard destructive operations', async () => {
    const { structuredContent } = await callResult(gateway, 'pets_delete', { id: 1 });
    expect(structuredContent).toMatchObject({ failure_mode: 'not_confirmed', tool: 'pets_delete' });
    expect(requests()).toEqual([]);
    const confirmation_token = structuredContent?.confirmation_token;
    expect(await callResult(gateway, 'pets_delete', { id: 1, confirmation_token })).toMatchObject({
      content: [{ text: '{"method":"DELETE","url":"/pets/1"}' }],
    });
    expect(requests()).toEqual(['DELETE /pets/1']);
  });

  test('ORCHESTRATION 2: guard destructive operations, native ones included', async () => {
    let runs = 0;
    const wipe = defineTool({
      name: 'wipe',
      description: 'Wipes it.',
      annotations: { destructiveHint: true },
      run: () => `wiped ${++runs}`,
    });
    const own = createGateway({ domains: [], native: { tools: [wipe] } });
    const { structuredContent } = await callResult(own, 'wipe', {});
    expect([structuredContent?.failure_mode, runs]).toEqual(['not_confirmed', 0]);
    const confirmation_token = structuredContent?.confirmation_token;
    expect(await callResult(own, 'wipe', { confirmation_token })).toMatchObject({ content: [{ text: 'wiped 1' }] });
    const readOnly = createGateway({ domains: [], native: { tools: [wipe] }, policy: { readOnly: true } });
    expect(await callResult(readOnly, 'wipe', {})).toMatchObject({ structuredContent: { failure_mode: 'denied' } });
    expect(runs).toBe(1);
  });

  test('DUMB EXECUTOR: build URL from endpoint + arguments, make HTTP request, return result (success or error)', async () => {
    expect(await callResult(gateway, 'pets_list', { kind: 'cat', limit: 5 })).toMatchObject({
      content: [{ type: 'text', text: '{"method":"GET","url":"/pets?limit=5&kind=cat"}' }],
    });
    expect(await callResult(gateway, 'pets_get', { id: 404 })).toMatchObject({
      isError: true,
      structuredContent: { failure_mode: 'upstream_error', status: 404, tool: 'pets_get' },
    });
    expect(requests()).toEqual(['GET /pets?limit=5&kind=cat', 'GET /pets/404']);
  });

  test('Response + Sealed Context: what ran, upstream and outcome are in the record', async () => {
    await callResult(gateway, 'pets_get', { id: 3 });
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({
      method: 'tools/call',
      tool: 'pets_get',
      operation: 'pets.get',
      outcome: 'ok',
      upstream: `GET ${upstream.url}/pets/3`,
      status: 200,
    });
  });
});

describe('ExecutionContext: Invariants (Enforced in Code)', () => {
  const open = () => ExecutionContext.fromRequest(FACTS);

  test('1. Created only via from_request()', () => {
    const Constructor = ExecutionContext as unknown as new (...parts: unknown[]) => ExecutionContext;
    expect(() => new Constructor(Symbol('mine'), FACTS)).toThrow(
      'Make an ExecutionContext with ExecutionContext.fromRequest().',
    );
    expect(open()).toBeInstanceOf(ExecutionContext);
  });

  test.each(['', ' \t'])('2. request_id must be non-empty: %j', (requestId) => {
    expect(() => ExecutionContext.fromRequest({ ...FACTS, requestId })).toThrow('needs a request id that is not blank');
  });

  test.each(['', ' \t'])('3. method must be non-empty: %j', (method) => {
    expect(() => ExecutionContext.fromRequest({ ...FACTS, method })).toThrow('needs a method that is not blank');
  });

  test('4. Results require tool_name', () => {
    expect(() => open().withResult({ outcome: 'ok', durationMs: 1 })).toThrow(
      'Bind a tool with withToolCall() before adding a result.',
    );
  });

  test.each<[string, (context: ExecutionContext) => unknown]>([
    ['withToolCall', (context) => context.withToolCall('x')],
    ['withAction', (context) => context.withAction('x')],
    ['withOperation', (context) => context.withOperation({ argumentsDigest: 'd' })],
    ['withDeadline', (context) => context.withDeadline(1)],
    ['withResult', (context) => context.withResult({ outcome: 'ok', durationMs: 1 })],
    ['seal', (context) => context.seal()],
    ['assignment', (context) => Object.assign(context, { tool: 'x' })],
    ['results.push', (context) => (context.results as unknown[]).push({})],
    ['results[0]', (context) => Object.assign(context.results[0]!, { outcome: 'failed' })],
    ['principal', (context) => Object.assign(context.principal, { id: 'x' })],
  ])('5. Sealed context is immutable: %s throws', (_, mutate) => {
    const sealed = open().withToolCall('t').withResult({ outcome: 'ok', durationMs: 1 }).seal();
    expect(() => mutate(sealed)).toThrow(TypeError);
  });

  test('6. Tool binding is one-time', () => {
    expect(() => open().withToolCall('a').withToolCall('b')).toThrow('This context is already bound to a.');
  });

  test('Lifecycle: from_request → with_tool_call → with_result → seal, each a copy (immutable pattern)', () => {
    const created = open();
    const bound = created.withToolCall('t');
    const finished = bound.withResult({ outcome: 'ok', durationMs: 1 });
    const sealed = finished.seal();
    expect(
      [created, bound, finished, sealed].map(({ tool, results, sealed }) => [tool, results.length, sealed]),
    ).toEqual([
      [undefined, 0, false],
      ['t', 0, false],
      ['t', 1, false],
      ['t', 1, true],
    ]);
  });

  test('One object carries all request state: an open one cannot be assigned to either', () => {
    expect(() => Object.assign(open(), { method: 'x' })).toThrow(TypeError);
  });
});

describe('Orchestration vs Tool Separation', () => {
  const sources = (folder: string) =>
    readdirSync(join('src', folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join('src', folder, name), 'utf8'));

  test('Orchestration does NOT make HTTP calls, know about specific REST APIs, or handle transport', () => {
    const text = sources('orchestration').join('\n');
    expect(text).not.toMatch(/from '(?:undici|node:https?|node:net|express)'/);
    expect(text).not.toMatch(/from '[^']*\/(?:domain|openapi|transport)\//);
    expect(text).not.toMatch(/musicbrainz|jsonplaceholder|openmeteo/i);
  });

  test('Orchestration can be tested without HTTP', async () => {
    const ran: unknown[] = [];
    const executor: Executor = {
      compile: (endpoint) => ({
        run: async (_context, args) => {
          ran.push([endpoint.id, args]);
          return { ok: true, status: 200, content: [{ type: 'text', text: 'fake' }] } as never;
        },
        preview: () => ({}) as never,
      }),
      pools: [],
      abort: () => {},
      close: async () => {},
    };
    const domain = petsDomain('http://127.0.0.1:9');
    const { run } = compileOperation(domain.endpoints.find(({ action }) => action === 'get')!, domain, {
      executor,
      confirmations: createConfirmations({
        signer: createSigner(undefined),
        spent: createSpentStore(),
        ttlSeconds: undefined,
      }),
      policy: { readOnly: false },
      redaction: createRedaction((text) => text),
      middleware: [],
    });
    expect(await run(contextOf(), { id: 7 })).toMatchObject({ content: [{ text: 'fake' }], isError: false });
    await expect(run(contextOf(), { idd: 7 })).rejects.toMatchObject({ code: 'VALIDATION' });
    expect(ran).toEqual([['pets.get', { id: 7 }]]);
  });

  test('Tool Executor does NOT validate arguments, guard against misuse or infer intent', async () => {
    const executor = createExecutor();
    const endpoint = gateway.domains[0]!.endpoints.find(({ action }) => action === 'delete')!;
    const answer = await executor.compile(endpoint).run(contextOf(), { id: 'seven', unknown: true });
    await executor.close();
    expect([answer.ok, requests()]).toEqual([true, ['DELETE /pets/seven']]);
  });

  test('Tools cannot be misused even if called directly', async () => {
    const tool = gateway.registry.tools.get('pets_delete')!;
    await expect(tool.run(contextOf({ tool: 'pets_delete' }), { id: 0 })).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(tool.run(contextOf({ tool: 'pets_delete' }), { id: 7 })).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
    });
    expect(requests()).toEqual([]);
  });

  test('Policy changes don’t require tool changes', async () => {
    const domains = [petsDomain(upstream.url)];
    const modes = [];
    for (const policy of [
      { readOnly: false, destructive: 'allow' },
      { readOnly: false, destructive: 'deny' },
      { readOnly: true },
    ]) {
      const other = createGateway({ domains, exposure: 'tools', policy: policy as never });
      const { result, error } = await call(other, 'pets_delete', { id: 1 });
      modes.push(
        (result?.structuredContent as { failure_mode?: string } | undefined)?.failure_mode ?? error?.code ?? 'ran',
      );
      await other.close();
    }
    expect(modes).toEqual(['ran', 'denied', 'denied']);
    expect(requests()).toEqual(['DELETE /pets/1']);
  });
});

describe('Domain Isolation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'landbridge-seed-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const names = async () =>
    (await loadDomains({ paths: [folder], env: {} })).flatMap(({ endpoints }) => endpoints.map(({ id }) => id));
  const domain = (name: string) => `name: ${name}
baseUrl: https://api.newdomain.test
endpoints:
  operation_name: { path: /api/path, method: GET, summary: What this operation does. }
`;

  test('To Add a New Domain: create a file. To Remove a Domain: delete it', async () => {
    writeFileSync(join(folder, 'a.yaml'), domain('first'));
    expect(await names()).toEqual(['first.operation_name']);
    writeFileSync(join(folder, 'b.yaml'), domain('newdomain'));
    expect(await names()).toEqual(['first.operation_name', 'newdomain.operation_name']);
    rmSync(join(folder, 'b.yaml'));
    expect(await names()).toEqual(['first.operation_name']);
  });

  test('RestEndpoint: name, path, method, description, base_url', async () => {
    const [loaded] = await loadDomains({ paths: [folder], env: {} });
    const { action, path, method, summary, baseUrl } = loaded!.endpoints[0]!;
    expect([action, path, method, summary, baseUrl]).toEqual([
      'operation_name',
      '/api/path',
      'GET',
      'What this operation does.',
      'https://api.newdomain.test',
    ]);
  });

  test('JSONPlaceholder and Open-Meteo are bundled domains of their own', async () => {
    const bundled = await loadDomains({ paths: ['domains/jsonplaceholder.yaml', 'domains/openmeteo.yaml'], env: {} });
    expect(bundled.map(({ name }) => name)).toEqual(['jsonplaceholder', 'openmeteo']);
  });
});

describe('Deliberate Failure Modes', () => {
  test('Timeout: the exception contains tool_name and timeout_seconds', () => {
    const error = new ToolTimeoutError('pets_get', 30);
    expect([error.toolName, error.timeoutSeconds, error.code]).toEqual(['pets_get', 30, 'TIMEOUT']);
  });

  test('Timeout: data={tool, timeout_seconds, failure_mode: "timeout"}', async () => {
    const slow = createGateway({ domains: [petsDomain(upstream.url, {}, { timeoutMs: 50 })], exposure: 'tools' });
    const { isError, structuredContent } = await callResult(slow, 'pets_get', { id: 99 });
    await slow.close();
    const { tool, timeout_seconds, failure_mode } = structuredContent ?? {};
    expect({ isError, tool, timeout_seconds, failure_mode }).toEqual({
      isError: true,
      tool: 'pets_get',
      timeout_seconds: 0.05,
      failure_mode: 'timeout',
    });
  });

  test('Validation Errors: data={tool, errors}', async () => {
    const { structuredContent } = await callResult(gateway, 'pets_get', { id: 0 });
    expect(structuredContent).toMatchObject({ tool: 'pets_get', errors: [{ path: 'id' }] });
  });

  test('Explicit failures: each failure type is visible and typed, and each tool failure has a mode of its own', () => {
    const modes = Object.values(ERRORS).flatMap((row) => ('mode' in row ? [row.mode] : []));
    expect(new Set(modes).size).toBe(modes.length);
    expect(modes).toEqual(expect.arrayContaining(['validation', 'timeout', 'unreachable', 'upstream_error', 'denied']));
  });

  test('no generic catch-all: a refused connection is "unreachable", not an upstream error', async () => {
    const dead = createGateway({ domains: [petsDomain('http://127.0.0.1:9')], exposure: 'tools' });
    const { structuredContent } = await callResult(dead, 'pets_get', { id: 1 });
    await dead.close();
    expect(structuredContent).toMatchObject({ tool: 'pets_get', failure_mode: 'unreachable' });
  });
});

describe('Intentional Constraints and Non-Goals', () => {
  test('No dynamic tool discovery, no hot-reloading: what is built is fixed', () => {
    const tools = gateway.registry.tools as Map<string, unknown>;
    expect(() => tools.set('late', {})).toThrow();
    expect([tools.size, Object.isFrozen(gateway.registry)]).toEqual([4, true]);
  });

  test('Strict validation: unknown arguments are errors, not ignored', async () => {
    expect(await callResult(gateway, 'pets_list', { extra: 1 })).toMatchObject({ isError: true });
    expect(requests()).toEqual([]);
  });

  test('Partial execution: all-or-nothing; one bad argument and nothing is sent', async () => {
    expect(await callResult(gateway, 'pets_create', { name: 'Rex', kind: 'cow' })).toMatchObject({ isError: true });
    expect(requests()).toEqual([]);
  });

  test('Streaming responses: complete responses only', async () => {
    const reply = await gateway.handle(legacy(5, 'tools/call', { name: 'pets_get', arguments: { id: 1 } }));
    expect(JSON.parse(reply!.body)).toMatchObject({ id: 5, result: { content: [{ type: 'text' }] } });
  });

  test('Retry logic: callers handle retries; a 503 is asked once', async () => {
    expect(await callResult(gateway, 'pets_get', { id: 503 })).toMatchObject({
      isError: true,
      structuredContent: { status: 503 },
    });
    expect(requests()).toEqual(['GET /pets/503']);
  });

  test('Caching: no response memoization', async () => {
    await callResult(gateway, 'pets_get', { id: 8 });
    await callResult(gateway, 'pets_get', { id: 8 });
    expect(requests()).toEqual(['GET /pets/8', 'GET /pets/8']);
  });
});
