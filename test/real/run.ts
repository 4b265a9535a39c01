// npm run real: real servers through the official clients, Prism as a judge of requests, and the tasks of an agent.
//   npm run real -- --only fastapi       one of them: a server, prism, or tasks; may be repeated
//   npm run real -- --quick              what CI runs: no large product, and only the small documents for Prism
import { killChildren } from './children.ts';
import { driveServers, type Report } from './drive.ts';
import { judgeDocuments } from './judge/judge-documents.ts';
import { SERVERS } from './servers.ts';
import { replayTasks } from './tasks/replay.ts';

const PARTS = [...SERVERS.map(({ name }) => name), 'prism', 'tasks'];
const { only, quick } = readArguments(process.argv.slice(2));
const isChosen = (part: string) => only.length === 0 || only.includes(part);
const say = (line: string) => console.error(line);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    killChildren();
    process.exit(130);
  });
}

const reports: Report[] = [];
try {
  const servers = SERVERS.filter(({ name, isLarge }) => isChosen(name) && !(quick && isLarge === true));
  if (servers.length > 0) reports.push(await driveServers(servers, say));
  if (isChosen('tasks')) reports.push(await replayTasks(say));
  if (isChosen('prism')) reports.push(await judgeDocuments(quick, say));
} finally {
  killChildren();
}
for (const { text } of reports) if (text !== '') console.log(`${text}\n`);
for (const reason of reports.flatMap(({ skipped }) => skipped)) console.log(`skipped: ${reason}`);
const failures = reports.reduce((sum, report) => sum + report.failures, 0);
console.log(failures === 0 ? 'All is well.' : `${failures} failed.`);
process.exitCode = failures === 0 ? 0 : 1;

function readArguments(words: readonly string[]): { only: readonly string[]; quick: boolean } {
  const only: string[] = [];
  let quick = false;
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    if (word === '--quick') quick = true;
    else if (word === '--only') only.push(...(words[++index] ?? '').split(','));
    else usage(word);
  }
  for (const part of only) if (!PARTS.includes(part)) usage(part);
  return { only, quick };
}

function usage(word: string): never {
  console.error(`"${word}" is not known. --quick, or --only with one of ${PARTS.join(', ')}.`);
  process.exit(2);
}
