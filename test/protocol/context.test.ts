// What belongs to one request stays with it: principal, capabilities, signal, session, trace, log level.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ExecutionContext } from '../../src/call/execution-context.ts';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { Tool } from '../../src/model/tool.ts';
import { createSession } from '../../src/protocol/session.ts';
import { LINE_CLIENTS, openStdio } from '../support/lines.ts';
import { legacy, modern, type Rpc, serveHttp } from '../support/mcp.ts';
import { useRealHttp } from '../support/real-http.ts';
import { stream } from '../support/stream.ts';
import { gate, until } from '../support/until.ts';

useRealHttp();

let gateway: Gateway;
let http: Awaited<ReturnType<typeof serveHttp>>;
/** Every call the tool got; each waits until the test lets all go. */
let calls: ExecutionContext[] = [];
let go = gate();

beforeAll(async () => {
  gateway = createGateway({
    domains: [],
    native: {
      logging: true,
      tools: [
        {
          tool: new Tool({ name: 'who', description: 'Says who calls.', inputSchema: { type: 'object' } }),
          domain: '',
          operations: [],
          run: async (call, args) => {
            calls.push(call);
            await go.opened;
            call.log?.('info', `for ${call.principal.id}`);
            call.log?.('error', 'loud');
            const { principal, client, answers, requestState } = call;
            const { trace, transport } = call.request;
            const seen = {
              args,
              principal,
              capabilities: client.capabilities,
              era: client.era,
              trace,
              transport,
              answers,
              requestState,
            };
            return { content: [{ type: 'text', text: JSON.stringify(seen) }], isError: false };
          },
        },
      ],
    },
  });
  http = await serveHttp(gateway);
});
afterAll(async () => {
  await http.close(0);
  await gateway.close();
});
beforeEach(() => {
  calls = [];
  go = gate();
});

const TRACE = (digit: number) => `00-${String(digit).repeat(32)}-${String(digit).repeat(16)}-01`;
const who = (id: string | number, args: object, meta: object = {}, capabilities: object = {}) =>
  modern(id, 'tools/call', { name: 'who', arguments: args, _meta: meta }, capabilities);
const seenBy = (answer: Rpc | undefined) =>
  JSON.parse(((answer?.result?.content ?? []) as { text: string }[])[0]?.text ?? '');

describe('concurrent requests', () => {
  test('with the same id keep principal, capabilities, trace and arguments apart', async () => {
    const ask = (index: number) =>
      gateway.handle(
        JSON.stringify(
          who(
            'same',
            { index },
            index % 2 ? { traceparent: TRACE(index) } : {},
            index % 3 ? {} : { elicitation: {}, experimental: { index: {} } },
          ),
        ),
        { principal: { id: `p${index}` }, transport: index % 2 ? 'tcp' : 'stdio' },
      );
    const asking = [1, 2, 3, 4, 5, 6].map(ask);
    await until(() => calls.length === 6);
    go.open();
    const answers = (await Promise.all(asking)).map((reply) => seenBy(JSON.parse(reply?.body ?? '') as Rpc));
    expect(answers).toEqual(
      [1, 2, 3, 4, 5, 6].map((index) => ({
        args: { index },
        principal: { id: `p${index}` },
        era: 'modern',
        capabilities: index % 3 ? {} : { elicitation: {}, experimental: { index: {} } },
        ...(index % 2 && { trace: { traceparent: TRACE(index) } }),
        transport: index % 2 ? 'tcp' : 'stdio',
      })),
    );
    // Each has a name of its own in the log.
    expect(new Set(calls.map(({ requestId }) => requestId)).size).toBe(6);
  });

  test('are aborted one by one', async () => {
    const [leaves, stays] = [new AbortController(), new AbortController()];
    const asking = [leaves, stays].flatMap(({ signal }, index) => [
      gateway.handle(JSON.stringify(who(1, { index })), { signal }),
      gateway.handle(JSON.stringify(legacy(1, 'tools/call', { name: 'who' })), { signal }),
    ]);
    await until(() => calls.length === 4);
    leaves.abort();
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, true, false, false]);
    go.open();
    await Promise.all(asking);
  });

  test('on one connection have their own signals', async () => {
    const client = openStdio(gateway.protocol);
    for (const id of [1, 2]) client.send(who(id, {}));
    await until(() => calls.length === 2);
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await until(() => calls.some(({ signal }) => signal.aborted));
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    go.open();
    await client.find(({ id }) => id === 2);
    await client.close();
  });

  test('over HTTP do not keep their headers', async () => {
    go.open();
    const secret = { authorization: 'Bearer very-secret', cookie: 'a=very-secret', 'x-forwarded-for': 'very-secret' };
    const first = await stream(http.url, who(1, {}), secret);
    const second = await stream(http.url, who(2, {}));
    expect(JSON.stringify([await first.ended, await second.ended])).not.toContain('very-secret');
    expect(JSON.stringify(calls)).not.toContain('very-secret');
  });
});

describe('the declarations of initialize', () => {
  test('hold for their own connection only, and not for modern requests on it', async () => {
    go.open();
    const [one, two] = [openStdio(gateway.protocol), await LINE_CLIENTS.tcp(gateway.protocol)];
    const capabilities = { elicitation: {}, roots: {} };
    await one.ask(legacy('i', 'initialize', { protocolVersion: '2025-06-18', capabilities }));
    const call = legacy('c', 'tools/call', { name: 'who' });
    expect(seenBy(await one.ask(call)).capabilities).toEqual(capabilities);
    expect(seenBy(await two.ask(call)).capabilities).toEqual({});
    expect(seenBy(await one.ask(who('m', {}))).capabilities).toEqual({});
    expect(seenBy((await (await stream(http.url, call)).ended).at(-1)).capabilities).toEqual({});
    await Promise.all([one.close(), two.close()]);
  });

  test('can be replaced on the same connection', async () => {
    go.open();
    const client = openStdio(gateway.protocol);
    for (const capabilities of [{ elicitation: {} }, { sampling: {} }]) {
      await client.ask(
        legacy(`i${Object.keys(capabilities)}`, 'initialize', { protocolVersion: '2025-06-18', capabilities }),
      );
      expect(
        seenBy(await client.ask(legacy(`c${Object.keys(capabilities)}`, 'tools/call', { name: 'who' }))).capabilities,
      ).toEqual(capabilities);
    }
    await client.close();
  });
});

describe('log messages', () => {
  const isLog = ({ method }: Rpc) => method === 'notifications/message';

  test('are sent to a modern client only if the request asks for them, from that level on', async () => {
    go.open();
    const client = openStdio(gateway.protocol);
    await client.ask(who(1, {}));
    expect(client.received.filter(isLog)).toEqual([]);
    await client.ask(who(2, {}, { 'io.modelcontextprotocol/logLevel': 'error' }));
    expect(client.received.filter(isLog).map(({ params }) => params)).toEqual([{ level: 'error', data: 'loud' }]);
    await client.ask(who(3, {}));
    expect(client.received.filter(isLog)).toHaveLength(1);
    await client.close();
  });

  test('are sent to a legacy client from the level its connection has set', async () => {
    go.open();
    const [quiet, other] = [openStdio(gateway.protocol), openStdio(gateway.protocol)];
    expect((await quiet.ask(legacy('l', 'logging/setLevel', { level: 'critical' }))).result).toEqual({});
    expect((await quiet.ask(legacy('x', 'logging/setLevel', { level: 'loud' }))).error?.code).toBe(-32602);
    await quiet.ask(legacy('c', 'tools/call', { name: 'who' }));
    await other.ask(legacy('c', 'tools/call', { name: 'who' }));
    expect([quiet, other].map(({ received }) => received.filter(isLog).length)).toEqual([0, 2]);
    await Promise.all([quiet.close(), other.close()]);
  });
});

test('a finished request is garbage-collected', async () => {
  go.open();
  const session = createSession();
  const context = { transport: 'stdio', session, send: () => {} } as const;
  for (const message of [
    who(1, {}),
    legacy(2, 'tools/call', { name: 'who' }),
    legacy(3, 'tools/call', { name: 'nope' }),
    modern(4, 'tools/call', { name: 'nope' }),
    modern(5, 'no/such'),
    modern(6, 'tools/list', { cursor: 'x' }),
    legacy(7, 'resources/read', { uri: 'x' }),
  ]) {
    await gateway.handle(JSON.stringify(message), context);
  }
  expect(session.underWay.size).toBe(0);
});
