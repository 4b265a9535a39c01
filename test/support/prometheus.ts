// A real Prometheus on loopback, with a folder of its own. Where the program is not installed, tests that need it are skipped.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './redis.ts';

export const HAS_PROMETHEUS =
  spawnSync('prometheus', ['--version']).status === 0 && spawnSync('promtool', ['--version']).status === 0;
if (!HAS_PROMETHEUS) console.warn('prometheus is not installed: tests of alerts and dashboard against it are skipped.');

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Prometheus {
  /** What an expression comes to now. */
  query(expression: string): Promise<readonly Sample[]>;
  /** The names of the alerts that fire. */
  firing(): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

export interface PrometheusFiles {
  /** prometheus.yml. */
  readonly config: string;
  /** Rule files by their names. */
  readonly rules: Readonly<Record<string, string>>;
}

export async function startPrometheus({ config, rules }: PrometheusFiles): Promise<Prometheus> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), 'landbridge-prometheus-'));
  await writeFile(join(folder, 'prometheus.yml'), config);
  for (const [name, text] of Object.entries(rules)) await writeFile(join(folder, name), text);
  const url = `http://127.0.0.1:${port}`;
  let output = '';
  const child: ChildProcess = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  child.stderr?.on('data', (chunk) => {
    output += String(chunk);
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const get = async (path: string) => {
    const answer = await fetch(`${url}${path}`);
    return (await answer.json()) as { status: string; error?: string; data: unknown };
  };
  while (
    !(await fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error(`prometheus ended: ${output}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    async query(expression) {
      const { status, error, data } = await get(`/api/v1/query?query=${encodeURIComponent(expression)}`);
      if (status !== 'success') throw new Error(`${expression}: ${error}`);
      const { result } = data as { result: { metric: Record<string, string>; value: [number, string] }[] };
      return result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
    },
    async firing() {
      const { data } = await get('/api/v1/alerts');
      const { alerts } = data as { alerts: { state: string; labels: { alertname: string } }[] };
      return new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname));
    },
    async close() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
