// A gateway whose stderr and stdout are files on a full disk.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { programFile } from '../support/cli.ts';
import { freePort } from '../support/redis.ts';

const FULL = '/dev/full';

describe.skipIf(!existsSync(FULL))('landbridge serve that can write neither its log nor its announcement', () => {
  test.each(['1', '2'])('serves with %s worker(s) and exits with 0', async (workers) => {
    const folder = mkdtempSync(join(tmpdir(), 'landbridge-full-'));
    const port = await freePort();
    // Its credential is told at the start.
    writeFileSync(
      join(folder, 'pets.yaml'),
      'name: pets\nbaseUrl: http://127.0.0.1:1\nheaders: { Authorization: Bearer abcdef }\nendpoints: { list: { path: /pets, summary: Lists pets. } }\n',
    );
    const args = [programFile(), 'serve', 'pets.yaml', '--port', String(port), '--workers', workers, '--drain', '0'];
    const full = openSync(FULL, 'w');
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', full, full] });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const status = async () => {
      try {
        return (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
      } catch {
        return 0;
      }
    };
    while ((await status()) !== 200 && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 20));
    // Once more: whatever ends it at its start has had the time.
    expect(await status()).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    rmSync(folder, { recursive: true, force: true });
  });
});
