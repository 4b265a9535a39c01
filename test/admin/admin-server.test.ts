// The admin listener, over real sockets: who may use it, what it answers, and what it refuses.

import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createAdminCheck } from '../../src/admin/admin-access.ts';
import { type AdminOptions, type AdminServer, startAdmin } from '../../src/admin/admin-server.ts';
import { type ReadinessProblem, toReadiness } from '../../src/admin/admin-view.ts';
import { createLevelControl } from '../../src/admin/log-level.ts';
import { useRealHttp } from '../support/real-http.ts';

useRealHttp();

let admin: AdminServer | undefined;
let reasons: ReadinessProblem[] = [];
let applied: string[] = [];
let refused: string[] = [];
const token = 'a token of more than thirty-two characters'.replaceAll(' ', '-');

afterEach(async () => {
  await admin?.close();
  admin = undefined;
  [reasons, applied, refused] = [[], [], []];
});

async function open(more: Partial<AdminOptions> = {}): Promise<string> {
  const counter = { name: 'some_total', help: 'Some.', type: 'counter', aggregator: 'sum' };
  admin = await startAdmin(
    {
      metrics: async () => [{ ...counter, values: [{ labels: { why: 'a "quote"\n' }, value: 3 }] }],
      readiness: () => toReadiness(reasons),
      logLevel: createLevelControl('info', (level) => applied.push(level)),
    },
    {
      host: '127.0.0.1',
      port: 0,
      allowedHosts: [],
      version: '1.2.3',
      levels: ['debug', 'info', 'warn'],
      onRefusal: (reason) => refused.push(reason),
      onInternalError: (error) => {
        throw error;
      },
      ...more,
    },
  );
  return `http://127.0.0.1:${admin.port}`;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

function ask(url: string, headers: Record<string, string> = {}, method = 'GET', body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += String(chunk);
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const put = (url: string, body: string) => ask(`${url}/log-level`, {}, 'PUT', body);

test('metrics are Prometheus text, or OpenMetrics if the client accepts it', async () => {
  const url = await open();
  const plain = await ask(`${url}/metrics`);
  expect(plain.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(plain.body).toBe('# HELP some_total Some.\n# TYPE some_total counter\nsome_total{why="a \\"quote\\"\\n"} 3\n');
  const accept = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5';
  const openMetrics = await ask(`${url}/metrics`, { accept });
  expect(openMetrics.headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  expect(openMetrics.body).toBe(
    '# HELP some Some.\n# TYPE some counter\nsome_total{why="a \\"quote\\"\\n"} 3\n# EOF\n',
  );
});

test('readiness has reasons, and only some of them make the gateway unready', async () => {
  const url = await open();
  expect(await ask(`${url}/readyz`)).toMatchObject({ status: 200, body: '{"status":"ready","reasons":[]}\n' });
  reasons = [{ name: 'state', what: 'shared state is down', isUnready: false }];
  expect((await ask(`${url}/readyz`)).status).toBe(200);
  reasons.push({ name: 'draining', what: 'draining', isUnready: true });
  const answer = await ask(`${url}/readyz`);
  expect([answer.status, JSON.parse(answer.body)]).toEqual([503, { status: 'not ready', reasons }]);
  expect(await ask(`${url}/healthz`)).toMatchObject({ status: 200, body: '{"status":"ok"}\n' });
});

test('the log level is changed until the next change, or for a while', async () => {
  const url = await open();
  expect(JSON.parse((await ask(`${url}/log-level`)).body)).toEqual({ level: 'info', configured: 'info' });
  expect(JSON.parse((await put(url, '{"level":"warn"}')).body)).toEqual({ level: 'warn', configured: 'info' });
  const { until, ...state } = JSON.parse((await put(url, '{"level":"debug","seconds":60}')).body) as { until: string };
  expect(state).toEqual({ level: 'debug', configured: 'info' });
  expect(new Date(until).toISOString()).toBe(until);
  expect(applied).toEqual(['warn', 'debug']);
});

test('the configured log level applies again after the time limit', async () => {
  const url = await open();
  const fallen = new Promise<void>((resolve) => {
    const push = applied.push.bind(applied);
    applied.push = (level) => {
      if (level === 'info') resolve();
      return push(level);
    };
  });
  await put(url, '{"level":"debug","seconds":1}');
  await fallen;
  expect(JSON.parse((await ask(`${url}/log-level`)).body)).toEqual({ level: 'info', configured: 'info' });
});

test.each([
  ['no JSON', 'debug', 'The body must be a JSON object'],
  ['a list', '[]', 'The body must be a JSON object'],
  ['no level', '{}', '"level" must be one of debug, info, warn'],
  ['a level that there is not', '{"level":"loud"}', '"level" must be one of debug, info, warn'],
  ['more than it may say', '{"level":"info","for":"ever"}', 'The body may have level and seconds only'],
  ['no time at all', '{"level":"debug","seconds":0}', '"seconds" must be at least 1'],
  ['more than a day', '{"level":"debug","seconds":86401}', '"seconds" must be at most 86400'],
])('a log level with %s is refused with a sentence', async (_what, body, sentence) => {
  const url = await open();
  const answer = await put(url, body);
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.body)).toEqual({
    error: `${sentence}. Send {"level": "debug", "seconds": 600}, for example.`,
  });
  expect(applied).toEqual([]);
});

test('a request body that is too long is not read to its end', async () => {
  const url = await open();
  expect((await put(url, ' '.repeat(5_000))).status).toBe(413);
});

test('a client that disconnects while it sends a body leaves no error in the log', async () => {
  const errors: unknown[] = [];
  const url = await open({ onInternalError: (error) => errors.push(error) });
  const socket = connect(admin!.port, '127.0.0.1');
  socket.write('PUT /log-level HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{');
  await once(socket, 'connect');
  // After the answer to a later request, the first one was handled.
  await ask(`${url}/log-level`);
  socket.destroy();
  for (let turn = 0; turn < 3; turn++) await ask(`${url}/log-level`);
  expect([errors, applied]).toEqual([[], []]);
});

test('the index lists all paths; unknown paths answer 404 and wrong methods 405', async () => {
  const url = await open();
  const { paths } = JSON.parse((await ask(`${url}/`)).body) as { paths: object };
  expect(Object.keys(paths)).toEqual(['/metrics', '/healthz', '/readyz', '/log-level', '/']);
  expect((await ask(`${url}/nothing`)).status).toBe(404);
  expect(await ask(`${url}/log-level`, {}, 'POST')).toMatchObject({ status: 405, headers: { allow: 'GET, PUT' } });
  expect(await ask(`${url}/metrics`, {}, 'HEAD')).toMatchObject({ status: 200, body: '' });
});

test('a web page is refused, with another Host and with an Origin', async () => {
  const url = await open();
  expect((await ask(`${url}/metrics`, { host: 'evil.example' })).status).toBe(403);
  expect((await ask(`${url}/metrics`, { origin: url })).status).toBe(403);
  expect((await ask(`${url}/log-level`, { origin: 'null' }, 'PUT', '{"level":"warn"}')).status).toBe(403);
  expect([refused, applied]).toEqual([['host', 'origin', 'origin'], []]);
  // Load balancers use any address for health checks, and learn nothing else.
  expect((await ask(`${url}/readyz`, { host: 'evil.example' })).status).toBe(200);
});

test('a Host in allowedHosts is served', async () => {
  const url = await open({ allowedHosts: ['gateway'] });
  expect((await ask(`${url}/metrics`, { host: `gateway:${admin!.port}` })).status).toBe(200);
});

test('without a configured token, other machines may read but not change anything', () => {
  const check = createAdminCheck({ host: '0.0.0.0', allowedHosts: ['gateway'] });
  const from = (remoteAddress: string, method: string) =>
    check({ method, headers: { host: 'gateway' }, socket: { remoteAddress } } as unknown as IncomingMessage)?.status;
  expect(['GET', 'HEAD', 'PUT', 'POST', 'DELETE'].map((method) => from('10.0.0.7', method))).toEqual([
    undefined,
    undefined,
    403,
    403,
    403,
  ]);
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) expect(from(address, 'PUT')).toBeUndefined();
});

test('with a configured token, only health and readiness are open without it', async () => {
  const url = await open({ token });
  for (const path of ['/', '/metrics', '/log-level', '/nothing'])
    expect(await ask(`${url}${path}`)).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="landbridge admin"' },
    });
  for (const wrong of [`Bearer ${token}x`, `Bearer ${token.slice(1)}`, `Basic ${token}`, 'Bearer', token])
    expect((await ask(`${url}/metrics`, { authorization: wrong })).status).toBe(401);
  expect((await ask(`${url}/metrics`, { authorization: `Bearer ${token}`, host: 'anything' })).status).toBe(200);
  expect([(await ask(`${url}/healthz`)).status, (await ask(`${url}/readyz`)).status]).toEqual([200, 200]);
});
