// npm run real: real servers through the official clients, Prism as a judge of requests, and the tasks of an agent.
//   npm run real -- --only fastapi       one of them: a server, prism, one of its documents, or tasks; may be repeated
//   npm run real -- --only prism --verbose   shows every refusal of Prism that is not ours
//   npm run real -- --quick              what CI runs: no large product, the clients in turn, the small documents for Prism
import { killChildren } from './children.ts';
import { driveServers, type Report } from './drive.ts';
import { removeFolders } from './folders.ts';
import { DOCUMENTS, judgeDocuments } from './judge/judge-documents.ts';
import { SERVERS } from './servers.ts';
import { replayTasks } from './tasks/replay.ts';

const PARTS = [...SERVERS.map(({ name }) => name), 'prism', 'tasks'];
const { only, quick, verbose } = readArguments(process.argv.slice(2));
const isChosen = (part: string) => only.length === 0 || only.includes(part);
const documents = only.filter((part) => DOCUMENTS.includes(part));
const judging = { only: documents, quick, verbose };
const say = (line: string) => console.error(line);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    killChildren();
    removeFolders();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  });
}

const servers = SERVERS.filter(({ name }) => isChosen(name));
const driven = servers.length > 0 ? await report('servers', driveServers(servers, quick, say)) : undefined;
const others = [
  ...(isChosen('tasks') ? [await report('tasks', replayTasks(say))] : []),
  ...(isChosen('prism') || documents.length > 0 ? [await report('prism', judgeDocuments(judging, say))] : []),
];
killChildren();
removeFolders();
process.exitCode = conclude();

/** One part that breaks does not take the results of the others with it. */
async function report(part: string, running: Promise<Report>): Promise<Report> {
  return running.catch((error: Error) => ({ text: `${part}: ${error.stack}`, ran: 0, failures: 1, skipped: [] }));
}

function conclude(): number {
  const reports = [...(driven === undefined ? [] : [driven]), ...others];
  const skipped = reports.flatMap((one) => one.skipped);
  let failures = reports.reduce((sum, one) => sum + one.failures, 0);
  for (const { text } of reports) if (text !== '') console.log(`${text}\n`);
  for (const reason of skipped) console.log(`SKIPPED ${reason}`);
  // Where other things could be installed, a run without a single server has shown nothing.
  if (driven?.ran === 0 && others.some(({ ran }) => ran > 0)) {
    console.log('No real server ran.');
    failures++;
  }
  const wasSkipped = skipped.length > 0 ? `, ${skipped.length} skipped` : '';
  if (failures > 0) console.log(`${failures} failed${wasSkipped}.`);
  else console.log(skipped.length > 0 ? `Nothing failed${wasSkipped}.` : 'All is well.');
  return failures === 0 ? 0 : 1;
}

function readArguments(words: readonly string[]): { only: readonly string[]; quick: boolean; verbose: boolean } {
  const only: string[] = [];
  let quick = false;
  let verbose = false;
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    if (word === '--quick') quick = true;
    else if (word === '--verbose') verbose = true;
    else if (word === '--only') only.push(...(words[++index] ?? '').split(','));
    else usage(word);
  }
  for (const part of only) if (![...PARTS, ...DOCUMENTS].includes(part)) usage(part);
  return { only, quick, verbose };
}

function usage(word: string): never {
  console.error(
    `"${word}" is not known. --quick, --verbose, or --only with one of ${[...PARTS, ...DOCUMENTS].join(', ')}.`,
  );
  process.exit(2);
}
