// Two workers on one port: the built program, with real connections. The tests check what reached the API.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { run, type Served, serve } from '../support/cli.ts';
import { legacy, post, type Rpc } from '../support/mcp.ts';
import { until } from '../support/until.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';
import { connectFresh, isRunning, pidOf, readLog } from '../support/workers.ts';

const KEYS = { free: key(), slow: key(), narrow: key() };
const CALLS_AN_HOUR = 30;

let folder: string;
let upstream: Upstream;
/** Answers that the test sends later. */
const held: ServerResponse[] = [];
let gateway: Served;

function key(): string {
  return `lb_${randomBytes(32).toString('base64url')}`;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'landbridge-workers-'));
  upstream = await startUpstream(({ url }, response) => {
    if (url === '/wait') held.push(response);
    else response.end('{"ok":true}');
  });
  const id = { id: { type: 'integer', required: true } };
  writeFileSync(
    join(folder, 'pets.yaml'),
    JSON.stringify({
      name: 'pets',
      baseUrl: upstream.url,
      endpoints: {
        list: { path: '/pets', summary: 'Lists pets.' },
        wait: { path: '/wait', summary: 'Takes its time.' },
        delete: { method: 'DELETE', path: '/pets/{id}', summary: 'Removes a pet.', args: id },
      },
    }),
  );
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  writeFileSync(
    join(folder, 'landbridge.yaml'),
    JSON.stringify({
      domains: ['./pets.yaml'],
      exposure: 'tools',
      workers: 2,
      audit: { file: 'audit.jsonl' },
      auth: {
        keys: [
          { name: 'free', sha256: sha256(KEYS.free) },
          { name: 'narrow', sha256: sha256(KEYS.narrow), limits: { concurrent: 3, queue: 0 } },
          { name: 'slow', sha256: sha256(KEYS.slow), limits: { rate: `${CALLS_AN_HOUR}/hour` } },
        ],
      },
    }),
  );
  gateway = await serve(['--tcp', '0'], { cwd: folder });
});
afterEach(() => {
  upstream.seen.length = 0;
  for (const response of held.splice(0)) response.end('{"late":true}');
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
}

let id = 0;

/** On a separate connection. */
async function call(name: string, args: object = {}, as = KEYS.free): Promise<Result> {
  const message = legacy(++id, 'tools/call', { name, arguments: args });
  const { body } = await post(gateway.http, JSON.stringify(message), {
    authorization: `Bearer ${as}`,
    'mcp-protocol-version': '2025-06-18',
  });
  const { result, error } = JSON.parse(body) as Rpc;
  if (error) throw new Error(error.message);
  return result as unknown as Result;
}

const callsOf = (slot: number) => readLog(gateway).filter(({ worker, msg }) => worker === slot && msg === 'call');

test('workers announce once that they serve and how many they are, and each log line has its worker', async () => {
  expect(gateway).toMatchObject({ workers: 2, http: expect.stringMatching(/^http:/), tcp: expect.any(String) });
  for (let count = 0; count < 8; count++) await call('pets_list');
  await until(() => callsOf(1).length + callsOf(2).length >= 8);
  expect(callsOf(1).length).toBeGreaterThan(0);
  expect(callsOf(2).length).toBeGreaterThan(0);
  expect(readLog(gateway).filter(({ text }) => text !== undefined)).toEqual([]);
});

test('workers serve one TCP port', async () => {
  const [host = '', port] = gateway.tcp.split(':');
  const ask = () =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), host, () =>
        socket.write(`AUTH ${KEYS.free}\n${JSON.stringify(legacy(1, 'tools/call', { name: 'pets_list' }))}\n`),
      );
      socket.once('data', (chunk) => {
        resolve(chunk.toString());
        socket.destroy();
      });
      socket.once('error', reject);
    });
  const answers = await Promise.all([ask(), ask(), ask(), ask()]);
  expect(answers.map((text) => (JSON.parse(text) as Rpc).result?.isError ?? false)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test('workers accept a confirmation once in total, whichever of them is asked', async () => {
  const ids = Array.from({ length: 60 }, (_, index) => index + 1);
  await Promise.all(
    ids.map(async (pet) => {
      const { structuredContent } = await call('pets_delete', { id: pet });
      const again = { id: pet, confirmation_token: structuredContent?.confirmation_token };
      const results = await Promise.all([1, 2, 3, 4].map(() => call('pets_delete', again)));
      expect(results.filter(({ isError }) => !isError)).toHaveLength(1);
    }),
  );
  const deleted = upstream.seen.filter(({ method }) => method === 'DELETE').map(({ url }) => url);
  expect(deleted.sort()).toEqual(ids.map((pet) => `/pets/${pet}`).sort());
});

test('workers know each other’s sessions', async () => {
  const client = await connectFresh(gateway.http, { authorization: `Bearer ${KEYS.free}` });
  for (let count = 0; count < 10; count++) expect((await client.listTools()).tools).toHaveLength(3);
  await client.close();
});

test('workers share the rate limit of a caller', async () => {
  const results = await Promise.all(Array.from({ length: 4 * CALLS_AN_HOUR }, () => call('pets_list', {}, KEYS.slow)));
  expect(results.filter(({ isError }) => !isError)).toHaveLength(CALLS_AN_HOUR);
  expect(upstream.seen).toHaveLength(CALLS_AN_HOUR);
});

test('workers pass the answer of a person to the worker that asked', async () => {
  let questions = 0;
  const client = await connectFresh(gateway.http, { authorization: `Bearer ${KEYS.free}` }, () => {
    questions++;
    return { action: 'accept', content: { confirm: true } };
  });
  const ids = Array.from({ length: 30 }, (_, index) => 1_000 + index);
  // Ten at a time: open questions are counted by worker, and one of them may get all of these while the other is busy.
  for (const some of [ids.slice(0, 10), ids.slice(10, 20), ids.slice(20)]) {
    const calls = some.map((pet) => client.callTool({ name: 'pets_delete', arguments: { id: pet } }));
    expect((await Promise.all(calls)).filter(({ isError }) => isError)).toEqual([]);
  }
  expect(questions).toBe(ids.length);
  const deleted = upstream.seen.filter(({ method }) => method === 'DELETE').map(({ url }) => url);
  expect(deleted.sort()).toEqual(ids.map((pet) => `/pets/${pet}`).sort());
  await client.close();
});

test('workers share the concurrency limit of a caller', async () => {
  const calls = Array.from({ length: 20 }, () => call('pets_wait', {}, KEYS.narrow));
  const refused = calls.map((one) => one.then(({ structuredContent }) => structuredContent?.failure_mode));
  let turnedAway = 0;
  for (const one of refused) void one.then((mode) => mode === 'rate_limited' && turnedAway++);
  await until(() => turnedAway + held.length === calls.length);
  expect(held).toHaveLength(3);
  for (const response of held.splice(0)) response.end('{"late":true}');
  expect((await Promise.all(calls)).filter(({ isError }) => !isError)).toHaveLength(3);
});

test('workers go on when one of them is killed under load: only its calls fail, and it is replaced', async () => {
  const before = await pidOf(gateway, 1);
  const other = await pidOf(gateway, 2);
  const LOOPS = 6;
  let isOver = false;
  let answered = 0;
  const failed: number[] = [];
  const load = Array.from({ length: LOOPS }, async (_, loop) => {
    while (!isOver) {
      try {
        const client = await connectFresh(gateway.http, { authorization: `Bearer ${KEYS.free}` });
        await client.callTool({ name: 'pets_list', arguments: {} });
        await client.close();
        answered++;
      } catch {
        failed.push(loop);
      }
    }
  });
  await until(() => answered > 20);
  process.kill(before, 'SIGKILL');
  const after = await pidOf(gateway, 1, before);
  const served = callsOf(1).length;
  await until(() => callsOf(1).length > served);
  isOver = true;
  await Promise.all(load);
  // Each loop has one request in progress at a time.
  expect(failed.length).toBe(new Set(failed).size);
  expect(await pidOf(gateway, 2)).toBe(other);
  expect(isRunning(after)).toBe(true);
  expect(readLog(gateway)).toContainEqual(expect.objectContaining({ worker: 1, signal: 'SIGKILL', restartInMs: 100 }));
});

test('connections on their way to a worker that died are closed', async () => {
  const pid = await pidOf(gateway, 2);
  process.kill(pid, 'SIGSTOP');
  const ended: Promise<string>[] = [];
  // Every second connection goes to the worker that is stopped.
  const sent = Array.from({ length: 6 }, () => call('pets_list'));
  for (const one of sent)
    ended.push(
      one.then(
        () => 'answered',
        () => 'hung up on',
      ),
    );
  const answered = new Set<number>();
  ended.forEach((one, index) => void one.then(() => answered.add(index)));
  await until(() => answered.size >= 5);
  process.kill(pid, 'SIGKILL');
  expect((await Promise.all(ended)).filter((how) => how === 'answered').length).toBeGreaterThanOrEqual(5);
  await pidOf(gateway, 2, pid);
});

test('workers write one audit file each, and all of them verify', async () => {
  const calls = readLog(gateway).filter(({ msg }) => msg === 'call').length;
  expect(await gateway.stop()).toBe(0);
  const { code, stdout } = await run(['audit', 'verify', '--json', '--closed'], { cwd: folder });
  const { ok, chains } = JSON.parse(stdout) as {
    ok: boolean;
    chains: { worker: number; files: string[]; calls: number }[];
  };
  expect({ code, ok }).toEqual({ code: 0, ok: true });
  expect(chains.map(({ worker, files }) => [worker, files.map((file) => basename(file))])).toEqual([
    [1, ['audit-1.jsonl']],
    [2, ['audit-2.jsonl']],
  ]);
  // Log lines that a killed worker had not yet written are lost; records are not.
  expect(chains[0]!.calls + chains[1]!.calls).toBeGreaterThanOrEqual(calls);
  const named = await run(['audit', 'verify', 'audit-2.jsonl', 'audit-1.jsonl'], { cwd: folder });
  expect(named.code).toBe(0);
  expect(named.stdout).toMatch(/^Worker 1\n.*\nWorker 2\n/s);
  const text = readFileSync(join(folder, 'audit-2.jsonl'), 'utf8');
  writeFileSync(join(folder, 'audit-2.jsonl'), text.replace('"pets_list"', '"pets_find"'));
  const changed = await run(['audit', 'verify'], { cwd: folder });
  expect(changed.code).toBe(1);
  expect(changed.stdout).toContain('audit-2.jsonl');
});
