// Several processes write to one pipe, which is read line by line.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SCRIPT = fileURLToPath(new URL('lines.mjs', import.meta.url));
const LINES = 10_000;
const NAMES = ['one', 'two', 'three'];

test('lines of several processes are never mixed, however slowly they are read', async () => {
  const writers = NAMES.map((who) => `"$0" "$1" ${who} ${LINES} &`).join(' ');
  // Node.js connects the processes that it starts with sockets; a shell uses a pipe.
  const shell = spawn('sh', ['-c', `(${writers} wait) | cat`, process.execPath, SCRIPT], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks: Buffer[] = [];
  for await (const chunk of shell.stdout) chunks.push(chunk as Buffer);
  const lines = Buffer.concat(chunks)
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { who: string; line: number });
  for (const who of NAMES)
    expect(lines.filter((line) => line.who === who).map(({ line }) => line)).toEqual(
      Array.from({ length: LINES }, (_, index) => index),
    );
});
