// What happens while a request is under way: cancellation, disconnects, progress, tracing, subscriptions. The upstream is
// real, so "aborted" means that it saw its socket close.

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ExecutionContext } from '../../src/call/execution-context.ts';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { Tool } from '../../src/model/tool.ts';
import { LINE_CLIENTS, type LineClient, openStdio } from '../support/lines.ts';
import { legacy, modern, post, type Rpc, serveHttp } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { sending, stream } from '../support/stream.ts';
import { gate, until } from '../support/until.ts';
import { type Seen, startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

interface Asked {
  readonly seen: Seen;
  readonly response: ServerResponse;
  /** The gateway hung up before it had an answer. */
  readonly abandoned: Promise<void>;
}

let upstream: Upstream;
let gateway: Gateway;
let http: Awaited<ReturnType<typeof serveHttp>>;
/** Requests the upstream has got and not answered yet. */
let asked: Asked[] = [];
let native: (call: ExecutionContext) => Promise<void> = async () => {};
const warnings: Error[] = [];
const onWarning = (warning: Error) => warnings.push(warning);

beforeAll(async () => {
  process.on('warning', onWarning);
  upstream = await startUpstream((seen, response) => {
    const abandoned = new Promise<void>((resolve) =>
      response.once('close', () => {
        if (!response.writableFinished) resolve();
      }),
    );
    asked.push({ seen, response, abandoned });
  });
  gateway = createGateway({
    domains: [petsDomain(upstream.url)],
    exposure: 'tools',
    native: {
      tools: [
        {
          tool: new Tool({ name: 'native', description: 'Runs what a test wants.', inputSchema: { type: 'object' } }),
          domain: '',
          operations: [],
          run: async (call) => {
            await native(call);
            return { content: [], isError: false };
          },
        },
      ],
    },
  });
  http = await serveHttp(gateway);
});
afterAll(async () => {
  process.off('warning', onWarning);
  await http.close(0);
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  asked = [];
  native = async () => {};
});

const arrived = async (count = 1) => {
  await until(() => asked.length >= count);
  return asked[count - 1]!;
};
const cancelled = (requestId: string | number): Rpc => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId, reason: 'the person changed their mind' },
});
const list = (id: string | number, _meta: Record<string, unknown> = {}) => ({
  modern: modern(id, 'tools/call', { name: 'pets_list', arguments: {}, _meta }),
  legacy: legacy(id, 'tools/call', { name: 'pets_list', arguments: {}, _meta }),
});
const initialize = (capabilities: object) =>
  legacy('init', 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities,
    clientInfo: { name: 't', version: '1' },
  });

describe.each(Object.entries(LINE_CLIENTS))('over %s', (_, open) => {
  let client: LineClient;
  beforeAll(async () => {
    client = await open(gateway.protocol);
  });
  afterAll(() => client.close());

  test.each(['modern', 'legacy'] as const)(
    'a cancelled %s call is aborted upstream and never answered',
    async (era) => {
      const id = `cancel-${era}`;
      client.send(list(id)[era]);
      const { abandoned } = await arrived();
      client.send(cancelled(id));
      await abandoned;
      await client.ask(legacy(`ping-${era}`, 'ping'));
      expect(client.received.filter((message) => message.id === id)).toEqual([]);
    },
  );

  test('cancelling one of two calls leaves the other alone', async () => {
    client.send(list('stays').modern);
    const stays = await arrived(1);
    client.send(list('goes').modern);
    const goes = await arrived(2);
    client.send(cancelled('goes'));
    await goes.abandoned;
    stays.response.end('[]');
    expect(await client.find(({ id }) => id === 'stays')).toMatchObject({ result: { content: [{ text: '[]' }] } });
  });

  test('the string "1" does not cancel the number 1', async () => {
    client.send(list(1).modern);
    const { response } = await arrived();
    client.send(cancelled('1'));
    await client.ask(legacy('ping-1', 'ping'));
    response.end('[]');
    expect(await client.find(({ id }) => id === 1)).toMatchObject({ result: { content: [{ text: '[]' }] } });
  });

  test('progress of a call is sent inline, increases, and stops with the answer', async () => {
    const go = gate();
    let late: ExecutionContext['progress'];
    native = async (call) => {
      call.progress?.(1, 10, 'first');
      call.progress?.(1, 10, 'not more than before');
      call.progress?.(0.5);
      call.progress?.(2);
      late = call.progress;
      await go.opened;
    };
    client.send(modern('progress', 'tools/call', { name: 'native', _meta: { progressToken: 'p' } }));
    await until(() => late !== undefined);
    go.open();
    await client.find(({ id }) => id === 'progress');
    late?.(99);
    await client.ask(legacy(`ping-progress`, 'ping'));
    const came = client.received.filter(({ method, id }) => method === 'notifications/progress' || id === 'progress');
    expect(came.map(({ params, result }) => params ?? Boolean(result))).toEqual([
      { progressToken: 'p', progress: 1, total: 10, message: 'first' },
      { progressToken: 'p', progress: 2 },
      true,
    ]);
  });

  test('a cancelled call sends no progress either', async () => {
    const aborted = gate();
    native = async (call) => {
      await new Promise<void>((resolve) => call.signal.addEventListener('abort', () => resolve()));
      call.progress?.(1);
      aborted.open();
    };
    client.send(legacy('quiet', 'tools/call', { name: 'native', _meta: { progressToken: 'quiet' } }));
    await client.ask(legacy('ping-quiet-1', 'ping'));
    client.send(cancelled('quiet'));
    await aborted.opened;
    await client.ask(legacy('ping-quiet-2', 'ping'));
    expect(client.received.filter(({ id, params }) => id === 'quiet' || params?.progressToken === 'quiet')).toEqual([]);
  });

  test('a call without a progress token sends no progress', async () => {
    const seen: unknown[] = [];
    native = async (call) => void seen.push(call.progress);
    await client.ask(modern('no-token', 'tools/call', { name: 'native' }));
    await client.ask(legacy('bad-token', 'tools/call', { name: 'native', _meta: { progressToken: {} } }));
    expect(seen).toEqual([undefined, undefined]);
  });

  test('a subscription is acknowledged, kept open, and ended without an answer by a cancellation', async () => {
    const id = 'listen';
    client.send(
      modern(id, 'subscriptions/listen', { notifications: { toolsListChanged: true, resourceSubscriptions: [] } }),
    );
    const first = await client.find(({ method }) => method === 'notifications/subscriptions/acknowledged');
    expect(first).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      // Nothing changes before a restart: nothing is honoured.
      params: { notifications: {}, _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
    });
    await client.ask(legacy('ping-listen-1', 'ping'));
    client.send(cancelled(id));
    await client.ask(legacy('ping-listen-2', 'ping'));
    expect(client.received.filter((message) => message.id === id)).toEqual([]);
  });
});

describe('a client that disconnects', () => {
  test('cancels its calls over TCP', async () => {
    const client = await LINE_CLIENTS.tcp(gateway.protocol);
    client.send(list(1).modern);
    client.send(list(2).legacy);
    const both = [await arrived(1), await arrived(2)];
    await client.close();
    await Promise.all(both.map(({ abandoned }) => abandoned));
  });

  test('cancels its call over modern HTTP, before and after the answer has begun', async () => {
    const early = sending(http.url, list(1).modern);
    early.begun.catch(() => {});
    const first = await arrived(1);
    early.request.destroy();
    await first.abandoned;

    native = (call) => {
      call.progress?.(1);
      return new Promise((resolve) => call.signal.addEventListener('abort', () => resolve()));
    };
    const late = await stream(http.url, modern(2, 'tools/call', { name: 'native', _meta: { progressToken: 1 } }));
    await late.find(({ method }) => method === 'notifications/progress');
    late.leave();
    await late.ended.catch(() => {});
  });

  test('does not cancel a legacy call over HTTP, where a disconnect is no cancellation', async () => {
    const { request, begun } = sending(http.url, list(1).legacy);
    begun.catch(() => {});
    const { response } = await arrived();
    request.destroy();
    // The gateway notices, and goes on: the upstream's answer is still read to its end.
    await post(http.url, JSON.stringify(legacy(2, 'ping')));
    await new Promise<void>((resolve) => response.end('[]', resolve));
    expect(response.writableFinished).toBe(true);
  });
});

describe('closing the gateway', () => {
  test('cancels legacy calls whose client has disconnected, with and without a session', async () => {
    const own = createGateway({ domains: [petsDomain(upstream.url)], exposure: 'tools' });
    const server = await serveHttp(own);
    const { headers } = await post(server.url, JSON.stringify(initialize({ elicitation: {} })));
    const sessions = [{}, { 'mcp-session-id': String(headers['mcp-session-id']) }];
    for (const session of sessions) {
      const { request, begun } = sending(server.url, list(1).legacy, session as Record<string, string>);
      begun.catch(() => {});
      await arrived(asked.length + 1);
      request.destroy();
    }
    await server.close(0);
    await own.close();
    await Promise.all(asked.map(({ abandoned }) => abandoned));
  });
});

describe('legacy HTTP with a session', () => {
  const open = async (capabilities: object = { elicitation: {} }) => {
    const { headers } = await post(http.url, JSON.stringify(initialize(capabilities)));
    return { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' };
  };

  test.each([{ elicitation: {} }, {}])(
    'a cancellation on another POST aborts the call of a client that declared %j, and ends its stream',
    async (capabilities) => {
      const session = await open(capabilities);
      const answer = stream(http.url, list(7).legacy, session);
      const { abandoned } = await arrived();
      expect((await post(http.url, JSON.stringify(cancelled(7)), session)).status).toBe(202);
      await abandoned;
      const { status, headers, ended } = await answer;
      expect([status, headers['content-type'], await ended]).toEqual([200, 'text/event-stream', []]);
    },
  );

  test('a client that accepts only JSON is told that its call was cancelled', async () => {
    const session = { ...(await open()), accept: 'application/json' };
    const answer = post(http.url, JSON.stringify(list(7).legacy), session);
    const { abandoned } = await arrived();
    await post(http.url, JSON.stringify(cancelled(7)), session);
    await abandoned;
    const { status, body } = await answer;
    expect([status, JSON.parse(body)]).toMatchObject([
      200,
      { id: 7, result: { isError: true, structuredContent: { failure_mode: 'cancelled' } } },
    ]);
  });

  test('a cancellation from another session, or from none, cancels nothing', async () => {
    const [mine, others] = [await open(), await open()];
    const answer = stream(http.url, list(7).legacy, mine);
    const { response } = await arrived();
    const forged = { ...mine, 'mcp-session-id': `${mine['mcp-session-id']}x` };
    for (const headers of [others, {}, forged]) await post(http.url, JSON.stringify(cancelled(7)), headers);
    response.end('[]');
    expect(await (await answer).ended).toMatchObject([{ id: 7, result: { content: [{ text: '[]' }] } }]);
  });
});

describe('progress over HTTP', () => {
  test('is sent on the answer’s event stream, before the answer', async () => {
    native = async (call) => {
      for (const step of [1, 2, 3]) call.progress?.(step, 3);
    };
    for (const message of [
      modern('m', 'tools/call', { name: 'native', _meta: { progressToken: 7 } }),
      legacy('l', 'tools/call', { name: 'native', _meta: { progressToken: 7 } }),
    ]) {
      const answer = await stream(http.url, message);
      expect(answer.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
      const came = await answer.ended;
      expect(came.map(({ id, params }) => id ?? params)).toEqual([
        { progressToken: 7, progress: 1, total: 3 },
        { progressToken: 7, progress: 2, total: 3 },
        { progressToken: 7, progress: 3, total: 3 },
        message.id,
      ]);
    }
  });

  test('is not sent if the client accepts only JSON, and the answer is plain JSON', async () => {
    native = async (call) => call.progress?.(1);
    const message = modern(1, 'tools/call', { name: 'native', _meta: { progressToken: 7 } });
    const answer = await stream(http.url, message, { accept: 'application/json' });
    expect(answer.headers['content-type']).toBe('application/json');
    expect(await answer.ended).toMatchObject([{ id: 1, result: {} }]);
  });

  test('of a slow REST call says that the gateway is waiting, in every era', async () => {
    const answers = [
      stream(http.url, list(1, { progressToken: 'm' }).modern),
      stream(http.url, list(2, { progressToken: 'l' }).legacy),
    ];
    const stdio = openStdio(gateway.protocol);
    stdio.send(list(3, { progressToken: 's' }).modern);
    await until(() => asked.length === 3);
    const streams = await Promise.all(answers);
    for (const one of streams) await one.find(({ method }) => method === 'notifications/progress');
    await stdio.find(({ method }) => method === 'notifications/progress');
    for (const { response } of asked) response.end('[]');
    for (const one of streams) {
      const came = await one.ended;
      const values = came.flatMap(({ params }) => (params ? [params.progress as number] : []));
      expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
      expect(came.at(-1)).toMatchObject({ result: { content: [{ text: '[]' }] } });
    }
    await stdio.find(({ id }) => id === 3);
    await stdio.close();
  });
});

describe('trace context', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const forwarded = async (meta: Record<string, unknown>, era: 'modern' | 'legacy' = 'modern') => {
    const count = asked.length + 1;
    const answer = stream(http.url, list(1, meta)[era]);
    const { seen, response } = await arrived(count);
    response.end('[]');
    await (await answer).ended;
    return Object.fromEntries(
      ['traceparent', 'tracestate', 'baggage'].flatMap((name) =>
        seen.headers[name] === undefined ? [] : [[name, seen.headers[name]]],
      ),
    );
  };

  test('is forwarded as headers of the same names, in both eras', async () => {
    const trace = { traceparent, tracestate: 'vendor=a:b,t@sys=1', baggage: 'user=7;meta=1,k=%20' };
    expect(await forwarded(trace)).toEqual(trace);
    expect(await forwarded(trace, 'legacy')).toEqual(trace);
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['nothing', {}, {}],
    ['a traceparent of zeros', { traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` }, {}],
    ['a traceparent in capitals', { traceparent: traceparent.toUpperCase() }, {}],
    ['version ff', { traceparent: `ff${traceparent.slice(2)}` }, {}],
    ['a number', { traceparent: 7, baggage: {} }, {}],
    ['a header smuggled in', { traceparent: `${traceparent}\r\nx-evil: 1`, baggage: 'a=1\r\nx-evil: 1' }, {}],
    ['tracestate alone', { tracestate: 'a=1' }, {}],
    ['a bad tracestate', { traceparent, tracestate: 'NOT valid' }, { traceparent }],
    [
      '33 members',
      { traceparent, tracestate: Array.from({ length: 33 }, (_, i) => `k${i}=1`).join(',') },
      { traceparent },
    ],
    ['bad baggage', { traceparent, baggage: 'no equals sign' }, { traceparent }],
    ['baggage alone', { baggage: 'a=1' }, { baggage: 'a=1' }],
    ['endless baggage', { baggage: `a=${'x'.repeat(9000)}` }, {}],
  ])('of %s is forwarded only as far as it is valid', async (_, meta, want) => {
    expect(await forwarded(meta)).toEqual(want);
  });
});

describe('subscriptions/listen', () => {
  const listen = (id: string | number) =>
    modern(id, 'subscriptions/listen', { notifications: { toolsListChanged: true } });
  const isAcknowledged = ({ method }: Rpc) => method === 'notifications/subscriptions/acknowledged';

  test.each([undefined, null, [], 'all'])('is refused when it listens for %j', async (notifications) => {
    const answer = await stream(http.url, modern(1, 'subscriptions/listen', { notifications }));
    expect([answer.status, await answer.ended]).toEqual([
      200,
      [
        {
          jsonrpc: '2.0',
          id: 1,
          error: {
            code: -32602,
            message: 'Invalid params: "notifications" must be an object that says what to listen for.',
          },
        },
      ],
    ]);
  });

  test('is refused if there is no stream to send on', async () => {
    const answer = await stream(http.url, listen(1), { accept: 'application/json' });
    expect([answer.status, (await answer.ended)[0]?.error?.code]).toEqual([400, -32600]);
  });

  test('does not exist in the legacy era', async () => {
    const answer = await stream(http.url, legacy(1, 'subscriptions/listen', { notifications: {} }));
    expect((await answer.ended)[0]?.error?.code).toBe(-32601);
  });

  test('ends with its result when the server closes, over every transport, and leaves nothing open', async () => {
    const own = createGateway({ domains: [petsDomain(upstream.url)] });
    const server = await serveHttp(own);
    const lines = [openStdio(own.protocol), await LINE_CLIENTS.tcp(own.protocol)];
    const answer = await stream(server.url, listen('h'));
    await answer.find(isAcknowledged);
    for (const client of lines) {
      client.send(listen(client.name));
      await client.find(isAcknowledged);
    }
    own.protocol.close();
    const result = (id: string) => ({
      jsonrpc: '2.0',
      id,
      result: {
        resultType: 'complete',
        _meta: {
          'io.modelcontextprotocol/serverInfo': expect.any(Object),
          'io.modelcontextprotocol/subscriptionId': id,
        },
      },
    });
    expect((await answer.ended).slice(1)).toEqual([result('h')]);
    for (const client of lines) expect(await client.find(({ id }) => id === client.name)).toEqual(result(client.name));
    // One that comes too late is told at once.
    const late = await stream(server.url, listen('late'));
    expect((await late.ended).map(({ id, method }) => id ?? method)).toEqual([
      'notifications/subscriptions/acknowledged',
      'late',
    ]);
    await Promise.all([server.close(10_000), ...lines.map((client) => client.close(10_000))]);
    await own.close();
  });

  test('does not count towards the in-flight limit', async () => {
    const server = await serveHttp(gateway, { maxInFlight: 1 });
    const streams = [];
    for (let id = 0; id < 3; id++) {
      const one = await stream(server.url, listen(id));
      await one.find(isAcknowledged);
      streams.push(one);
    }
    expect((await post(server.url, JSON.stringify(legacy(1, 'ping')))).status).toBe(200);
    for (const one of streams) one.leave();
    await server.close(0);
  });
});

test('Node warned of no leaking listeners', () => {
  expect(warnings).toEqual([]);
});
