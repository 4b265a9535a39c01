// Alerts and dashboard with a real Prometheus that scrapes real gateways: alerts fire when they should, and every panel has data. The
// rules are those of the package with shorter times: no waiting, and windows of seconds.

import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { METRICS, type MetricSpec } from '../../src/telemetry/metric-table.ts';
import { type CertificateFactory, createCertificates } from '../support/certificates.ts';
import { type Served, serve } from '../support/cli.ts';
import { modern } from '../support/mcp.ts';
import { HAS_PROMETHEUS, type Prometheus, startPrometheus } from '../support/prometheus.ts';
import { useRealHttp } from '../support/real-http.ts';
import { freePort, HAS_REDIS, type Redis, startRedis } from '../support/redis.ts';
import { scrape } from '../support/scrape.ts';
import { type Answer, startUpstream, type Upstream } from '../support/upstream.ts';
import { listExpressions, namesIn, RULES } from './shipped.ts';

useRealHttp();

const key = randomBytes(32).toString('base64url');
const eager = randomBytes(32).toString('base64url');
const token = randomBytes(32).toString('base64url');
const WINDOW = '20s';

let folder: string;
let certificates: CertificateFactory;
let agent: Agent;
let upstream: Upstream;
let slow: Upstream;
let answer: Answer;
let redis: Redis;
let gateway: Served;
let full: Served;
let prometheus: Prometheus;
let traffic: NodeJS.Timeout;

const well: Answer = ({ url }, response) =>
  void (url === '/pets' ? response.end('[{"id":7}]') : response.writeHead(url === '/broken' ? 500 : 404).end());
const gone: Answer = (_request, response) => void response.socket?.destroy();

const DOMAINS = (pets: string, waits: string) => ({
  'pets.yaml': `name: pets
baseUrl: ${pets}
endpoints:
  list: { path: /pets, summary: Lists pets. }
  get: { path: '/pets/{id}', summary: Gets a pet., args: { id: { type: integer, required: true } } }
  broken: { path: /broken, summary: Fails. }
  remove: { method: DELETE, path: /pets, summary: Removes all pets. }
`,
  'slow.yaml': `name: slow
baseUrl: ${waits}
limits: { concurrent: 1, queue: 1 }
endpoints:
  wait: { path: /wait, summary: Waits. }
`,
});

const CONFIG = (port: number, state: string, issuer: string) => `port: 0
tls: { cert: server.crt, key: server.key }
state: ${state}
audit: { file: audit.jsonl }
admin: { port: ${port}, host: 0.0.0.0, token: { file: ./token } }
auth:
  keys:
    - { name: ci, file: ./ci.key }
    - { name: eager, file: ./eager.key, limits: { rate: 2/hour } }
  oauth:
    - { issuer: '${issuer}' }
profiles: { reader: { effects: [read] } }
`;

/** The rules of the package with shorter times. */
const quickRules = () => RULES.replace(/for: \S+/g, 'for: 0s').replace(/\[\d+m\]/g, `[${WINDOW}]`);

const quickConfig = (targets: readonly string[]) => `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [alerts.yml]
scrape_configs:
  - job_name: landbridge
    authorization: { credentials: ${token} }
    static_configs: [{ targets: [${targets.map((one) => `'${one}'`).join(', ')}] }]
`;

function call(url: string, name: string, args: object = {}, bearer: string | undefined = key): Promise<number> {
  const body = JSON.stringify(modern(1, 'tools/call', { name, arguments: args }));
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
    ...(bearer !== '' && { authorization: `Bearer ${bearer}` }),
  };
  return new Promise((resolve) => {
    const sent = httpsRequest(url, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', () => resolve(0));
    sent.end(body);
  });
}

/** Calls of every kind, several times a second. */
function makeTraffic(): void {
  const { http } = gateway;
  void call(http, 'pets_list');
  void call(`${http}/reader`, 'pets_get', { id: 7 });
  void call(http, 'pets_get', { id: 'seven' });
  void call(http, 'pets_broken');
  void call(http, 'pets_remove');
  void call(http, 'no_such_tool');
  for (let index = 0; index < 4; index++) void call(http, 'slow_wait');
  void call(http, 'pets_list', {}, eager);
  void call(http, 'pets_list', {}, '');
  void call(full.http, 'pets_list', {}, '');
}

async function startGateways(): Promise<readonly string[]> {
  const issuer = `http://127.0.0.1:${await freePort()}`;
  const [port, fullPort, nobody] = [await freePort(), await freePort(), await freePort()];
  const domains = DOMAINS(upstream.url, slow.url);
  mkdirSync(join(folder, 'domains'));
  for (const [name, text] of Object.entries(domains)) writeFileSync(join(folder, 'domains', name), text);
  writeFileSync(join(folder, 'landbridge.yaml'), CONFIG(port, redis.url, issuer));
  writeFileSync(join(folder, 'token'), token);
  writeFileSync(join(folder, 'ci.key'), key);
  writeFileSync(join(folder, 'eager.key'), eager);
  gateway = await serve([], { cwd: folder });
  // Refuses all calls, because it may use hardly any of its heap.
  writeFileSync(
    join(folder, 'full.yaml'),
    `port: 0\ntls: { cert: server.crt, key: server.key }\ndomains: [domains]\nadmin: { port: ${fullPort} }\nlimits: { shed: { heapPercent: 10 } }\n`,
  );
  full = await serve(['--config', 'full.yaml'], { cwd: folder, env: { NODE_OPTIONS: '--max-old-space-size=80' } });
  return [`127.0.0.1:${port}`, `127.0.0.1:${fullPort}`, `127.0.0.1:${nobody}`];
}

describe.skipIf(!HAS_PROMETHEUS || !HAS_REDIS)('a real Prometheus', { timeout: 180_000 }, () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'landbridge-watched-'));
    certificates = createCertificates();
    const { cert: ca } = certificates.authority('ca');
    const pair = certificates.issue('ca', '/CN=gateway', { san: 'IP:127.0.0.1', usage: 'serverAuth' });
    writeFileSync(join(folder, 'server.crt'), pair.cert);
    writeFileSync(join(folder, 'server.key'), pair.key);
    agent = new Agent({ ca, keepAlive: true });
    answer = well;
    upstream = await startUpstream((request, response) => answer(request, response));
    slow = await startUpstream((_request, response) => void setTimeout(() => response.end('[]'), 300));
    redis = await startRedis();
    const targets = await startGateways();
    prometheus = await startPrometheus({ config: quickConfig(targets), rules: { 'alerts.yml': quickRules() } });
    traffic = setInterval(makeTraffic, 200);
  }, 180_000);

  afterAll(async () => {
    clearInterval(traffic);
    agent?.destroy();
    await prometheus?.close();
    await Promise.all([gateway?.stop('SIGKILL'), full?.stop('SIGKILL')]);
    await Promise.all([upstream?.close(), slow?.close(), redis?.close()]);
    certificates?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const untilFiring = async (...names: readonly string[]) => {
    for (;;) {
      const firing = await prometheus.firing();
      if (names.every((name) => firing.has(name))) return;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  };

  test('has data for every panel of the dashboard and every rule', async () => {
    const missing = new Set(listExpressions().map(({ judged }) => judged));
    while (missing.size > 0) {
      for (const expression of missing) {
        const samples = await prometheus.query(
          expression
            .replaceAll('$__rate_interval', WINDOW)
            .replace(/\[\d+m\]/g, `[${WINDOW}]`)
            .replaceAll('$job', '.*')
            .replaceAll('$instance', '.*'),
        );
        if (samples.some(({ value }) => !Number.isNaN(value))) missing.delete(expression);
      }
      if (missing.size > 0) await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(missing.size).toBe(0);
  });

  test('gets exactly the metrics, types and labels of docs/metrics.md', async () => {
    const { admin } = gateway as Served & { readonly admin: string };
    const found = await scrape(admin.replace('0.0.0.0', '127.0.0.1'), { authorization: `Bearer ${token}` });
    const page = readFileSync('docs/metrics.md', 'utf8');
    const told = Object.values<MetricSpec>(METRICS).map(({ name, type, help, labels }) => {
      expect(page).toContain(`## ${name}\n\n${type[0]!.toUpperCase()}${type.slice(1)}. ${help}`);
      return { name, type, help, labels: Object.keys(labels).sort() };
    });
    const live = [...found.types].flatMap(([name, type]) => {
      if (!name.startsWith('landbridge_')) return [];
      const series = found.series.filter((one) => one.name === name || one.name === `${name}_count`);
      const labels = new Set(series.flatMap((one) => Object.keys(one.labels)));
      return [{ name, type, help: found.help.get(name), labels: [...labels].sort() }];
    });
    const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
    expect(live.sort(byName)).toEqual(told.sort(byName));
  });

  test('fires the alerts for a closed port, refused callers, limits, overload, an unavailable issuer and an expiring certificate', async () => {
    await untilFiring(
      'LandbridgeDown',
      'LandbridgeStrangersAtTheDoor',
      'LandbridgeCallersLimited',
      'LandbridgeUpstreamFull',
      'LandbridgeShedding',
      'LandbridgeIssuerAway',
      'LandbridgeCertificateExpires',
    );
    const firing = await prometheus.firing();
    for (const name of [
      'LandbridgeUpstreamDown',
      'LandbridgeAuditFailing',
      'LandbridgeStateAway',
      'LandbridgeWorkersMissing',
    ])
      expect(firing).not.toContain(name);
  });

  test('fires an alert when an API is down', async () => {
    answer = gone;
    await untilFiring('LandbridgeUpstreamDown', 'LandbridgeCallsFailing');
    answer = well;
  });

  test('fires an alert when Redis is down', async () => {
    await redis.kill();
    await untilFiring('LandbridgeStateAway');
    await redis.restart();
  });

  test('fires an alert while the audit trail cannot be written', async () => {
    const file = join(folder, 'audit.jsonl');
    renameSync(file, `${file}.away`);
    writeFileSync(file, 'somebody else’s\n');
    await untilFiring('LandbridgeAuditFailing', 'LandbridgeNotReady');
    rmSync(file);
    while ((await prometheus.firing()).has('LandbridgeAuditFailing'))
      await new Promise((resolve) => setTimeout(resolve, 250));
    expect((await prometheus.query('landbridge_condition{reason="audit"}')).map(({ value }) => value)).toEqual([0]);
  });
});

describe('the files for Prometheus and Grafana', () => {
  test.skipIf(!HAS_PROMETHEUS)('are valid, and every alert fires when it should', () => {
    const promtool = (...args: string[]) => spawnSync('promtool', args, { encoding: 'utf8' });
    expect(promtool('check', 'config', 'deploy/prometheus/prometheus.yml')).toMatchObject({ status: 0 });
    expect(promtool('test', 'rules', 'test/telemetry/alert-rules.yml')).toMatchObject({ status: 0 });
    const tested = readFileSync('test/telemetry/alert-rules.yml', 'utf8');
    const names = [...RULES.matchAll(/alert: (\w+)/g)].map((match) => match[1]!);
    expect(names.filter((name) => !tested.includes(`name: ${name} fires`))).toEqual([]);
  });

  const known = new Set(
    Object.values(METRICS).flatMap(({ name, type }) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );

  test('use only metrics that exist', () => {
    const unknown = listExpressions().flatMap(({ expression }) =>
      namesIn(expression).filter((name) => name.startsWith('landbridge_') && !known.has(name)),
    );
    expect(unknown).toEqual([]);
  });

  test('use every metric of the gateway', () => {
    const used = new Set(listExpressions().flatMap(({ expression }) => namesIn(expression)));
    const unused = Object.values(METRICS).filter(
      ({ name }) => ![name, `${name}_bucket`, `${name}_count`].some((one) => used.has(one)),
    );
    expect(unused.map(({ name }) => name)).toEqual([]);
  });

  test('have a text, a severity and a section of the runbook for every alert', () => {
    const runbook = readFileSync('docs/operate.md', 'utf8');
    const { groups } = parse(RULES) as { groups: { rules: Record<string, never>[] }[] };
    for (const { alert, annotations, labels } of groups.flatMap(({ rules }) => rules) as never as {
      alert: string;
      annotations: Record<string, string>;
      labels: Record<string, string>;
    }[]) {
      expect(Object.keys(annotations)).toEqual(['summary', 'description', 'runbook_url']);
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
      expect(annotations.runbook_url).toBe(`docs/operate.md#${alert.toLowerCase()}`);
      expect(runbook).toContain(`\n### ${alert}\n`);
    }
  });
});
