// Any bytes on any transport: an answer or a clean close; never a crash, a hang, or another request's data.

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { createSession } from '../../src/protocol/session.ts';
import { connectTcp, type LineClient, listenTcp, openStdio } from '../support/lines.ts';
import { legacy, modern, post, type Rpc, serveHttp } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { openRaw, rawPost } from '../support/raw.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

let upstream: Upstream;
let gateway: Gateway;
let http: Awaited<ReturnType<typeof serveHttp>>;
let stdio: LineClient;
let tcp: Awaited<ReturnType<typeof listenTcp>>;
const failures: unknown[] = [];
const onFailure = (error: unknown) => failures.push(error);

beforeAll(async () => {
  process.on('uncaughtException', onFailure);
  process.on('unhandledRejection', onFailure);
  upstream = await startUpstream();
  gateway = createGateway({ domains: [petsDomain(upstream.url)], exposure: 'tools' });
  http = await serveHttp(gateway, { maxBodyBytes: 10_000 });
  stdio = openStdio(gateway.protocol);
  tcp = await listenTcp(gateway.protocol);
});
afterAll(async () => {
  process.off('uncaughtException', onFailure);
  process.off('unhandledRejection', onFailure);
  await stdio.close();
  await tcp.close(0);
  await http.close(0);
  await gateway.close();
  await upstream.close();
});

const call = (id: string | number, name: string, args: object) => legacy(id, 'tools/call', { name, arguments: args });
const SEEDS = [
  legacy(1, 'ping'),
  legacy('a', 'initialize', { protocolVersion: '2025-06-18', capabilities: { elicitation: {} } }),
  call(2, 'pets_list', { limit: 3, kind: 'cat' }),
  modern(3, 'tools/call', { name: 'pets_get', arguments: { id: 7 } }),
  modern(4, 'resources/read', { uri: 'pets://pets/7' }),
  modern(5, 'completion/complete', {
    ref: { type: 'ref/prompt', name: 'introduce' },
    argument: { name: 'kind', value: '' },
  }),
  [legacy(6, 'ping'), call(7, 'pets_create', { name: 'Rex' })],
].map((message) => Buffer.from(JSON.stringify(message)));

/** A message with a few bytes changed, cut off, or doubled. */
const mutated = fc
  .tuple(
    fc.constantFrom(...SEEDS),
    fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }),
    fc.nat(400),
    fc.boolean(),
  )
  .map(([seed, changes, length, twice]) => {
    const bytes = Buffer.from(seed);
    for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
    const cut = bytes.subarray(0, length < 300 ? bytes.length : length);
    return twice ? Buffer.concat([cut, cut]) : cut;
  });
const anyBytes = fc.oneof(
  { weight: 3, arbitrary: mutated },
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
);

/** Whatever comes back is a message of ours, with a result or an error in it, and in every error a code we know. */
function checkAnswer(answer: unknown): void {
  if (Array.isArray(answer)) {
    for (const one of answer) checkAnswer(one);
    return;
  }
  const message = answer as Rpc;
  expect(message.jsonrpc).toBe('2.0');
  if (message.method !== undefined) return;
  expect(Number('result' in message) + Number('error' in message)).toBe(1);
  if (message.error)
    expect([-32700, -32600, -32601, -32602, -32603, -32002, -32020, -32021, -32022]).toContain(message.error.code);
  // Nothing here may end in "internal error": that would be a bug found by chance.
  expect(message.error?.code).not.toBe(-32603);
}

describe('arbitrary bytes', () => {
  test('over stdio leave the connection as usable as before', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(anyBytes, async (bytes) => {
        const before = stdio.received.length;
        stdio.write(Buffer.concat([bytes, Buffer.from('\n')]));
        expect((await stdio.ask(legacy(`mark-${++count}`, 'ping'))).result).toEqual({});
        stdio.received.slice(before).forEach(checkAnswer);
      }),
      { numRuns: 250, seed: 7 },
    );
  });

  test('over TCP leave the connection as usable as before, or end it; the next one is served', async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, async (bytes) => {
        const client = await connectTcp(tcp.port);
        client.write(Buffer.concat([bytes, Buffer.from('\n')]));
        const pong = client.ask(legacy('mark', 'ping')).then(({ result }) => result);
        expect([{}, 'closed']).toContainEqual(await Promise.race([pong, client.closed.then(() => 'closed')]));
        client.received.forEach(checkAnswer);
        client.socket.destroy();
      }),
      { numRuns: 250, seed: 7 },
    );
    const client = await connectTcp(tcp.port);
    expect((await client.ask(legacy('after', 'ping'))).result).toEqual({});
    client.socket.destroy();
  });

  test('as a body over HTTP get one answer each', async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, fc.boolean(), async (bytes, isModern) => {
        const headers = isModern
          ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'pets_get' }
          : {};
        const { status, body } = await post(http.url, bytes as never, headers as Record<string, string>);
        expect([200, 202, 400, 404]).toContain(status);
        if (status === 202) expect(body).toBe('');
        else checkAnswer(JSON.parse(body));
      }),
      { numRuns: 150, seed: 7 },
    );
  });

  test('in place of an HTTP request close the connection', async () => {
    const request = Buffer.from(rawPost(JSON.stringify(legacy(1, 'ping'))));
    const broken = fc
      .tuple(fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 5 }), fc.nat(request.length))
      .map(([changes, length]) => {
        const bytes = Buffer.from(request);
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
        return bytes.subarray(0, length);
      });
    await fc.assert(
      fc.asyncProperty(fc.oneof(broken, anyBytes), async (bytes) => {
        const raw = await openRaw(http.port);
        raw.socket.end(bytes);
        const text = await raw.closed;
        if (text !== '') expect(text).toMatch(/^HTTP\/1\.1 [2-5]\d\d /);
      }),
      { numRuns: 100, seed: 7 },
    );
    expect((await post(http.url, JSON.stringify(legacy(1, 'ping')))).status).toBe(200);
  });
});

describe('an arbitrary message', () => {
  const key = fc.constantFrom(
    'name',
    'uri',
    'arguments',
    'cursor',
    'ref',
    'argument',
    'notifications',
    'level',
    'requestId',
    'protocolVersion',
    'capabilities',
    'inputResponses',
    'requestState',
    '__proto__',
    'constructor',
  );
  const value = fc.oneof(
    fc.constantFrom(
      'pets_list',
      'pets_delete',
      'introduce',
      'pets://about',
      'pets://pets/7',
      'info',
      '2025-11-25',
      { id: 7 },
      { toString: 1 },
      { kind: 'cat' },
    ),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const params = fc.array(fc.tuple(key, value), { maxLength: 5 }).map((entries) => {
    const made: Record<string, unknown> = Object.create(null);
    for (const [name, given] of entries) made[name] = given;
    return made;
  });
  const method = fc.constantFrom(
    ...[
      'initialize',
      'ping',
      'tools/list',
      'tools/call',
      'resources/list',
      'resources/read',
      'resources/templates/list',
      'prompts/list',
    ],
    ...[
      'prompts/get',
      'completion/complete',
      'server/discover',
      'logging/setLevel',
      'resources/subscribe',
      'notifications/cancelled',
    ],
  );
  const id = fc.oneof(fc.integer(), fc.string());

  test('is answered, in either era, on any transport, without an internal error', async () => {
    await fc.assert(
      fc.asyncProperty(id, method, params, fc.boolean(), fc.nat(2), async (requestId, name, given, isModern, where) => {
        const make = isModern ? modern : legacy;
        const text = JSON.stringify(make(requestId, name, { ...given }));
        const sent: string[] = [];
        const session = createSession();
        session.capabilities = { elicitation: {} };
        const named = [given.name, given.uri].find((one) => typeof one === 'string');
        const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': name, 'mcp-name': named };
        const contexts = [
          { transport: 'stdio', session, send: (message: string) => void sent.push(message) },
          { transport: 'http', headers: isModern ? headers : {} },
          {},
        ];
        const context = contexts[where];
        const asking = gateway.handle(text, context as never);
        // Whoever is asked here never answers: the connection ends.
        await new Promise((resolve) => setImmediate(resolve));
        session.ended.abort();
        const reply = await asking;
        expect(reply).toBeDefined();
        const answer = JSON.parse(reply?.body ?? '') as Rpc;
        checkAnswer(answer);
        expect(answer.id).toEqual(requestId);
        for (const message of sent) checkAnswer(JSON.parse(message));
        expect(session.underWay.size).toBe(0);
      }),
      { numRuns: 500, seed: 7 },
    );
  });
});

test('none of the arbitrary bytes disturbed other clients', async () => {
  // Give late failures a chance to show.
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(failures).toEqual([]);
});
