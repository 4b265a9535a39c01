// The Helm chart: its values are what its schema says, its manifests what Kubernetes takes, and the settings in them what the gateway takes.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { CHART_FILES } from '../../../scripts/chart-files.ts';
import { readConfig } from '../../../src/config/read-config.ts';
import { PRODUCT } from '../../../src/product.ts';
import { CUT, cutDefinitions, DOCUMENT } from './cut-kubernetes.ts';
import { createManifestCheck, type Manifest } from './kubernetes.ts';
import { CHART, createRenderer, HAS_GO, type Renderer } from './render.ts';

const read = (file: string) => readFileSync(join(CHART, file), 'utf8');
const FILES = readdirSync(join(CHART, 'ci')).map((name) => join(CHART, 'ci', name));
const defaults = parse(read('values.yaml')) as Record<string, unknown>;
const checkValues = new Ajv({ strict: false, allErrors: true }).compile(JSON.parse(read('values.schema.json')));

const OPEN = { config: { allowUnauthenticated: true }, replicaCount: 1 };

function find(manifests: readonly Manifest[], kind: string): Record<string, never> {
  const found = manifests.find((manifest) => manifest.kind === kind);
  expect(found, kind).toBeDefined();
  return found as never;
}

describe('the values', () => {
  test('that the chart comes with, and those of its examples, fit the schema', () => {
    for (const values of [defaults, ...FILES.map((file) => parse(readFileSync(file, 'utf8')) as object)]) {
      checkValues(values);
      expect(checkValues.errors ?? []).toEqual([]);
    }
  });

  test('are all in the schema, and the schema has no others', () => {
    const { properties } = JSON.parse(read('values.schema.json')) as {
      properties: Record<string, { properties?: object }>;
    };
    expect(
      Object.keys(properties)
        .filter((name) => name !== 'global')
        .sort(),
    ).toEqual(Object.keys(defaults).sort());
    for (const [name, value] of Object.entries(defaults)) {
      const known = properties[name]?.properties;
      if (known && value !== null && typeof value === 'object')
        expect(Object.keys(known), name).toEqual(expect.arrayContaining(Object.keys(value)));
    }
  });

  test.each([
    { replicaCount: '2' },
    { replicacount: 2 },
    { ingress: { enabled: true, hosts: ['mcp.example.com'] } },
    { port: 80 },
    { image: { digest: 'latest' } },
    { state: { url: 'http://valkey' } },
    { secretMounts: [{ name: 'clients' }] },
  ])('%j is a mistake', (values) => {
    expect(checkValues(values)).toBe(false);
  });

  test('name the version of the package', () => {
    expect(parse(read('Chart.yaml'))).toMatchObject({ version: PRODUCT.version, appVersion: PRODUCT.version });
  });
});

test.each(Object.entries(CHART_FILES))('the copy of %s in the chart is up to date: else npm run docs', (from, to) => {
  const inRoot = (path: string) => readFileSync(join(CHART, '../../..', path), 'utf8');
  expect(inRoot(to)).toBe(inRoot(from));
});

test.skipIf(!existsSync(DOCUMENT))(
  'the definitions that manifests are checked against are those of Kubernetes: else npx jiti test/deploy/helm/cut-kubernetes.ts',
  () => {
    const parseFile = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
    expect(parseFile(CUT)).toEqual(cutDefinitions(parseFile(DOCUMENT)));
  },
);

describe.skipIf(!HAS_GO)('rendered', () => {
  let renderer: Renderer;
  beforeAll(() => {
    renderer = createRenderer();
  }, 300_000);
  afterAll(() => renderer?.close());

  test.each(FILES.map((file) => [file.slice(CHART.length + 1), file] as const))(
    '%s is what Kubernetes takes, field by field',
    (_, file) => {
      const check = createManifestCheck();
      const { manifests } = renderer.render(file);
      expect(manifests.length).toBeGreaterThan(3);
      expect(manifests.flatMap(check)).toEqual([]);
      // The check itself sees a field that is not there.
      const deployment = structuredClone(find(manifests, 'Deployment')) as unknown as { spec: Record<string, unknown> };
      deployment.spec.replica = 1;
      expect(check(deployment as never).join()).toMatch(/additional properties.*replica/);
    },
  );

  test('every kind of thing is there when it is asked for, and not otherwise', () => {
    const kinds = (file: string) =>
      renderer
        .render(join(CHART, 'ci', file))
        .manifests.map(({ kind }) => kind)
        .sort();
    expect(kinds('one.yaml')).toEqual(['ConfigMap', 'Deployment', 'Service', 'ServiceAccount']);
    expect(kinds('many.yaml')).toEqual([
      'ConfigMap',
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PrometheusRule',
      'Service',
      'Service',
      'ServiceAccount',
      'ServiceMonitor',
    ]);
  });

  test.each(FILES.map((file) => [file.slice(CHART.length + 1), file] as const))(
    'the gateway takes landbridge.yaml of %s, with the files and variables that the pod gives it',
    (_, file) => {
      const { manifests } = renderer.render(file);
      const { data } = find(manifests, 'ConfigMap') as unknown as { data: Record<string, string> };
      const folder = mkdtempSync(join(tmpdir(), 'landbridge-pod-'));
      const pod = (find(manifests, 'Deployment') as unknown as { spec: { template: { spec: Pod } } }).spec.template
        .spec;
      for (const { key, path } of pod.volumes.find(({ name }) => name === 'config')!.configMap!.items) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        // What is mounted from Secrets is in this folder here, and what the image has in /app at the root of this repository.
        const text = data[key]!.replaceAll('/run/secrets/', `${folder}/run/secrets/`);
        writeFileSync(join(folder, path), text.replaceAll('/app/', `${join(CHART, '../../..')}/`));
      }
      for (const { mountPath } of pod.containers[0]!.volumeMounts.filter(({ mountPath: at }) =>
        at.startsWith('/run/secrets/'),
      )) {
        mkdirSync(join(folder, mountPath), { recursive: true });
        for (const name of ['secret', 'seal', 'token', 'keys'])
          writeFileSync(join(folder, mountPath, name), 'twenty-four characters and some more');
      }
      const env = Object.fromEntries(
        pod.containers[0]!.env.map(({ name, value }) => [
          name,
          (value ?? 'redis://valkey:6379').replace('/run/secrets/', `${folder}/run/secrets/`),
        ]),
      );
      const config = readConfig({ config: join(folder, 'landbridge.yaml') }, env);
      expect(config).toMatchObject({ host: '0.0.0.0', port: 3333, graceSeconds: 30, unknownVariables: [] });
      for (const path of config.paths) expect(existsSync(path), path).toBe(true);
      rmSync(folder, { recursive: true, force: true });
    },
  );

  test('a pod is ended only after drain and grace', () => {
    const { manifests } = renderer.render({ ...OPEN, drainSeconds: 15, graceSeconds: 60 });
    expect(find(manifests, 'Deployment')).toMatchObject({
      spec: { template: { spec: { terminationGracePeriodSeconds: 85 } } },
    });
    const { data } = find(manifests, 'ConfigMap') as unknown as { data: Record<string, string> };
    expect(parse(data['landbridge.yaml']!)).toMatchObject({ drainSeconds: 15, graceSeconds: 60 });
  });

  test('a pod may do nothing: no root, no writing, no capabilities, no token of Kubernetes', () => {
    const { manifests } = renderer.render(OPEN);
    expect(find(manifests, 'Deployment')).toMatchObject({
      spec: {
        template: {
          spec: {
            automountServiceAccountToken: false,
            securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
            containers: [
              {
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  capabilities: { drop: ['ALL'] },
                },
              },
            ],
          },
        },
      },
    });
  });

  test('other settings make other pods', () => {
    const checksum = (config: object) => {
      const deployment = find(
        renderer.render({ ...OPEN, config: { ...OPEN.config, ...config } }).manifests,
        'Deployment',
      );
      const { spec } = deployment as unknown as {
        spec: { template: { metadata: { annotations: Record<string, string> } } };
      };
      return spec.template.metadata.annotations['checksum/config'];
    };
    expect(checksum({ readOnly: true })).not.toBe(checksum({ readOnly: false }));
    expect(checksum({ readOnly: true })).toBe(checksum({ readOnly: true }));
  });

  test.each([
    [{}, /Who may call\?/],
    [{ apiKeys: { existingSecret: 'keys' } }, /share a secret: kubectl create secret/],
    [{ ...OPEN, ingress: { enabled: true } }, /ingress has no host/],
    [
      { ...OPEN, admin: { enabled: false }, serviceMonitor: { enabled: true } },
      /needs the metrics of the admin listener/,
    ],
    [
      { ...OPEN, secret: { existingSecret: 's' }, autoscaling: { enabled: true, minReplicas: 5, maxReplicas: 2 } },
      /minReplicas is more/,
    ],
  ])('%j is refused with what to do', (values, sentence) => {
    expect(renderer.refusal(values)).toMatch(sentence);
  });

  test('the notes say where it is, and what is missing', () => {
    expect(renderer.render(join(CHART, 'ci/many.yaml')).notes).toContain('MCP: https://mcp.example.com/mcp');
    const { notes } = renderer.render({ ...OPEN, replicaCount: 2, secret: { existingSecret: 's' } });
    expect(notes).toContain('http://lb-landbridge.tools.svc/mcp');
    expect(notes).toContain('It serves the sample');
    expect(notes).toContain('Replicas share nothing');
    expect(notes).toContain('may read metrics');
  });
});

interface Pod {
  readonly containers: readonly {
    readonly env: readonly { readonly name: string; readonly value?: string }[];
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  }[];
  readonly volumes: readonly {
    readonly name: string;
    readonly configMap?: { readonly items: readonly { readonly key: string; readonly path: string }[] };
  }[];
}
