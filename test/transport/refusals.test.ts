// Whoever is turned away is counted, and logged with its address; nobody fills the log with it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import type { HttpOptions } from '../../src/transport/http-listener.ts';
import { createRefusals, type Refusals } from '../../src/transport/refusals.ts';
import { legacy, serveHttp } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { openRaw, rawPost } from '../support/raw.ts';
import { useRealHttp } from '../support/real-http.ts';
import { until } from '../support/until.ts';

useRealHttp();

type Line = readonly [message: string, facts: Record<string, unknown>];

function recordRefusals(): { refusals: Refusals; lines: Line[] } {
  const lines: Line[] = [];
  const refusals = createRefusals((facts, message) => void lines.push([message, { ...facts }]));
  return { refusals, lines };
}

let gateway: Gateway;
beforeAll(() => {
  gateway = createGateway({ domains: [petsDomain('http://127.0.0.1:1')], exposure: 'tools' });
});
afterAll(() => gateway.close());

const ping = JSON.stringify(legacy(1, 'ping'));
const alice = { principal: { id: 'key:alice' } };

describe('a refused HTTP request', () => {
  test.each<[string, string, Partial<HttpOptions>, Record<string, unknown>]>([
    [
      'a foreign Host',
      rawPost(ping, { host: 'evil.example' }),
      {},
      { reason: 'host', status: 403, host: 'evil.example' },
    ],
    ['two Hosts', rawPost(ping, { host: 'a\r\nhost: b' }), {}, { reason: 'host', status: 400 }],
    ['a foreign Origin', rawPost(ping, { origin: 'null' }), {}, { reason: 'origin', status: 403, origin: 'null' }],
    ['nobody', rawPost(ping), { identify: () => undefined }, { reason: 'unauthorized', status: 401 }],
    [
      'somebody who may not',
      rawPost(ping),
      { identify: () => ({ status: 403, message: 'No.', caller: 'key:bob' }) },
      { reason: 'forbidden', status: 403, principal: 'key:bob' },
    ],
    ['another type', rawPost(ping, { 'content-type': 'text/plain' }), {}, { reason: 'media_type', status: 415 }],
    [
      'a body too large',
      rawPost('x'.repeat(50)),
      { maxBodyBytes: 20, identify: () => alice },
      { reason: 'too_large', status: 413, principal: 'key:alice' },
    ],
    [
      'no JSON-RPC',
      rawPost('{"no": 1', { connection: 'close' }),
      { identify: () => alice },
      { reason: 'malformed', why: 'parse_error', status: 400, principal: 'key:alice', path: undefined },
    ],
    ['too many headers', rawPost(ping, { a: `1${'\r\na: 1'.repeat(300)}` }), {}, { reason: 'headers', status: 431 }],
    [
      'headers too long',
      rawPost(ping, { a: 'x'.repeat(20_000) }),
      {},
      { reason: 'headers', status: 431, path: undefined },
    ],
    ['no HTTP', 'nonsense\r\n\r\n', {}, { reason: 'malformed', status: 400, path: undefined }],
    ['no room', rawPost(ping), { maxInFlight: 0 }, { reason: 'busy', status: 503 }],
    [
      'a profile that is none',
      rawPost(ping, { connection: 'close' }).replace('/mcp', '/mcp/nobody'),
      {},
      { reason: 'not_found', status: 404, path: '/mcp/nobody' },
    ],
    [
      'another method',
      'DELETE /mcp HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n',
      {},
      { reason: 'method', status: 405 },
    ],
  ])('of %s is counted, and logged with reason and address', async (_who, text, options, facts) => {
    const { refusals, lines } = recordRefusals();
    const server = await serveHttp(gateway, { ...options, refusals });
    const raw = await openRaw(server.port);
    raw.socket.write(text);
    await raw.closed;
    await until(() => lines.length > 0);
    await server.close(0);
    expect(lines).toEqual([['refused', { transport: 'http', remote: '127.0.0.1', path: '/mcp', ...facts }]]);
    expect([...refusals.counts]).toEqual([[facts.reason, 1]]);
  });

  test('is logged with what an operator needs, which the caller is not told', async () => {
    const { refusals, lines } = recordRefusals();
    const refusal = { status: 401, message: 'No.', why: 'the key of ci expired 2020-01-01', details: { issuer: 'x' } };
    const server = await serveHttp(gateway, { refusals, identify: () => refusal });
    const raw = await openRaw(server.port);
    raw.socket.write(rawPost(ping));
    expect(await raw.closed).not.toMatch(/expired|issuer/);
    await server.close(0);
    expect(lines).toMatchObject([['refused', { reason: 'unauthorized', why: refusal.why, issuer: 'x' }]]);
  });

  test('is logged with the address from a trusted proxy', async () => {
    const { refusals, lines } = recordRefusals();
    const server = await serveHttp(gateway, { refusals, trustedProxies: ['127.0.0.1'], identify: () => undefined });
    const raw = await openRaw(server.port);
    raw.socket.write(rawPost(ping, { 'x-forwarded-for': '203.0.113.9' }));
    await raw.closed;
    await server.close(0);
    expect(lines).toMatchObject([['refused', { reason: 'unauthorized', remote: '203.0.113.9' }]]);
  });

  test('is not a request that was served', async () => {
    const { refusals, lines } = recordRefusals();
    const server = await serveHttp(gateway, { refusals });
    const raw = await openRaw(server.port);
    raw.socket.write(rawPost(ping, { connection: 'close' }));
    expect(await raw.closed).toMatch(/^HTTP\/1\.1 200 /);
    await server.close(0);
    expect([lines, refusals.counts.size]).toEqual([[], 0]);
  });
});

describe('a flood of refusals', () => {
  test('from one address is one line, and one summary', () => {
    const { refusals, lines } = recordRefusals();
    for (let i = 0; i < 100_000; i++)
      refusals.note({ transport: 'http', reason: 'unauthorized', status: 401, remote: '203.0.113.9' });
    refusals.flush();
    expect(lines).toMatchObject([
      ['refused', { reason: 'unauthorized', remote: '203.0.113.9' }],
      ['refused more', { reason: 'unauthorized', count: 99_999, remotes: { '203.0.113.9': 99_999 } }],
    ]);
    expect(refusals.counts.get('unauthorized')).toBe(100_000);
  });

  test('for several causes is a line for each, and they are counted separately', () => {
    const { refusals, lines } = recordRefusals();
    const note = (why: string) =>
      refusals.note({ transport: 'http', reason: 'unauthorized', remote: '203.0.113.9', why });
    for (const why of ['no credential', 'unknown key or token', 'no credential', 'no credential']) note(why);
    note('unknown key or token');
    refusals.flush();
    expect(lines).toMatchObject([
      ['refused', { why: 'no credential' }],
      ['refused', { why: 'unknown key or token' }],
      [
        'refused more',
        { count: 3, whys: { 'no credential': 2, 'unknown key or token': 1 }, remotes: { '203.0.113.9': 3 } },
      ],
    ]);
  });

  test('from many addresses, for every reason, is a few lines, and all are counted', () => {
    const { refusals, lines } = recordRefusals();
    const reasons = ['host', 'origin', 'unauthorized', 'malformed', 'tls'] as const;
    for (let i = 0; i < 100_000; i++) {
      const remote = `2001:db8::${(i >> 16).toString(16)}:${(i & 0xffff).toString(16)}`;
      refusals.note({ transport: 'tcp', reason: reasons[i % 5]!, remote });
    }
    refusals.flush();
    expect(lines.length).toBeLessThanOrEqual(25);
    const summed = lines.reduce((sum, [, { count }]) => sum + ((count as number | undefined) ?? 1), 0);
    expect(summed).toBe(100_000);
    expect(reasons.map((reason) => refusals.counts.get(reason))).toEqual(reasons.map(() => 20_000));
  });

  test('is logged again at once after a pause', async () => {
    const lines: string[] = [];
    const refusals = createRefusals((_facts, message) => void lines.push(message), 5);
    const note = () => refusals.note({ transport: 'http', reason: 'host', remote: '203.0.113.9' });
    note();
    note();
    await until(() => lines.length === 2);
    note();
    expect(lines).toEqual(['refused', 'refused more', 'refused']);
  });
});
