// One admin listener for several workers, as in a real gateway: sums over all of them, which never decrease.

import { afterEach, expect, test } from 'vitest';
import { WorkersView } from '../../src/cli/admin/workers-view.ts';
import { WorkerSnapshots } from '../../src/telemetry/merge-snapshots.ts';
import { type Served, serve } from '../support/cli.ts';
import { legacy, post } from '../support/mcp.ts';
import { useRealHttp } from '../support/real-http.ts';
import { scrape } from '../support/scrape.ts';

useRealHttp();

const counter = (value: number) => ({
  name: 'some_total',
  help: 'Some.',
  type: 'counter',
  aggregator: 'sum',
  values: [{ labels: { a: '1' }, value }],
});
const gauge = (value: number) => ({ ...counter(value), name: 'other', type: 'gauge', aggregator: 'max' });

test('counters of a worker that ended are kept, its gauges are not', () => {
  const all = new WorkerSnapshots();
  all.update(1, [counter(3), gauge(9)]);
  all.update(2, [counter(4), gauge(5)]);
  const read = () => all.merge().map(({ name, values }) => [name, values[0]?.value]);
  expect(read()).toEqual([
    ['some_total', 7],
    ['other', 9],
  ]);
  all.keepCounters(1);
  expect(read()).toEqual([
    ['some_total', 7],
    ['other', 5],
  ]);
  // The worker that replaces it starts at zero.
  all.update(1, [counter(1), gauge(2)]);
  expect(read()).toEqual([
    ['some_total', 8],
    ['other', 5],
  ]);
  all.keepCounters(1);
  all.keepCounters(2);
  expect(read()).toEqual([['some_total', 8]]);
});

test('a request for readiness does not make workers collect their metrics', async () => {
  const asked: string[] = [];
  let hear: (message: unknown) => void = () => {};
  const parts = { wanted: 1, level: 'info', setLevel: () => {}, isStopping: () => false };
  const view = new WorkersView(parts);
  view.attach(1, {
    send: (message) => {
      const { kind, id } = message as { kind: string; id: number };
      asked.push(kind);
      hear({ kind: 'report', id, reasons: [], ...(kind === 'report' && { snapshots: [counter(5)] }) });
    },
    onMessage: (listener) => {
      hear = listener;
    },
  });
  hear({ kind: 'begun' });
  expect(await view.readiness()).toMatchObject({ isReady: true, workers: { wanted: 1, ready: 1 } });
  expect(asked).toEqual(['reasons']);
  expect((await view.metrics()).find(({ name }) => name === 'some_total')?.values[0]?.value).toBe(5);
  // The counters stay the same, however often they are read.
  await view.readiness();
  expect(asked).toEqual(['reasons', 'report', 'reasons']);
});

let gateway: (Served & { readonly admin?: string }) | undefined;
afterEach(async () => {
  await gateway?.stop();
});

test('the admin listener shows all workers together: calls, readiness and the log level', {
  timeout: 120_000,
}, async () => {
  gateway = await serve(['--workers', '2', '--admin-port', '0', '--grace', '1'], {
    env: { LANDBRIDGE_DRAIN_SECONDS: '0' },
  });
  const admin = gateway.admin!;
  const list = JSON.stringify(legacy(1, 'tools/call', { name: 'tasks_list_tasks', arguments: {} }));
  for (let index = 0; index < 40; index++) await post(gateway.http, list);
  const readiness = async () => (await fetch(`${admin}/readyz`)).json() as Promise<{ workers: { ready: number } }>;
  while ((await readiness()).workers.ready < 2) await new Promise((resolve) => setTimeout(resolve, 50));
  const before = await scrape(admin);
  expect(before.sum('landbridge_calls_total', { outcome: 'ok' })).toBe(40);
  expect(before.sum('landbridge_workers', { state: 'running' })).toBe(2);
  const pid = Number(/"worker":1,"pid":(\d+)/.exec(gateway.log())?.[1]);
  process.kill(pid, 'SIGKILL');
  while ((await scrape(admin)).sum('landbridge_worker_exits_total') < 1)
    await new Promise((resolve) => setTimeout(resolve, 50));
  expect((await scrape(admin)).sum('landbridge_calls_total', { outcome: 'ok' })).toBe(40);
  while ((await readiness()).workers.ready < 2) await new Promise((resolve) => setTimeout(resolve, 50));
  // The level applies to all: no worker writes lines of calls any more.
  await fetch(`${admin}/log-level`, { method: 'PUT', body: '{"level":"error"}' });
  await scrape(admin);
  const lines = () => gateway!.log().split('"msg":"call"').length;
  const written = lines();
  for (let index = 0; index < 20; index++) await post(gateway.http, list);
  expect((await scrape(admin)).sum('landbridge_calls_total', { outcome: 'ok' })).toBe(60);
  expect(await gateway.stop()).toBe(0);
  expect(lines()).toBe(written);
  gateway = undefined;
});
