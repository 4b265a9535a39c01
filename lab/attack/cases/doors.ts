// C: the doors themselves: who may speak on them, what leaves through them, and that one client cannot close them for all.
import { execFile } from 'node:child_process';
import { request as httpRequest } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Case } from '../case.ts';
import { type Door, doorsOf, envelope, httpDoor, modernHeaders, openSocket, post } from '../doors.ts';
import type { Gateway } from '../gateway.ts';
import { hostileApi, SECRET, TOOL } from '../hostile-api.ts';

const LIBRARY = fileURLToPath(new URL('../library.mjs', import.meta.url));
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: TOOL('read'), arguments: { q: 'from-a-page' } },
};

/** Bytes to the TCP port; what comes back, and whether the port closed. */
async function speak(gateway: Gateway, portions: readonly string[]): Promise<{ text: string; closed: boolean }> {
  const socket = await openSocket(gateway.tcpPort);
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  for (const portion of portions) {
    if (socket.destroyed) break;
    socket.write(portion);
    await pause(50);
  }
  await pause(300);
  const closed = socket.destroyed || socket.readableEnded;
  socket.destroy();
  return { text, closed };
}

function closes(id: string, portions: (body: string) => readonly string[]): Case {
  return {
    part: 'C',
    id: `TCP: ${id}`,
    fixture: 'tools',
    run: async ({ gateway, upstream }) => {
      for (const message of [CALL, { ...CALL, params: envelope(CALL.params) }]) {
        const { text, closed } = await speak(gateway, portions(`${JSON.stringify(message)}\n`));
        if (upstream.arrivals.length > 0)
          return `the call was executed: ${upstream.arrivals[0]!.url} reached the upstream`;
        if (text.includes('"result"')) return `a request was answered: ${text.slice(0, 200)}`;
        if (!closed) return 'the port stayed open';
      }
      return undefined;
    },
  };
}

const HEAD = (method: string, length: number) =>
  `${method} / HTTP/1.1\r\nHost: 127.0.0.1:4444\r\nOrigin: https://evil.example\r\nContent-Type: text/plain;charset=UTF-8\r\nContent-Length: ${length}\r\n\r\n`;

const PAGES: readonly Case[] = [
  closes('a page’s no-cors POST in one portion', (body) => [`${HEAD('POST', body.length)}${body}`]),
  closes('a page’s no-cors POST, header and body apart', (body) => [HEAD('POST', body.length), body]),
  closes('a page’s no-cors PUT of many lines', (body) => [`${HEAD('PUT', body.length * 3)}\n\n${body}${body}`]),
  closes('a multipart form', (body) => [
    `${HEAD('POST', 999)}------x\r\nContent-Disposition: form-data; name="a"\r\n\r\n${body}\r\n------x--\r\n`,
  ]),
  closes('TLS hello, then a call', (body) => ['\u0016\u0003\u0001\u0002\u0000\u0001\n', body]),
  closes('SMTP, then a call', (body) => ['EHLO evil\r\n', body]),
  closes('one line of garbage, then a call', (body) => ['x\n', body]),
  closes('JSON that is not JSON-RPC, then a call', (body) => ['{"hello":"world"}\n', body]),
  closes('a JSON string, then a call', (body) => ['"GET / HTTP/1.1"\n', body]),
];

/** The ways to write a secret so that a search for its letters does not find it. */
const hex = (letter: string) => letter.charCodeAt(0).toString(16);
const ENCODINGS: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  '\\uXXXX': (secret) => [...secret].map((letter) => `\\u${hex(letter).padStart(4, '0')}`).join(''),
  '\\uXXXX in part': (secret) => `\\u${hex(secret[0]!).padStart(4, '0')}${secret.slice(1)}`,
  '\\/ escaped': (secret) => secret.replaceAll('/', '\\/'),
  '%XX': (secret) => [...secret].map((letter) => `%${hex(letter)}`).join(''),
  '%XX upper case': (secret) => [...secret].map((letter) => `%${hex(letter).toUpperCase()}`).join(''),
  encodeURIComponent: (secret) => encodeURIComponent(secret),
  '%25XX twice': (secret) => [...secret].map((letter) => `%25${hex(letter)}`).join(''),
  '&#x…;': (secret) => [...secret].map((letter) => `&#x${hex(letter)};`).join(''),
  '&#…;': (secret) => [...secret].map((letter) => `&#${letter.charCodeAt(0)};`).join(''),
  '&#0…;': (secret) => [...secret].map((letter) => `&#000${letter.charCodeAt(0)};`).join(''),
  'named entities': (secret) => secret.replaceAll('/', '&sol;').replaceAll('+', '&plus;').replaceAll('-', '&hyphen;'),
  'split by tags': (secret) => `${secret.slice(0, 6)}<b></b>${secret.slice(6)}`,
  'split by zero-width space': (secret) => `${secret.slice(0, 6)}\u200b${secret.slice(6)}`,
  base64: (secret) => Buffer.from(secret).toString('base64'),
  'base64 of a sentence': (secret) => Buffer.from(`the key is ${secret}, keep it`).toString('base64'),
};

/** Whether a reader of the text could read the secret in it. */
function shows(text: string): boolean {
  const views = [text];
  const json = text
    .replace(/\\u([0-9a-f]{4})/gi, (_all, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replaceAll('\\/', '/');
  views.push(
    json,
    json
      .replaceAll('\\\\', '\\')
      .replace(/\\u([0-9a-f]{4})/gi, (_all, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
  );
  for (const view of [...views]) {
    const entities = view
      .replace(/&#x([0-9a-f]{1,6});/gi, (_all, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
      .replace(/&#0*(\d{1,5});/g, (_all, digits: string) => String.fromCharCode(Number(digits)))
      .replaceAll('&sol;', '/')
      .replaceAll('&plus;', '+')
      .replaceAll('&hyphen;', '-');
    views.push(entities, view.replace(/<\/?b>/g, '').replaceAll('\u200b', ''));
    const once = view.replace(/%([0-9a-f]{2})/gi, (_all, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
    views.push(
      once,
      once.replace(/%([0-9a-f]{2})/gi, (_all, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    );
  }
  for (const piece of text.match(/[A-Za-z0-9+/_-]{16,}={0,2}/g) ?? [])
    views.push(Buffer.from(piece, 'base64').toString('latin1'));
  return views.some((view) => view.includes(SECRET) || view.toLowerCase().includes(SECRET.toLowerCase()));
}

/** Bodies in which an upstream hands its secret back. */
const BODIES: Readonly<Record<string, { readonly type: string; readonly status: number; body(text: string): string }>> =
  {
    JSON: { type: 'application/json', status: 200, body: (text) => `{"echo":"${text}","list":[{"x":"${text}"}]}` },
    'a JSON key': { type: 'application/json', status: 200, body: (text) => `{"${text}":1}` },
    text: { type: 'text/plain', status: 200, body: (text) => `the key is ${text}.` },
    HTML: { type: 'text/html', status: 200, body: (text) => `<p>the key is ${text}.</p>` },
    'a 401': { type: 'application/json', status: 401, body: (text) => `{"error":"bad key ${text}"}` },
    'a 500': { type: 'text/html', status: 500, body: (text) => `<html><title>Error</title><p>${text}</p></html>` },
    'problem+json': {
      type: 'application/problem+json',
      status: 422,
      body: (text) => `{"title":"${text}","detail":"${text}","errors":{"${text}":["${text}"]}}`,
    },
  };

const WAYS: Readonly<Record<string, (door: Door) => Promise<{ readonly text: string }>>> = {
  'tools/call': (door) => door.ask('tools/call', { name: TOOL('read'), arguments: {} }),
  'structured content': (door) => door.ask('tools/call', { name: TOOL('shaped'), arguments: {} }),
  TOON: (door) => door.ask('tools/call', { name: TOOL('toon'), arguments: {} }),
  'resources/read': (door) => door.ask('resources/read', { uri: 'hostile://items/7' }),
  'a prompt that embeds': (door) => door.ask('prompts/get', { name: 'embed', arguments: {} }),
  'a call with progress': (door) =>
    door.ask('tools/call', { name: TOOL('read'), arguments: {}, _meta: { progressToken: 'p' } }),
  'a dry run': (door) => door.ask('tools/call', { name: TOOL('map'), arguments: { map: {}, dry_run: true } }),
  'fields that miss': (door) => door.ask('tools/call', { name: TOOL('read'), arguments: { fields: 'nothing' } }),
};

const SECRETS: readonly Case[] = Object.entries(ENCODINGS).map(([encoding, write]) => ({
  part: 'C' as const,
  id: `secret written ${encoding} leaves through no way out`,
  fixture: 'tools' as const,
  run: async ({ gateway, upstream }) => {
    for (const [name, { type, status, body }] of Object.entries(BODIES)) {
      // In plain text and HTML a JSON escape is only letters; in JSON a tag is only text.
      const text = write(SECRET);
      upstream.respond((_arrival, response) => {
        response.writeHead(status, { 'content-type': type, 'x-echo': 'x' });
        response.end(body(text));
      });
      for (const era of ['modern', 'legacy'] as const) {
        for (const [way, ask] of Object.entries(WAYS)) {
          const answer = await ask(httpDoor(gateway, era));
          if (shows(answer.text)) return `${way}, ${era}, in ${name}: ${answer.text.slice(0, 250)}`;
        }
      }
    }
    return shows(gateway.log()) ? 'the log shows it' : undefined;
  },
}));

/** Opens a legacy call that makes the gateway ask its client; resolves once the question is there, with a way to hang up. */
async function provokeQuestion(
  gateway: Gateway,
  session: string,
  id: number,
): Promise<{ asked: boolean; text: string; hangUp(): void }> {
  return new Promise((resolve) => {
    let text = '';
    const asking = httpRequest(
      gateway.http,
      {
        method: 'POST',
        agent: false,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
          'mcp-session-id': session,
        },
      },
      (response) => {
        const finish = () =>
          resolve({ asked: text.includes('elicitation/create'), text, hangUp: () => asking.destroy() });
        response.on('error', finish);
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          if (text.includes('elicitation/create')) finish();
        });
        response.on('end', finish);
      },
    );
    asking.on('error', () => resolve({ asked: false, text: 'refused', hangUp: () => {} }));
    asking.end(
      JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: TOOL('delete_item'), arguments: { id: String(id) } },
      }),
    );
  });
}

async function openSession(gateway: Gateway, capabilities: object): Promise<string | null> {
  const response = await fetch(gateway.http, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'attack', version: '0' } },
    }),
  });
  await response.text();
  return response.headers.get('mcp-session-id');
}

/** Whether the upstream's request ended before it was answered. */
function untilAbandoned(attack: {
  upstream: { respond(how: (arrival: unknown, response: import('node:http').ServerResponse) => void): void };
}) {
  let arrive = () => {};
  let abandon = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const abandoned = new Promise<boolean>((resolve) => {
    abandon = () => resolve(true);
  });
  attack.upstream.respond((_arrival, response) => {
    response.once('close', () => abandon());
    arrive();
  });
  return { arrived, abandoned };
}

const QUESTIONS: readonly Case[] = [
  {
    part: 'C',
    id: '1,200 questions of one legacy client, then hang up: others are still asked',
    limitMs: 60_000,
    run: async ({ launch, upstream }) => {
      const gateway = await launch(hostileApi(upstream.url, 'tools'));
      const session = await openSession(gateway, { elicitation: {} });
      if (!session) return 'no session was opened for a client that can be asked';
      for (let round = 0; round < 24; round++) {
        const open = await Promise.all(
          Array.from({ length: 50 }, (_, index) =>
            Promise.race([provokeQuestion(gateway, session, round * 50 + index), pause(5_000).then(() => undefined)]),
          ),
        );
        for (const one of open) one?.hangUp();
      }
      const other = await openSession(gateway, { elicitation: {} });
      const { asked, text, hangUp } = await provokeQuestion(gateway, other ?? '', 7);
      hangUp();
      return asked ? undefined : `another client was not asked: ${text.slice(0, 200)}`;
    },
  },
  {
    part: 'C',
    id: '1,200 questions of one legacy client that stays: others are still asked',
    limitMs: 60_000,
    run: async ({ launch, upstream }) => {
      const gateway = await launch(hostileApi(upstream.url, 'tools'));
      const socket = await openSocket(gateway.tcpPort);
      socket.resume();
      socket.write(
        `${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: { name: 'x', version: '0' } } })}\n`,
      );
      await pause(200);
      for (let index = 1; index <= 1_200; index++) {
        socket.write(
          `${JSON.stringify({ jsonrpc: '2.0', id: index, method: 'tools/call', params: { name: TOOL('delete_item'), arguments: { id: String(index) } } })}\n`,
        );
        if (index % 50 === 0) await pause(10);
      }
      await pause(500);
      const session = await openSession(gateway, { elicitation: {} });
      const { asked, text, hangUp } = await provokeQuestion(gateway, session ?? '', 7);
      hangUp();
      socket.destroy();
      return asked ? undefined : `another client was not asked: ${text.slice(0, 200)}`;
    },
  },
  ...([{}, { elicitation: {} }] as const).map(
    (capabilities): Case => ({
      part: 'C',
      id: `legacy HTTP: notifications/cancelled with capabilities ${JSON.stringify(capabilities)}`,
      fixture: 'tools',
      run: async (attack) => {
        const { gateway } = attack;
        const { arrived, abandoned } = untilAbandoned(attack);
        const session = await openSession(gateway, capabilities);
        const headers = { 'mcp-protocol-version': '2025-11-25', ...(session && { 'mcp-session-id': session }) };
        void post(gateway.http, JSON.stringify({ ...CALL, id: 'to-cancel' }), headers);
        await arrived;
        await post(
          gateway.http,
          JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'to-cancel' } }),
          headers,
        );
        return (await Promise.race([abandoned, pause(3_000).then(() => false)])) ? undefined : 'the call goes on';
      },
    }),
  ),
  {
    part: 'C',
    id: 'legacy HTTP: one client cannot cancel the call of another',
    fixture: 'tools',
    run: async (attack) => {
      const { gateway } = attack;
      const { arrived, abandoned } = untilAbandoned(attack);
      const [victim, attacker] = [
        await openSession(gateway, { elicitation: {} }),
        await openSession(gateway, { elicitation: {} }),
      ];
      const headers = (session: string | null) => ({
        'mcp-protocol-version': '2025-11-25',
        ...(session && { 'mcp-session-id': session }),
      });
      void post(gateway.http, JSON.stringify({ ...CALL, id: 'to-cancel' }), headers(victim));
      await arrived;
      const cancelled = JSON.stringify({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 'to-cancel' },
      });
      await post(gateway.http, cancelled, headers(attacker));
      await post(gateway.http, cancelled, headers(null));
      return (await Promise.race([abandoned, pause(1_000).then(() => false)]))
        ? 'the call of another client was cancelled'
        : undefined;
    },
  },
  ...(['modern', 'legacy'] as const).map(
    (era): Case => ({
      part: 'C',
      id: `TCP and stdio, ${era}: notifications/cancelled without capabilities`,
      fixture: 'tools',
      run: async (attack) => {
        for (const { name, open } of doorsOf(attack.gateway)) {
          if (name.startsWith('http') || !name.endsWith(era)) continue;
          const { arrived, abandoned } = untilAbandoned(attack);
          const door = await open();
          const params = era === 'modern' ? envelope(CALL.params) : CALL.params;
          void door.raw(`${JSON.stringify({ ...CALL, params, id: 'to-cancel' })}\n`);
          await arrived;
          void door.raw(
            `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'to-cancel' } })}\n`,
          );
          const ended = await Promise.race([abandoned, pause(3_000).then(() => false)]);
          door.close();
          if (!ended) return `${name}: the call goes on`;
        }
        return undefined;
      },
    }),
  ),
  {
    part: 'C',
    id: 'modern HTTP: hanging up ends the call at the upstream',
    fixture: 'tools',
    run: async (attack) => {
      const { arrived, abandoned } = untilAbandoned(attack);
      const params = envelope(CALL.params);
      const asking = httpRequest(attack.gateway.http, {
        method: 'POST',
        agent: false,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...modernHeaders('tools/call', params),
        },
      });
      asking.on('error', () => {});
      asking.end(JSON.stringify({ ...CALL, params }));
      await arrived;
      asking.destroy();
      return (await Promise.race([abandoned, pause(3_000).then(() => false)])) ? undefined : 'the call goes on';
    },
  },
];

/** The library, as somebody's own program uses it: the answer is what its script prints. */
function library(id: string, name: string): Case {
  return {
    part: 'C',
    id: `library: ${id}`,
    limitMs: 30_000,
    run: ({ upstream }) =>
      new Promise((resolve) => {
        execFile(process.execPath, [LIBRARY, name, upstream.url], { timeout: 25_000 }, (error, stdout, stderr) => {
          if (error) resolve(`the script failed: ${stderr.slice(-300)}`);
          else if (upstream.arrivals.length !== 1)
            resolve(`${upstream.arrivals.length} requests reached the upstream, not one: ${stdout.slice(0, 200)}`);
          else resolve(undefined);
        });
      }),
  };
}

export const DOOR_CASES: readonly Case[] = [
  ...PAGES,
  ...SECRETS,
  ...QUESTIONS,
  library('middleware that calls next() twice sends one request', 'twice'),
  library('middleware that calls next() twice at once sends one request', 'at-once'),
  library('middleware that calls next() again after it has answered sends one request', 'late'),
];
