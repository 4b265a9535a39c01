// Plays the tasks one after the other, each with a client of its own, and counts calls, errors and dead ends.
import type { Listening } from '../children.ts';
import { connect, type Launch } from '../clients.ts';
import type { Report } from '../drive.ts';
import { makeFolder, removeFolder } from '../folders.ts';
import { SERVERS, type Server, Skip } from '../servers.ts';
import { toTable } from '../table.ts';
import { Agent, DeadEnd } from './agent.ts';
import { TASKS, type Task } from './tasks.ts';

const MAX_ERRORS = 4;

interface Stage {
  readonly server: Server;
  readonly listening: Listening;
  readonly launch: Launch;
}

export async function replayTasks(say: (line: string) => void): Promise<Report> {
  say('Replaying the tasks…');
  const stages = new Map<string, Promise<Stage>>();
  const folders: string[] = [];
  const open = async (name: string): Promise<Stage> => {
    const server = SERVERS.find((one) => one.name === name)!;
    const folder = await makeFolder(name);
    folders.push(folder);
    const listening = await server.start(say, folder);
    return { server, listening, launch: await server.prepare(listening.url, folder) };
  };
  const rows: string[][] = [];
  const problems: string[] = [];
  const skipped: string[] = [];
  let errors = 0;
  let confirmations = 0;
  try {
    for (const [index, task] of TASKS.entries()) {
      const stage = stages.get(task.server) ?? open(task.server);
      stages.set(task.server, stage);
      try {
        const { agent, problem } = await play(task, await stage);
        errors += agent.errors;
        confirmations += agent.confirmations;
        const outcome = problem === undefined ? 'done' : problem instanceof DeadEnd ? 'DEAD END' : 'FAILED';
        const numbers = [agent.calls, agent.errors, agent.confirmations].map(String);
        rows.push([String(index + 1), task.prompt, `${task.server}, ${task.exposure}`, ...numbers, outcome]);
        if (problem !== undefined)
          problems.push(`task ${index + 1}: ${problem.message}`, ...agent.transcript.map((line) => `  ${line}`));
      } catch (error) {
        if (error instanceof Skip) skipped.push(`task ${index + 1}: ${error.message}`);
        else problems.push(`task ${index + 1}: ${(error as Error).stack}`);
      }
    }
  } finally {
    for (const stage of stages.values()) await stage.then(({ listening }) => listening.stop()).catch(() => {});
    for (const folder of folders) await removeFolder(folder);
  }
  if (errors > MAX_ERRORS) problems.push(`${errors} errors in all tasks; at most ${MAX_ERRORS} are allowed`);
  const head = ['', 'task', 'where', 'calls', 'errors', 'to be confirmed', 'outcome'];
  const sums = [
    `${errors} errors in all (at most ${MAX_ERRORS}).`,
    `${confirmations} calls were refused until they were confirmed: that is part of the flow, and no error.`,
  ];
  const text = rows.length === 0 ? [] : [toTable(head, rows), ...sums];
  return { text: [...text, ...problems].join('\n'), ran: rows.length, failures: problems.length, skipped };
}

async function play(task: Task, { server, listening, launch }: Stage): Promise<{ agent: Agent; problem?: Error }> {
  const args = [...launch.args, '--exposure', task.exposure];
  const connection = await connect({ ...launch, args }, { version: 'v2', wire: 'http', person: task.person });
  const agent = new Agent(connection);
  try {
    const headers = await server.logIn(listening.url);
    await task.steps(agent, async (path) => {
      const response = await fetch(listening.url + path, { headers });
      return { status: response.status, body: await response.json().catch(() => undefined) };
    });
    return { agent };
  } catch (error) {
    return { agent, problem: error as Error };
  } finally {
    await connection.close();
  }
}
