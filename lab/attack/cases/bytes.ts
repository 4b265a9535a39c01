// A: bytes in unkind portions: one at a time, without end, or as thousands of lines. Payload within the limits throughout.
import { request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { type Case, isInternal } from '../case.ts';
import { doorsOf, envelope, httpDoor, modernHeaders, openSocket, post } from '../doors.ts';
import { TOOL } from '../hostile-api.ts';

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const closed = (socket: Socket) =>
  socket.destroyed ? Promise.resolve() : new Promise<void>((resolve) => socket.once('close', () => resolve()));
const isAlive = (gateway: { http: string }) => httpDoor(gateway, 'legacy').ask('ping', {});

/** Writes as fast as the other side takes it. */
async function pour(socket: Socket, portion: Buffer, times: number, untilMs: number): Promise<void> {
  const end = Date.now() + untilMs;
  for (let index = 0; index < times && !socket.destroyed && Date.now() < end; index++) {
    if (!socket.write(portion)) {
      await Promise.race([
        new Promise<void>((resolve) => socket.once('drain', () => resolve())),
        closed(socket),
        pause(1_000),
      ]);
    }
  }
}

/** Chunked encoding with a byte per chunk: 6 bytes on the wire for one of payload. */
function oneByteChunks(text: string): Buffer {
  return Buffer.from([...text].map((letter) => `1\r\n${letter}\r\n`).join(''));
}

function lines(id: string, text: string, bytes: number): Case {
  return {
    part: 'A',
    id,
    fixture: 'tools',
    run: async ({ gateway }) => {
      const socket = await openSocket(gateway.tcpPort);
      socket.resume();
      const portion = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));
      await pour(socket, portion, Math.ceil(bytes / portion.length), 5_000);
      socket.end();
      await Promise.race([closed(socket), pause(3_000)]);
      socket.destroy();
      await isAlive(gateway);
      return undefined;
    },
  };
}

const BYTES: readonly Case[] = [
  lines('TCP: 512 KB of x\\n', 'x\n', 512 * 1024),
  lines('TCP: 8 MB of x\\n', 'x\n', 8 * 1024 * 1024),
  lines('TCP: 1 MB of newlines', '\n', 1024 * 1024),
  lines('TCP: 1 MB of {}\\n', '{}\n', 1024 * 1024),
  lines('TCP: 1 MB of []\\n', '[]\n', 1024 * 1024),
  lines('TCP: 2 MB of pings', '{"jsonrpc":"2.0","id":1,"method":"ping"}\n', 2 * 1024 * 1024),
  lines('TCP: 2 MB of notifications', '{"jsonrpc":"2.0","method":"notifications/initialized"}\n', 2 * 1024 * 1024),
  lines('TCP: 4 MB of tools/list', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n', 512 * 1024),
  lines('TCP: 8 MB without a newline', 'x', 8 * 1024 * 1024),
  {
    part: 'A',
    id: 'TCP: a message of 200,000 one byte at a time',
    fixture: 'tools',
    run: async ({ gateway }) => {
      const socket = await openSocket(gateway.tcpPort);
      socket.setNoDelay(true);
      socket.resume();
      const text = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"${'x'.repeat(200_000)}"}}\n`;
      const end = Date.now() + 6_000;
      for (let index = 0; index < text.length && Date.now() < end && !socket.destroyed; index += 1) {
        socket.write(text[index]!);
        if (index % 200 === 0) await pause(0);
      }
      socket.destroy();
      await isAlive(gateway);
      return undefined;
    },
  },
  {
    part: 'A',
    id: 'stdio: 512 KB of x\\n',
    fixture: 'tools',
    run: async ({ gateway }) => {
      gateway.child.stdout?.resume();
      gateway.child.stdin?.write('x\n'.repeat(256 * 1024));
      await pause(2_000);
      await isAlive(gateway);
      return undefined;
    },
  },
  {
    part: 'A',
    id: 'HTTP: body of 1 MB in 1-byte chunks, 4 connections',
    fixture: 'tools',
    run: async ({ gateway }) => {
      const url = new URL(gateway.http);
      const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { x: 'x'.repeat(1_000_000) } });
      const wire = oneByteChunks(message);
      const sockets = await Promise.all(Array.from({ length: 4 }, () => openSocket(Number(url.port))));
      await Promise.all(
        sockets.map(async (socket) => {
          socket.resume();
          socket.write(
            `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n`,
          );
          for (let at = 0; at < wire.length && !socket.destroyed; at += 60_000)
            await pour(socket, wire.subarray(at, at + 60_000), 1, 2_000);
        }),
      );
      // The message stays unfinished: what is held for it is what counts.
      await pause(1_000);
      for (const socket of sockets) socket.destroy();
      await isAlive(gateway);
      return undefined;
    },
  },
  {
    part: 'A',
    id: 'HTTP: 50 bodies of 1 MB held open, 1-byte chunks at their end',
    fixture: 'tools',
    run: async ({ gateway }) => {
      const url = new URL(gateway.http);
      const sockets = await Promise.all(Array.from({ length: 50 }, () => openSocket(Number(url.port))));
      const tail = oneByteChunks('x'.repeat(50_000));
      for (const socket of sockets) {
        socket.resume();
        socket.write(
          'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
        );
        await pour(socket, tail, 1, 200);
      }
      await pause(500);
      for (const socket of sockets) socket.destroy();
      await isAlive(gateway);
      return undefined;
    },
  },
  {
    part: 'A',
    id: 'HTTP: slowloris, 300 connections that never end their headers',
    fixture: 'tools',
    run: async ({ gateway }) => {
      const url = new URL(gateway.http);
      const sockets = await Promise.all(Array.from({ length: 300 }, () => openSocket(Number(url.port))));
      for (let round = 0; round < 10; round++) {
        for (const socket of sockets)
          socket.write(round === 0 ? 'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\n' : `x-${round}: y\r\n`);
        await pause(100);
      }
      const { result } = await isAlive(gateway);
      for (const socket of sockets) socket.destroy();
      return result ? undefined : 'another client got no answer meanwhile';
    },
  },
  {
    part: 'A',
    id: 'TCP: 300 connections, others still get in over HTTP',
    fixture: 'tools',
    run: async ({ gateway }) => {
      const sockets = await Promise.all(Array.from({ length: 300 }, () => openSocket(gateway.tcpPort)));
      const { result } = await isAlive(gateway);
      for (const socket of sockets) socket.destroy();
      return result ? undefined : 'another client got no answer meanwhile';
    },
  },
  {
    part: 'A',
    id: 'HTTP: 2,000 headers, and one of 15,000 characters',
    fixture: 'tools',
    run: async ({ gateway }) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
      for (const headers of [
        Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`x-${index}`, 'y'])),
        ...[
          'mcp-session-id',
          'mcp-protocol-version',
          'mcp-name',
          'mcp-method',
          'origin',
          'accept',
          'content-type',
          'host',
          'authorization',
          'last-event-id',
          'traceparent',
        ].flatMap((name) =>
          ['a', ',', ';', '=', ' a', '.', '=?base64?', '/', ':'].map((text) => ({
            [name]: `x${text.repeat(Math.floor(14_000 / text.length))}x`,
          })),
        ),
      ])
        await post(gateway.http, body, headers as Record<string, string>);
      return undefined;
    },
  },
  {
    part: 'A',
    id: 'HTTP: Mcp-Name in 12,000 characters of base64, and Mcp-Param headers',
    fixture: 'tools',
    run: async ({ gateway }) => {
      const params = envelope({ name: TOOL('read'), arguments: {} });
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      for (const name of [
        `=?base64?${'A'.repeat(12_000)}?=`,
        `=?base64?${' '.repeat(12_000)}?=`,
        `=?base64?${'='.repeat(12_000)}?=`,
        '=?base64?'.repeat(1_000),
      ])
        await post(gateway.http, body, { ...modernHeaders('tools/call', params), 'mcp-name': name });
      return undefined;
    },
  },
  {
    part: 'A',
    id: 'legacy batches: 100 calls, 10,000 pings, 300,000 empty objects',
    fixture: 'tools',
    run: async ({ gateway }) => {
      const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
      const wrong = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: TOOL('enum'), arguments: { list: Array.from({ length: 50 }, () => 'valve_7'.repeat(20)) } },
      };
      for (const batch of [
        Array(100).fill(wrong),
        Array(10_000).fill(ping),
        Array(300_000).fill({}),
        Array(20_000).fill([]),
      ]) {
        await post(gateway.http, JSON.stringify(batch), { 'mcp-protocol-version': '2025-03-26' });
      }
      return undefined;
    },
  },
  {
    part: 'A',
    id: 'deep JSON: 500,000 brackets, through every door',
    fixture: 'tools',
    run: async ({ gateway }) => {
      for (const text of [
        `${'['.repeat(500_000)}\n`,
        `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}\n`,
      ]) {
        for (const { open } of doorsOf(gateway)) {
          const door = await open();
          const answer = await door.raw(text);
          door.close();
          if (isInternal(answer)) return `${door.name}: internal error`;
        }
      }
      return undefined;
    },
  },
  {
    part: 'A',
    id: 'deep arguments: a tree of 5,000 and of 20,000, through every door',
    fixture: 'tools',
    run: ({ everyDoor }) =>
      everyDoor(async (door) => {
        // Written by hand: JSON.stringify of the attacker would not go as deep.
        for (const depth of [5_000, 20_000]) {
          const tree = `${'{"children":['.repeat(depth)}{}${']}'.repeat(depth)}`;
          const meta = door.era === 'modern' ? `,"_meta":${JSON.stringify(envelope({})._meta)}` : '';
          const answer = await door.raw(
            `{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"${TOOL('tree')}","arguments":${tree}${meta}}}\n`,
          );
          if (isInternal(answer)) return `internal error: ${answer.text.slice(0, 200)}`;
        }
        return undefined;
      }),
  },
  {
    part: 'A',
    id: 'HTTP: 200 calls of a slow upstream at once, then hang up',
    fixture: 'tools',
    run: async ({ gateway, upstream }) => {
      upstream.respond(() => {});
      const params = envelope({ name: TOOL('read'), arguments: {} });
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      const asking = Array.from({ length: 200 }, () => {
        const one = httpRequest(gateway.http, {
          method: 'POST',
          agent: false,
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...modernHeaders('tools/call', params),
          },
        });
        one.on('error', () => {});
        one.on('response', (response) => response.on('error', () => {}).resume());
        one.end(body);
        return one;
      });
      await pause(1_000);
      for (const one of asking) one.destroy();
      upstream.reset();
      await pause(200);
      const { result } = await httpDoor(gateway, 'modern').ask('tools/call', { name: TOOL('read'), arguments: {} });
      return result ? undefined : 'the next call got no answer';
    },
  },
];

export const BYTE_CASES = BYTES;
