// What clients leave behind that hang up, fall silent or ask much at once: nothing, and no way past a limit.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  createGateway,
  defineTool,
  type ExecutionContext,
  type Gateway,
  type ServeOptions,
  serveHttp,
  type ToolEntry,
} from '../../src/index.ts';
import { createBodyReader } from '../../src/transport/body-reader.ts';
import { connectTcp, LINE_LIMITS, listenTcp, openStdio, openTcp } from '../support/lines.ts';
import { legacy, post, type Rpc } from '../support/mcp.ts';
import { openRaw, rawPost } from '../support/raw.ts';
import { useRealHttp } from '../support/real-http.ts';
import { sending } from '../support/stream.ts';
import { gate, until } from '../support/until.ts';

useRealHttp();

const warnings: Error[] = [];
const warn = (warning: Error) => void warnings.push(warning);
beforeAll(() => void process.on('warning', warn));
afterAll(() => void process.off('warning', warn));
afterEach(() => void vi.restoreAllMocks());

const tool = (name: string, run: (context: ExecutionContext) => unknown): ToolEntry =>
  defineTool({ name, description: `Runs ${name}.`, annotations: { readOnlyHint: true }, run });
const gatewayOf = (...tools: ToolEntry[]): Gateway => createGateway({ domains: [], native: { tools } });
const calling = (id: string | number, name: string, params: object = {}) =>
  legacy(id, 'tools/call', { name, ...params });
const ping = JSON.stringify(legacy(1, 'ping'));

async function withHttp(gateway: Gateway, options: ServeOptions, run: (url: string, port: number) => Promise<void>) {
  const server = await serveHttp(gateway, { port: 0, ...options });
  try {
    await run(`http://127.0.0.1:${server.port}/mcp`, server.port);
  } finally {
    await server.close(0);
    await gateway.close();
  }
}

/** Timers that repeat and that nobody has ended. */
function watchIntervals() {
  const started = vi.spyOn(globalThis, 'setInterval');
  const ended = vi.spyOn(globalThis, 'clearInterval');
  return () => {
    const over = new Set(ended.mock.calls.map(([timer]) => timer));
    return started.mock.results.filter(({ value }) => !over.has(value)).length;
  };
}

describe('a legacy client over HTTP that hangs up', () => {
  test.each([
    ['before anything was said to it', false],
    ['in the middle of a stream', true],
  ])('%s leaves no keep-alive behind when its call speaks on', async (_, isStreaming) => {
    const [begun, left, finished] = [gate(), gate(), gate()];
    const gateway = gatewayOf(
      tool('slow', async ({ progress }) => {
        if (isStreaming) progress?.(1);
        begun.open();
        await left.opened;
        progress?.(2);
        progress?.(3);
        finished.open();
        return 'done';
      }),
    );
    const socketClosed = gate();
    const identify: ServeOptions['identify'] = ({ socket }) => {
      socket.once('close', () => socketClosed.open());
      return { principal: { id: 'ann' } };
    };
    await withHttp(gateway, { identify }, async (url) => {
      // From here on: the server has one of its own.
      const intervals = watchIntervals();
      const { request, begun: answer } = sending(url, calling(1, 'slow', { _meta: { progressToken: 'p' } }));
      answer.catch(() => {});
      await begun.opened;
      if (isStreaming) await (await answer).find(({ method }) => method === 'notifications/progress');
      request.destroy();
      await socketClosed.opened;
      left.open();
      await finished.opened;
      // The answer of the call is dropped a turn later.
      await new Promise((resolve) => setImmediate(resolve));
      expect(intervals()).toBe(0);
    });
  });
});

test.each([
  ['in chunks', 'transfer-encoding: chunked\r\n\r\n1\r\n{\r\n'],
  ['of a length', 'content-length: 20\r\n\r\n{'],
])('a client that disconnects while it is being identified leaves no body %s behind', async (_, body) => {
  const bodies = createBodyReader({ maxBodyBytes: 1_000, maxHeldBytes: 1_000 });
  const outcome = gate<string>();
  const server = createServer().on('connection', bodies.addConnection);
  server.on('request', (request) => {
    bodies.noteRequest(request.socket);
    request.socket.once('close', () =>
      setImmediate(() =>
        bodies.read(request, 'anonymous', {
          takeBody: () => outcome.open('done'),
          refuseBody: () => outcome.open('refused'),
          loseBody: () => outcome.open('left'),
        }),
      ),
    );
    leaving.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { socket: leaving } = await openRaw((server.address() as AddressInfo).port);
  leaving.write(`POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\n${body}`);
  expect(await outcome.opened).toBe('left');
  await new Promise((resolve) => server.close(resolve));
});

describe('a silent TCP connection', () => {
  test('stays open while a call is in progress on it, however often its timeout fires, and is closed after', async () => {
    const owed = gate();
    const gateway = gatewayOf(tool('slow', () => owed.opened.then(() => 'done')));
    const server = await listenTcp(gateway.protocol, { idleMs: 50 });
    const busy = await connectTcp(server.port);
    busy.send(calling(1, 'slow'));
    // When these two are closed, one after the other, the busy one has been silent for longer.
    for (let round = 0; round < 2; round++) await (await connectTcp(server.port)).closed;
    expect(busy.socket.closed).toBe(false);
    owed.open();
    expect(await busy.find(({ id }) => id === 1)).toMatchObject({ result: { content: [{ text: 'done' }] } });
    await busy.closed;
    busy.socket.destroy();
    await server.close(0);
    await gateway.close();
  });
});

describe('the limit of requests in progress over HTTP', () => {
  test('counts those whose caller is still being identified', async () => {
    const identified = gate();
    const identify = vi.fn(() => identified.opened.then(() => ({ principal: { id: 'ann' } })));
    await withHttp(gatewayOf(tool('look', () => 'seen')), { maxInFlight: 2, identify }, async (url) => {
      const waiting = [post(url, ping), post(url, ping)];
      await until(() => identify.mock.calls.length === 2);
      const third = post(url, ping);
      await Promise.race([third, until(() => identify.mock.calls.length > 2)]);
      // Refused without having been asked who it is.
      expect(identify).toHaveBeenCalledTimes(2);
      identified.open();
      expect((await third).status).toBe(503);
      expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
      expect((await post(url, ping)).status).toBe(200);
    });
  });

  test('is not used up by callers that are being identified: known callers are served', async () => {
    const identified = gate<undefined>();
    const identify = vi.fn<NonNullable<ServeOptions['identify']>>(({ headers }) =>
      headers.authorization === undefined ? identified.opened : { principal: { id: 'ann' } },
    );
    const owed = gate();
    const gateway = gatewayOf(tool('slow', () => owed.opened.then(() => 'done')));
    await withHttp(gateway, { maxInFlight: 2, identify }, async (url) => {
      const stranger = post(url, ping);
      await until(() => identify.mock.calls.length === 1);
      const known = { authorization: 'Bearer ann' };
      const calls = [1, 2].map((id) => post(url, JSON.stringify(calling(id, 'slow')), known));
      await until(() => identify.mock.calls.length === 3);
      // The two calls are all that may be under way.
      expect((await post(url, ping, known)).status).toBe(503);
      owed.open();
      expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200]);
      identified.open(undefined);
      expect((await stranger).status).toBe(401);
    });
  });

  test('does not count callers that could not be identified, or whose identification failed', async () => {
    const onInternalError = vi.fn();
    let count = 0;
    const identify: ServeOptions['identify'] = async () => {
      if (++count > 4) return { principal: { id: 'ann' } };
      if (count % 2 === 0) return undefined;
      throw new Error('directory is down');
    };
    const options = { maxInFlight: 1, identify, onInternalError };
    await withHttp(gatewayOf(tool('look', () => 'seen')), options, async (url) => {
      const statuses: number[] = [];
      for (let round = 0; round < 5; round++) statuses.push((await post(url, ping)).status);
      expect(statuses).toEqual([500, 401, 500, 401, 200]);
      expect(onInternalError).toHaveBeenCalledTimes(2);
    });
  });

  test.each([
    ['at once', undefined],
    ['slowly', async () => ({ principal: { id: 'ann' } })],
  ])('holds for bodies that all come late, from callers known %s', async (_, identify) => {
    const owed = gate();
    let running = 0;
    const gateway = gatewayOf(
      tool('slow', async () => {
        running++;
        await owed.opened;
        return 'done';
      }),
    );
    await withHttp(gateway, { maxInFlight: 2, ...(identify && { identify }) }, async (url, port) => {
      const text = rawPost(JSON.stringify(calling(1, 'slow')));
      const late = await Promise.all(Array.from({ length: 6 }, () => openRaw(port)));
      for (const { socket } of late) socket.write(text.slice(0, -1));
      // Once one who came after them is answered, the heads of all of them were read.
      expect((await post(url, ping)).status).toBe(200);
      for (const { socket } of late) socket.write(text.slice(-1));
      const refused = () => late.filter(({ text }) => text().startsWith('HTTP/1.1 503 ')).length;
      await until(() => running + refused() === 6);
      expect([running, refused()]).toEqual([2, 4]);
      owed.open();
      await Promise.all(late.map(({ wait }) => wait((answer) => answer.startsWith('HTTP/1.1 '))));
      for (const { socket } of late) socket.destroy();
    });
  });
});

describe.each(['stdio', 'tcp'] as const)('the limit of requests in progress over %s', (kind) => {
  const ELICITING = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } };

  function setUp() {
    const ends: (() => void)[] = [];
    const asking = async ({ client, signal }: ExecutionContext) => {
      const questions = Array.from({ length: 10 }, () => client.request!('elicitation/create', {}, signal));
      return (await Promise.all(questions)).length;
    };
    const slow = async () => {
      const owed = gate();
      ends.push(owed.open);
      await owed.opened;
      return 'done';
    };
    const gateway = gatewayOf(tool('ask', asking), tool('slow', slow));
    const limits = { ...LINE_LIMITS, maxConcurrent: 1 };
    return {
      ends,
      open: async () => (kind === 'stdio' ? openStdio(gateway.protocol, limits) : openTcp(gateway.protocol, limits)),
    };
  }

  const lines = (...messages: unknown[]) => messages.map((message) => `${JSON.stringify(message)}\n`).join('');
  const isQuestion = ({ method }: Rpc) => method === 'elicitation/create';

  test.each([
    ['request', [calling('asking', 'ask')], 10],
    ['batch', [[calling('asking', 'ask'), calling('more', 'ask')]], 20],
  ])('is raised by one while a %s asks many questions at once, and lowered again', async (_, asking, questions) => {
    const { ends, open } = setUp();
    const client = await open();
    await client.ask(legacy('init', 'initialize', ELICITING));
    client.write(lines(...asking));
    await until(() => client.received.filter(isQuestion).length === questions);
    // One write, so that all lines are in one chunk.
    client.write(lines(...Array.from({ length: 4 }, (_, id) => calling(id, 'slow'))));
    for (let over = 0; over < 4; over++) {
      await until(() => ends.length > over);
      await new Promise((resolve) => setImmediate(resolve));
      expect(ends.length - over).toBe(1);
      ends[over]?.();
    }
    await client.find(({ id }) => id === 3);
    for (const { id } of client.received.filter(isQuestion)) client.send({ jsonrpc: '2.0', id: id!, result: {} });
    await until(() => client.texts.some((text) => text.includes('"asking"')));
    client.write(lines(calling('one', 'slow'), calling('two', 'slow')));
    await until(() => ends.length === 5);
    await new Promise((resolve) => setImmediate(resolve));
    expect(ends).toHaveLength(5);
    ends[4]?.();
    await until(() => ends.length === 6);
    ends[5]?.();
    await client.find(({ id }) => id === 'two');
    await client.close();
  });
});

test('Node warned of no leaking listeners', () => {
  expect(warnings).toEqual([]);
});

test('a client that has ended its side is answered, however long its identification takes', async () => {
  const identify = () =>
    new Promise<{ principal: { id: string } }>((resolve) => {
      setImmediate(resolve, { principal: { id: 'ann' } });
    });
  await withHttp(gatewayOf(tool('look', () => 'seen')), { identify }, async (_url, port) => {
    const client = await openRaw(port);
    client.socket.end(rawPost(ping));
    expect(await client.closed).toContain('"result"');
  });
});
