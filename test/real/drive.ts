// Every way through the real servers, as a table of server, exposure and client by step.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXPOSURES } from './exposures.ts';
import { STEPS, type StepResult, travel, type Way } from './journey.ts';
import { type Server, Skip } from './servers.ts';
import { toTable } from './table.ts';

/** Both clients over both wires; those over HTTP can ask a person, the others come back with a token. */
const CLIENTS: readonly Omit<Way, 'exposure'>[] = [
  { version: 'v2', wire: 'http', person: 'agrees' },
  { version: 'v1', wire: 'http', person: 'agrees' },
  { version: 'v2', wire: 'stdio', person: 'cannot be asked' },
  { version: 'v1', wire: 'stdio', person: 'cannot be asked' },
];

export interface Report {
  readonly text: string;
  readonly failures: number;
  readonly skipped: readonly string[];
}

export async function driveServers(servers: readonly Server[], say: (line: string) => void): Promise<Report> {
  const rows: string[][] = [];
  const problems: string[] = [];
  const skipped: string[] = [];
  for (const server of servers) {
    const folder = await mkdtemp(join(tmpdir(), `landbridge-${server.name}-`));
    try {
      say(`Driving ${server.name}…`);
      for (const { way, results } of await driveServer(server, folder, say)) {
        const name = `${server.name}, ${way.exposure}, client ${way.version} over ${way.wire}`;
        for (const { step, problem } of results)
          if (problem !== undefined) problems.push(`${name}: ${step}: ${problem}`);
        rows.push([
          server.name,
          way.exposure,
          `${way.version} ${way.wire}`,
          ...STEPS.map((step) => mark(step, results)),
        ]);
      }
    } catch (error) {
      if (!(error instanceof Skip)) problems.push(`${server.name}: ${(error as Error).stack}`);
      else skipped.push(`${server.name}: ${error.message}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  const table = rows.length === 0 ? [] : [toTable(['server', 'exposure', 'client', ...STEPS], rows)];
  return { text: [...table, ...problems].join('\n'), failures: problems.length, skipped };
}

async function driveServer(server: Server, folder: string, say: (line: string) => void) {
  const listening = await server.start(say, folder);
  try {
    const launch = await server.prepare(listening.url, folder);
    const ways = EXPOSURES.flatMap((exposure) => CLIENTS.map((client) => ({ ...client, exposure })));
    const travelled: { way: Way; results: StepResult[] }[] = [];
    for (const way of ways) travelled.push({ way, results: await travel(server, listening.url, launch, way) });
    return travelled;
  } finally {
    await listening.stop();
  }
}

function mark(step: string, results: readonly StepResult[]): string {
  const result = results.find((one) => one.step === step);
  if (result === undefined) return '-';
  return result.problem === undefined ? 'ok' : 'FAILED';
}
