// A: answers of an upstream within its limits that must not hold the event loop or take the memory.
import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type Case, call, isInternal } from '../case.ts';
import { httpDoor } from '../doors.ts';
import { hostileApi, TOOL } from '../hostile-api.ts';
import { json, type Respond } from '../upstream.ts';

const memo = <Value>(build: () => Value) => {
  let value: { readonly it: Value } | undefined;
  return () => {
    value ??= { it: build() };
    return value.it;
  };
};

/** 9 MB of rows, as a list API answers when nobody limits it. */
const rows = memo(() =>
  JSON.stringify({
    rows: Array.from({ length: 60_000 }, (_, id) => ({
      id,
      name: `name ${id}`,
      tags: ['a', 'b'],
      owner: { id, login: `user-${id}`, site: 'https://example.com/' },
    })),
  }),
);
const numbers = memo(() => JSON.stringify(Array.from({ length: 1_300_000 }, (_, index) => index % 100_000)));
const wide = memo(() =>
  JSON.stringify(Object.fromEntries(Array.from({ length: 400_000 }, (_, index) => [`key_${index}`, index]))),
);
const ragged = memo(() =>
  JSON.stringify(
    Array.from({ length: 60_000 }, (_, index) => ({ [`k${index}`]: [index, { x: [index] }], text: 'a\n"b"' })),
  ),
);
const words = memo(() => 'word "quoted" \\ and \u0007 more, '.repeat(300_000));
const deepLists = memo(() => `${'['.repeat(100_000)}${']'.repeat(100_000)}`);
const deepObjects = memo(() => `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`);
const bomb = memo(() => gzipSync(Buffer.alloc(200 * 1024 * 1024, 32)));
const page = memo(() => `<html><body>${'<p>text &amp; more</p>'.repeat(300_000)}</body></html>`);
const tags = memo(() => '<'.repeat(1_000_000) + '<script'.repeat(200_000));

/** What a tool does with one kind of answer; one door is enough, both eras. */
function answer(id: string, tool: string, respond: () => Respond, args: Record<string, unknown> = {}): Case {
  return {
    part: 'A',
    id: `answer: ${id}`,
    fixture: 'tools',
    run: async ({ gateway, upstream }) => {
      upstream.respond(respond());
      for (const era of ['modern', 'legacy'] as const) {
        const answered = await httpDoor(gateway, era).ask('tools/call', { name: TOOL(tool), arguments: args });
        if (isInternal(answered)) return `internal error: ${answered.text.slice(0, 200)}`;
      }
      return undefined;
    },
  };
}

const typed =
  (type: string, body: () => string | Buffer, headers: Record<string, string> = {}): Respond =>
  (_arrival, response) => {
    response.writeHead(200, { 'content-type': type, ...headers });
    response.end(body());
  };

const wildcards = Array.from(
  { length: 99 },
  (_, index) => `rows.*.${['id', 'name', 'tags.*', 'owner.*', '*'][index % 5]}`,
).join(',');
const BODIES = { rows, numbers, wide, ragged, deepLists, deepObjects } as const;

/** A server that says whatever bytes it likes. */
function raw(
  id: string,
  write: (send: (text: string | Buffer) => boolean, gone: () => boolean) => Promise<void>,
): Case {
  return {
    part: 'A',
    id: `answer: ${id}`,
    limitMs: 20_000,
    run: async ({ launch, limits }) => {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.once(
          'data',
          () =>
            void write(
              (text) => socket.write(text),
              () => socket.destroyed,
            ).then(() => socket.end()),
        );
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const gateway = await launch(hostileApi(`http://127.0.0.1:${port}`, 'tools'));
      const before = await gateway.watch();
      const asking = Array.from({ length: 4 }, () =>
        httpDoor(gateway, 'modern').ask('tools/call', { name: TOOL('read'), arguments: {} }),
      );
      await Promise.race([Promise.all(asking), new Promise((resolve) => setTimeout(resolve, 8_000))]);
      const { worstMs, peakRssMb } = await gateway.figures();
      const alive = gateway.alive();
      server.close();
      if (!alive) return 'the gateway died';
      if (peakRssMb - before > limits.growthMb) return `took ${Math.round(peakRssMb - before)} MB`;
      return worstMs > limits.stallMs ? `a parallel client waited ${Math.round(worstMs)} ms` : undefined;
    },
  };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export const ANSWER_CASES: readonly Case[] = [
  ...Object.entries(BODIES).flatMap(([name, body]) => [
    answer(`9 MB of ${name}, as it is`, 'read', () => json(body())),
    answer(`9 MB of ${name}, JSON of 1,000,000 characters`, 'plain', () => json(body())),
    answer(`9 MB of ${name}, TOON`, 'toon', () => json(body())),
    answer(`9 MB of ${name}, structured`, 'shaped', () => json(body())),
  ]),
  answer('9 MB, 99 wildcard fields', 'read', () => json(rows()), { fields: wildcards }),
  answer('9 MB, 99 wildcard fields, TOON', 'toon', () => json(rows()), { fields: wildcards }),
  answer('9 MB, 99 wildcard fields over ragged rows', 'read', () => json(ragged()), {
    fields: Array(99).fill('*.*.*.*').join(','),
  }),
  answer('9 MB, fields of a wide object', 'read', () => json(wide()), { fields: Array(99).fill('*').join(',') }),
  answer('9 MB of text', 'read', () => typed('text/plain', words)),
  answer('6 MB of HTML', 'read', () => typed('text/html', page)),
  answer('HTML of open tags', 'read', () => typed('text/html', tags)),
  answer('9 MB of JSON that breaks at its end', 'read', () => typed('application/json', () => `${rows()}}`)),
  answer('9 MB of problem+json with status 422', 'read', () => (_arrival, response) => {
    response.writeHead(422, { 'content-type': 'application/problem+json' });
    response.end(rows());
  }),
  answer('HTML of 9 MB with status 500', 'read', () => (_arrival, response) => {
    response.writeHead(500, { 'content-type': 'text/html' });
    response.end(page());
  }),
  answer('gzip bomb: 200 MB', 'read', () => typed('application/json', bomb, { 'content-encoding': 'gzip' })),
  answer('gzip inside gzip', 'read', () =>
    typed('application/json', () => gzipSync(bomb()), { 'content-encoding': 'gzip, gzip' }),
  ),
  answer('Link header of 14,000 quotes and blanks', 'read', () =>
    typed('application/json', () => '[]', { link: `<x>; rel="${' '.repeat(7_000)}${'a '.repeat(3_000)}` }),
  ),
  answer('media type with 14,000 parameters', 'read', () =>
    typed(`application/json${'; a'.repeat(4_500)}`, () => '{}'),
  ),
  raw('1 MB in 1-byte chunks, 4 at once', async (send, gone) => {
    send('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n1\r\n"\r\n');
    const portion = '1\r\nx\r\n'.repeat(10_000);
    for (let round = 0; round < 150 && !gone(); round++) if (!send(portion)) await pause(5);
    send('1\r\n"\r\n0\r\n\r\n');
  }),
  raw('headers without end', async (send, gone) => {
    send('HTTP/1.1 200 OK\r\n');
    for (let round = 0; round < 500 && !gone(); round++)
      if (!send(`x-${round}: ${'y'.repeat(10_000)}\r\n`)) await pause(5);
  }),
  raw('informational answers without end', async (send, gone) => {
    for (let round = 0; round < 300 && !gone(); round++)
      if (!send('HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n'.repeat(100))) await pause(5);
  }),
  raw('a body without end', async (send, gone) => {
    send('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n');
    const portion = Buffer.alloc(256 * 1024, 32);
    for (let round = 0; round < 400 && !gone(); round++) if (!send(portion)) await pause(5);
  }),
  call('answer: echo that repeats 900,000 of input', TOOL('form'), () => ({ a: 'x'.repeat(900_000) })),
];
