// One run of the official suite against a URL: started as its own process, judged by the checks it writes down.
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Suite } from './install.ts';

export interface Run {
  readonly name: string;
  readonly args: readonly string[];
  /** A revision whose frozen list says what is required; without one, everything that runs is. */
  readonly revision?: string;
  /** How many scenarios must have passed: a run that tests less than it should is no success. */
  readonly required: number;
}

export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

export interface Scenario {
  readonly name: string;
  /** `further`: run and not required by the revision (pending, or newer than it). `extension`: optional parts of MCP. */
  readonly kind: 'required' | 'further' | 'extension';
  readonly checks: readonly Check[];
  readonly passed: boolean;
}

export interface RunResult {
  readonly run: Run;
  readonly scenarios: readonly Scenario[];
  /** What went wrong with the run as a whole. */
  readonly problems: readonly string[];
  readonly seconds: number;
}

const TIMEOUT_MS = 120_000;

export async function runSuite(suite: Suite, url: string, run: Run, verbose: boolean): Promise<RunResult> {
  const folder = join(suite.results, run.name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const startedAt = performance.now();
  const code = await execute(suite, ['server', '--url', url, ...run.args, '-o', folder], folder, verbose);
  const seconds = (performance.now() - startedAt) / 1000;
  const scenarios = await readScenarios(folder, await readRequirements(suite, run));
  const required = scenarios.filter(({ kind }) => kind === 'required');
  const problems: string[] = [];
  if (required.length !== run.required) {
    problems.push(`${required.length} required scenarios ran instead of ${run.required}; see ${folder}`);
  }
  if (code !== 0 && required.every(({ passed }) => passed)) {
    problems.push(`the suite ended with exit code ${code}; see ${join(folder, 'suite.log')}`);
  }
  return { run, scenarios, problems, seconds };
}

async function execute(suite: Suite, args: readonly string[], folder: string, verbose: boolean): Promise<number> {
  const child = spawn(suite.node, [suite.main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    env: { ...process.env, NO_COLOR: '1' },
  });
  const log = createWriteStream(join(folder, 'suite.log'));
  for (const stream of [child.stdout, child.stderr]) {
    stream.pipe(log, { end: false });
    if (verbose) stream.pipe(process.stderr, { end: false });
  }
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve(status ?? 1));
  });
  await new Promise((resolve) => log.end(resolve));
  return code;
}

interface Requirements {
  readonly server: readonly string[];
  readonly not_scored: readonly { readonly scenario: string; readonly reason: string }[];
}

async function readRequirements(suite: Suite, { revision }: Run): Promise<Requirements | undefined> {
  if (revision === undefined) return undefined;
  return parse(await readFile(join(suite.requirements, `${revision}.yaml`), 'utf8')) as Requirements;
}

/** `server-<scenario>-<time>/checks.json`, one folder per scenario, in the order they ran. */
const RESULT = /^server-(.+)-(\d{4}-\d\d-\d\dT[\d-]+Z)$/;

async function readScenarios(folder: string, requirements: Requirements | undefined): Promise<readonly Scenario[]> {
  const found = (await readdir(folder)).flatMap((entry) => {
    const [, name, time] = RESULT.exec(entry) ?? [];
    return name !== undefined && time !== undefined ? [{ entry, name, time }] : [];
  });
  found.sort((one, other) => one.time.localeCompare(other.time));
  return Promise.all(
    found.map(async ({ entry, name }): Promise<Scenario> => {
      const checks = JSON.parse(await readFile(join(folder, entry, 'checks.json'), 'utf8')) as Check[];
      const passed = checks.length > 0 && checks.every(({ status }) => status !== 'FAILURE');
      return { name, kind: kindOf(name, requirements), checks, passed };
    }),
  );
}

function kindOf(name: string, requirements: Requirements | undefined): Scenario['kind'] {
  if (!requirements || requirements.server.includes(name)) return 'required';
  const reason = requirements.not_scored.find(({ scenario }) => scenario === name)?.reason;
  return reason === 'extension' ? 'extension' : 'further';
}
