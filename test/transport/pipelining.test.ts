// Clients that do not wait for answers: a few of their requests are served, in turns, and nobody else waits for them.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Protocol } from '../../src/protocol/mcp-protocol.ts';
import { startHttp } from '../../src/transport/http-listener.ts';
import { openRaw, type Raw, rawPost } from '../support/raw.ts';
import { useRealHttp } from '../support/real-http.ts';
import { until } from '../support/until.ts';

useRealHttp();

const PING = rawPost('{"jsonrpc":"2.0","id":1,"method":"ping"}');
const GET = 'GET /other HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';
const CRUMBS = `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(9_000)}`;

let server: Awaited<ReturnType<typeof startHttp>>;
/** What reached the protocol, and the routes. */
let messages: string[] = [];
let routed = 0;
let onMessage = () => {};

beforeAll(async () => {
  const protocol = {
    handle: (text: string) => {
      messages.push(text);
      onMessage();
      return { body: '{"jsonrpc":"2.0","id":1,"result":{}}', status: 200 };
    },
    loseMessage: () => {},
  } as unknown as Protocol;
  server = await startHttp(
    {
      protocolOf: () => protocol,
      hasProfile: () => true,
      otherwise: (_request, response) => {
        routed++;
        response.end('other');
      },
      onInternalError: (error) => {
        throw error;
      },
    },
    {
      host: '127.0.0.1',
      port: 0,
      maxBodyBytes: 100_000,
      maxInFlight: 1_000,
      allowedHosts: ['127.0.0.1'],
      allowedOrigins: [],
    },
  );
});
afterAll(() => server.close(0));
beforeEach(() => {
  messages = [];
  routed = 0;
  onMessage = () => {};
});

const statuses = (text: string) => text.match(/(?<=HTTP\/1\.1 )\d{3} /g)?.map(Number);
const times = (count: number, status: number) => Array.from({ length: count }, () => status);
async function sendAndClose(text: string): Promise<string> {
  const raw = await openRaw(server.port);
  raw.socket.write(text);
  return raw.closed;
}
/** Writes, waits for that many answers, and again, until told to stop. */
function pester(raw: Raw, text: string, answers: number): () => void {
  let stopped = false;
  let expected = 0;
  void (async () => {
    while (!stopped) {
      expected += answers;
      raw.socket.write(text);
      await raw.wait((soFar) => (statuses(soFar)?.length ?? 0) >= expected);
    }
  })();
  return () => {
    stopped = true;
    raw.socket.destroy();
  };
}

describe('a client that does not wait for answers', () => {
  test('gets answers up to the limit and one refusal; the rest is never read', async () => {
    expect(statuses(await sendAndClose(PING.repeat(300)))).toEqual([...times(33, 200), 503]);
    expect(messages).toHaveLength(33);
    expect(statuses(await sendAndClose(GET.repeat(900)))).toEqual([...times(33, 200), 503]);
    expect(routed).toBe(33);
  });

  test('may pipeline fewer requests if each has many headers', async () => {
    const headers = Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`x-${index}`, '1']));
    const wide = rawPost('{}', headers);
    expect(statuses(await sendAndClose(wide.repeat(40)))).toEqual([...times(11, 200), 503]);
  });

  test('may continue as long as it reads its answers', async () => {
    const raw = await openRaw(server.port);
    for (let round = 1; round <= 10; round++) {
      raw.socket.write(PING.repeat(20));
      await raw.wait((text) => statuses(text)?.length === round * 20);
    }
    expect(statuses(raw.text())).toEqual(times(200, 200));
    raw.socket.destroy();
  });

  test('is refused once, and read no further, for requests without a Host, to other routes, or with an unknown expectation', async () => {
    const odd = 'GET /other HTTP/1.1\r\nhost: 127.0.0.1\r\nexpect: miracles\r\n\r\n';
    expect(statuses(await sendAndClose('GET / HTTP/1.1\r\n\r\n'.repeat(900)))).toEqual([400]);
    expect(statuses(await sendAndClose(odd.repeat(900)))).toEqual([417]);
    expect(statuses(await sendAndClose('POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'.repeat(900)))).toEqual([415]);
    expect(messages).toEqual([]);
    expect(routed).toBe(0);
  });

  test('does not delay another client until all of its requests are served', async () => {
    const victim = await openRaw(server.port);
    const crowd = await Promise.all(Array.from({ length: 12 }, () => openRaw(server.port)));
    let servedBefore = -1;
    onMessage = () => {
      if (messages.length === 1) victim.socket.write(PING.replace('"id":1', '"id":7'));
      if (messages.at(-1)!.includes('"id":7')) servedBefore = messages.length - 1;
    };
    for (const { socket } of crowd) socket.write(PING.repeat(33));
    await until(() => messages.length === 12 * 33 + 1);
    expect(servedBefore).toBeGreaterThan(0);
    expect(servedBefore).toBeLessThan(12 * 33);
    for (const { socket } of [victim, ...crowd]) socket.destroy();
  });

  test('does not starve new or idle clients, however long it continues', async () => {
    const idle = await Promise.all(Array.from({ length: 150 }, () => openRaw(server.port)));
    const pesterers = await Promise.all(Array.from({ length: 3 }, () => openRaw(server.port)));
    const stops = pesterers.map((raw) => pester(raw, PING.repeat(30), 30));
    const newcomer = await openRaw(server.port);
    for (const raw of [newcomer, ...idle]) raw.socket.write(GET);
    for (const raw of [newcomer, ...idle]) await raw.wait((text) => statuses(text)?.length === 1);
    for (const stop of stops) stop();
    for (const { socket } of [newcomer, ...idle]) socket.destroy();
  });
});

describe('a request with hundreds of headers', () => {
  test('is refused, because node would drop some of them', async () => {
    const many = (count: number) => `GET /other HTTP/1.1\r\nhost: 127.0.0.1\r\n${'x: 1\r\n'.repeat(count)}\r\n`;
    expect(statuses(await sendAndClose(many(300)))).toEqual([431]);
    expect(statuses(await sendAndClose(many(199)))).toEqual([431]);
    const raw = await openRaw(server.port);
    raw.socket.write(many(190));
    expect(statuses(await raw.wait((text) => text.endsWith('other')))).toEqual([200]);
    raw.socket.destroy();
  });
});

describe('a body in thousands of tiny chunks', () => {
  test('is refused unread behind a request that is not answered yet', async () => {
    expect(statuses(await sendAndClose(GET + CRUMBS))).toEqual([200, 503]);
  });

  test('is refused on a connection that has been served before, and its parser serves the next connections', async () => {
    for (let round = 0; round < 5; round++) {
      const raw = await openRaw(server.port);
      raw.socket.write(PING);
      await raw.wait((text) => statuses(text)?.length === 1);
      raw.socket.write(CRUMBS);
      expect(statuses(await raw.closed)).toEqual([200, 413]);
    }
    for (let round = 0; round < 5; round++) {
      const raw = await openRaw(server.port);
      raw.socket.write(PING);
      expect(statuses(await raw.wait((text) => text.endsWith('}')))).toEqual([200]);
      raw.socket.destroy();
    }
    expect(messages).toHaveLength(10);
  });

  test('does not starve idle clients, however many such bodies follow', async () => {
    const idle = await Promise.all(Array.from({ length: 60 }, () => openRaw(server.port)));
    let stopped = false;
    const crumble = async () => {
      while (!stopped) await sendAndClose(CRUMBS);
    };
    const crumblers = [crumble(), crumble(), crumble()];
    for (const raw of idle) raw.socket.write(GET);
    for (const raw of idle) await raw.wait((text) => statuses(text)?.length === 1);
    stopped = true;
    await Promise.all(crumblers);
    for (const { socket } of idle) socket.destroy();
  });
});

test.each([1, 2, 3, 8])('%i pipelined requests of a client that has ended its side are all answered', async (count) => {
  const client = await openRaw(server.port);
  client.socket.end(PING.repeat(count));
  expect((await client.closed).split('"result"')).toHaveLength(count + 1);
});
