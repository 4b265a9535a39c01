// A: a read of a socket full of requests, headers or crumbs, on thirty connections at the same moment. Node parses all of it
// before anybody else gets a turn.
import type { Case } from '../case.ts';
import { envelope, httpDoor, modernHeaders, openSocket, post } from '../doors.ts';

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const HOST = 'host: 127.0.0.1\r\n';
const GET = `GET /healthz HTTP/1.1\r\n${HOST}\r\n`;
const headers = (count: number) => Array.from({ length: count }, (_, index) => `${index.toString(36)}: 1\r\n`).join('');
const fill = (request: string) => request.repeat(Math.floor(64_000 / request.length));

/** `before`: what each connection asks, and is answered, first. */
function burst(id: string, bytes: string, before = ''): Case {
  return {
    part: 'A',
    id: `HTTP: 30 connections, ${id}`,
    fixture: 'tools',
    run: async ({ gateway }) => {
      const port = Number(new URL(gateway.http).port);
      const sockets = await Promise.all(Array.from({ length: 30 }, () => openSocket(port)));
      for (const socket of sockets) socket.resume().write(before);
      await pause(300);
      for (const socket of sockets) socket.write(bytes);
      await pause(1_500);
      for (const socket of sockets) socket.destroy();
      return undefined;
    },
  };
}

const crumbs = `POST /mcp HTTP/1.1\r\n${HOST}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(10_000)}`;

/** Streams that are held open, with filters of every size, and left without a word. */
const LISTENS: Case = {
  part: 'A',
  id: 'subscriptions/listen: 300 at once, huge filters, then hang up',
  fixture: 'tools',
  run: async ({ gateway }) => {
    const port = Number(new URL(gateway.http).port);
    const requestOf = (notifications: unknown) => {
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'subscriptions/listen',
        params: envelope({ notifications }),
      });
      const lines = Object.entries(modernHeaders('subscriptions/listen', {})).map((pair) => `${pair.join(': ')}\r\n`);
      return `POST /mcp HTTP/1.1\r\n${HOST}content-type: application/json\r\naccept: application/json, text/event-stream\r\n${lines.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    };
    const uris = Array.from({ length: 6_000 }, (_, index) => `hostile://items/${index}`);
    const filters = [
      { toolsListChanged: true },
      { resourceSubscriptions: uris },
      { resourceSubscriptions: ['x'.repeat(500_000)] },
    ];
    const sockets = await Promise.all(Array.from({ length: 300 }, () => openSocket(port)));
    for (const [index, socket] of sockets.entries())
      socket.resume().write(requestOf(index < 20 ? filters[index % filters.length] : filters[0]));
    await pause(1_500);
    for (const socket of sockets) socket.destroy();
    for (const notifications of [null, 1, [], uris]) {
      const params = envelope({ notifications });
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params });
      await post(gateway.http, body, modernHeaders('subscriptions/listen', params));
    }
    const { result } = await httpDoor(gateway, 'modern').ask('tools/list', {});
    return result ? undefined : 'the next request got no answer';
  },
};

export const PIPELINE_CASES: readonly Case[] = [
  LISTENS,
  burst(
    '64 KB of pipelined pings each',
    fill(
      `POST /mcp HTTP/1.1\r\n${HOST}content-type: application/json\r\ncontent-length: ${PING.length}\r\n\r\n${PING}`,
    ),
  ),
  burst('64 KB of pipelined GET / each', fill(`GET / HTTP/1.1\r\n${HOST}\r\n`)),
  burst('64 KB of pipelined requests for nothing that is there', fill(`GET /x HTTP/1.1\r\n${HOST}\r\n`)),
  burst('64 KB of pipelined requests without a host', fill('GET / HTTP/1.1\r\n\r\n')),
  burst('64 KB of pipelined requests with an odd Expect', fill(`GET / HTTP/1.1\r\n${HOST}expect: x\r\n\r\n`)),
  burst('64 KB of pipelined POSTs that are refused', fill(`POST /mcp HTTP/1.1\r\n${HOST}\r\n`)),
  burst('64 KB of pipelined requests with 150 headers', fill(`GET / HTTP/1.1\r\n${HOST}${headers(150)}\r\n`)),
  burst('64 KB of pipelined requests with 1,500 headers', fill(`GET / HTTP/1.1\r\n${HOST}${headers(1_500)}\r\n`)),
  burst('a pipelined body in crumbs', `${GET}${crumbs}`),
  burst('a body in crumbs after an answered request', crumbs, GET),
  burst('64 KB of pipelined pings after an answered request', fill(GET), GET),
];
