// D: raw TCP where callers are told apart: nothing is executed before a good first line, whatever it looks like.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Attack, Case } from '../case.ts';
import { openSocket } from '../doors.ts';
import type { Gateway } from '../gateway.ts';
import { startIssuer } from '../issuer.ts';
import { document, ID, operation } from './small-api.ts';

const KEY = `lb_${randomBytes(32).toString('base64url')}`;
const READER = `lb_${randomBytes(32).toString('base64url')}`;
const sha256 = (key: string) => createHash('sha256').update(key).digest('hex');

const CALL = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_things', arguments: {} } })}\n`;
const WRITE = CALL.replace('list_things', 'create_thing');
const REMOVE = CALL.replace('list_things', 'remove_thing').replace('{}', '{"id":"1"}');

function launchWith(attack: Attack, settings: object = {}): Promise<Gateway> {
  const paths = {
    '/things': { get: operation('list_things'), post: operation('create_thing') },
    '/things/{id}': { delete: operation('remove_thing', { parameters: ID }) },
  };
  return attack.launch({
    files: {
      'api.json': document(attack.upstream.url, paths),
      'landbridge.yaml': JSON.stringify({
        domains: ['./api.json'],
        exposure: 'tools',
        guard: 'allow',
        auth: {
          keys: [
            { name: 'all', sha256: sha256(KEY) },
            { name: 'reader', sha256: sha256(READER), effects: ['read'] },
          ],
        },
        ...settings,
      }),
    },
  });
}

/** Sends pieces one after the other, and waits for the end or for a while. */
async function speak(gateway: Gateway, pieces: readonly string[], waitMs = 700): Promise<string> {
  const socket = await openSocket(gateway.tcpPort);
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.race([once(socket, 'close'), new Promise((resolve) => setTimeout(resolve, waitMs))]);
  socket.destroy();
  return text;
}

const BEFORE: readonly (readonly [string, readonly string[]])[] = [
  ['nothing', [CALL]],
  ['a wrong key', [`AUTH ${KEY}x\n`, CALL]],
  ['the hash of the key', [`AUTH ${sha256(KEY)}\n`, CALL]],
  ['half a key and then a call', [`AUTH ${KEY.slice(0, 20)}`, `\n${CALL}`]],
  ['an empty key', ['AUTH \n', CALL]],
  ['a web page’s request', [`POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`, CALL]],
  ['the key as JSON-RPC', [`{"jsonrpc":"2.0","id":1,"method":"auth","params":{"key":"${KEY}"}}\n`, CALL]],
  ['a call and then the key', [CALL, `AUTH ${KEY}\n`]],
  ['a hundred thousand characters', [`AUTH ${'a'.repeat(100_000)}\n`, CALL]],
  ['no end of line', [`AUTH ${'a'.repeat(500_000)}`]],
  ['bytes that are no text', ['AUTH \u0000\u0001\u0002\n', CALL]],
  ['two wrong keys and the right one', ['AUTH a\nAUTH b\n', `AUTH ${KEY}\n`, CALL]],
];

export const KEY_LINE_CASES: readonly Case[] = [
  {
    part: 'D',
    id: 'TCP: nothing is done before a good key',
    limitMs: 40_000,
    run: async (attack) => {
      const gateway = await launchWith(attack);
      for (const [what, pieces] of BEFORE) {
        const text = await speak(gateway, pieces);
        if (attack.upstream.arrivals.length > 0) return `${what}: the call reached the API`;
        if (text.includes('"result"')) return `${what}: ${text.slice(0, 200)}`;
      }
      await speak(gateway, [`AUTH ${KEY}\n`, CALL]);
      return attack.upstream.arrivals.length === 1 ? undefined : 'a good key opened nothing: the case shows nothing';
    },
  },
  {
    part: 'D',
    id: 'TCP: a key of reads does nothing else',
    limitMs: 40_000,
    run: async (attack) => {
      const gateway = await launchWith(attack);
      await speak(gateway, [`AUTH ${READER}\n`, WRITE, REMOVE]);
      await speak(gateway, [`AUTH ${READER}\n`, `AUTH ${KEY}\n`, WRITE]);
      const [wrong] = attack.upstream.arrivals;
      if (wrong) return `${wrong.method} ${wrong.url} reached the API`;
      await speak(gateway, [`AUTH ${READER}\n`, CALL]);
      return attack.upstream.arrivals.length === 1 ? undefined : 'its read was refused: the case shows nothing';
    },
  },
  {
    part: 'D',
    id: 'TCP: neither strangers nor one caller take every place from the others',
    limitMs: 40_000,
    run: async (attack) => {
      const gateway = await launchWith(attack);
      const crowd: Socket[] = [];
      for (const first of ['', 'AUTH ', `AUTH ${READER}\n`]) {
        for (let at = 0; at < 150; at++) {
          const socket = await openSocket(gateway.tcpPort);
          socket.write(first);
          crowd.push(socket);
        }
        attack.upstream.arrivals.length = 0;
        await speak(gateway, [`AUTH ${KEY}\n`, CALL]);
        if (attack.upstream.arrivals.length !== 1) return `after 150 connections with "${first}" nobody else gets in`;
      }
      for (const socket of crowd) socket.destroy();
      return undefined;
    },
  },
  {
    part: 'D',
    id: 'TCP: an access token opens what its scopes allow, and a bad one nothing',
    limitMs: 40_000,
    run: async (attack) => {
      const issuer = await startIssuer();
      try {
        const gateway = await launchWith(attack, {
          publicUrl: 'http://127.0.0.1:3999',
          auth: { oauth: [{ issuer: issuer.url, scopes: { read: ['api.read'], write: ['api.write'] } }] },
        });
        const audience = 'http://127.0.0.1:3999/mcp';
        const past = Math.floor(Date.now() / 1_000) - 3_600;
        const bad: readonly (readonly [string, string])[] = [
          ['for another audience', await issuer.mint('http://127.0.0.1:3999/other')],
          ['expired', await issuer.mint(audience, { claims: { exp: past } })],
          ['signed by nobody', await issuer.mint(audience, { foreign: true })],
          ['of another issuer', await issuer.mint(audience, { claims: { iss: 'http://127.0.0.1:1' } })],
          ['without its signature', (await issuer.mint(audience)).replace(/[^.]*$/, '')],
        ];
        for (const [what, token] of bad) {
          await speak(gateway, [`AUTH ${token}\n`, CALL]);
          if (attack.upstream.arrivals.length > 0) return `a token ${what} reached the API`;
        }
        await speak(gateway, [`AUTH ${await issuer.mint(audience)}\n`, WRITE, REMOVE, CALL]);
        const sent = attack.upstream.arrivals.map(({ method }) => method).join();
        return sent === 'GET' ? undefined : `a token of reads did "${sent}"`;
      } finally {
        await issuer.close();
      }
    },
  },
];
