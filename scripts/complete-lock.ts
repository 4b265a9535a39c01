// npm run lock: completes every lock file of the project (lock.ts says why). Run it after every change of a dependency.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { completeLock, type Lock, listMissing, type Manifest } from './lock.ts';
import { LOCKS } from './locks.ts';

const run = promisify(execFile);

interface View extends Manifest {
  readonly dist?: { readonly integrity?: string };
}

/** `npm view` asks whichever registry npm is set to. */
async function readManifest(name: string, range: string): Promise<Manifest | undefined> {
  const stdout = await run('npm', ['view', `${name}@${range}`, '--json', '--loglevel=silent'], {
    shell: process.platform === 'win32',
    maxBuffer: 64 * 1024 * 1024,
  }).then(
    (output) => output.stdout,
    () => '',
  );
  if (stdout.trim() === '') return undefined;
  const answer = JSON.parse(stdout) as View | View[] | { error: unknown };
  // A range answers with every version in it, the newest last.
  const view = Array.isArray(answer) ? answer.at(-1) : answer;
  if (!view || 'error' in view) return undefined;
  return { ...view, ...(view.dist?.integrity && { integrity: view.dist.integrity }) };
}

const files = process.argv.length > 2 ? process.argv.slice(2) : LOCKS;
for (const file of files) {
  const text = await readFile(file, 'utf8');
  const lock = JSON.parse(text) as Lock;
  const missing = listMissing(lock);
  const complete = `${JSON.stringify(await completeLock(lock, readManifest), null, 2)}\n`;
  if (complete !== text) await writeFile(file, complete);
  console.log(
    `${file}: ${missing.length === 0 ? 'was complete' : `added ${missing.map(({ name }) => name).join(', ')}`}`,
  );
}
