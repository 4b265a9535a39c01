// Every way through the real servers, as a table of server, exposure and client by step.
import { EXPOSURES } from './exposures.ts';
import { makeFolder, removeFolder } from './folders.ts';
import { STEPS, type StepResult, travel, type Way } from './journey.ts';
import { SERVERS, type Server, Skip } from './servers.ts';
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
  /** Ways, tasks or requests that really went through Landbridge. */
  readonly ran: number;
  readonly failures: number;
  readonly skipped: readonly string[];
}

export async function driveServers(
  servers: readonly Server[],
  quick: boolean,
  say: (line: string) => void,
): Promise<Report> {
  const rows: string[][] = [];
  const problems: string[] = [];
  const skipped: string[] = [];
  for (const server of servers) {
    if (quick && server.isLarge === true) {
      skipped.push(`${server.name}: --quick leaves out what takes minutes to install`);
      continue;
    }
    const folder = await makeFolder(server.name);
    const ways = waysOf(server, quick);
    try {
      say(`Driving ${server.name}…`);
      for (const { way, results } of await driveServer(server, ways, folder, say)) {
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
      await removeFolder(folder);
    }
  }
  const leftOut = rows.length * (CLIENTS.length - 1);
  if (quick && leftOut > 0)
    skipped.push(`${leftOut} of ${leftOut + rows.length} ways: --quick takes turns with the clients`);
  const table = rows.length === 0 ? [] : [toTable(['server', 'exposure', 'client', ...STEPS], rows), LEGEND];
  return { text: [...table, ...problems].join('\n'), ran: rows.length, failures: problems.length, skipped };
}

const LEGEND =
  '-: behind a step that failed, or the server has nothing to refuse (Directus requires no field of an article).';

/** All of them, or one client for each exposure in turn: over all servers every exposure still meets every client. */
function waysOf(server: Server, quick: boolean): readonly Way[] {
  const turn = SERVERS.indexOf(server);
  return EXPOSURES.flatMap((exposure, index) => {
    const clients = quick ? [CLIENTS[(turn + index) % CLIENTS.length]!] : CLIENTS;
    return clients.map((client) => ({ ...client, exposure }));
  });
}

async function driveServer(server: Server, ways: readonly Way[], folder: string, say: (line: string) => void) {
  const listening = await server.start(say, folder);
  try {
    const launch = await server.prepare(listening.url, folder);
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
