import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LineWriter } from '../src/log-writer.ts';

/** Mounting a small disk needs the rights of root. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'landbridge-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('log lines', () => {
  let folder: string;
  let file: string;
  let fd: number;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'landbridge-log-'));
    file = join(folder, 'log');
    fd = openSync(file, 'a');
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const read = () => readFileSync(file, 'utf8');
  const flush = (writer: LineWriter) => new Promise<void>((resolve) => writer.flush(resolve));

  it('are all written, in order, after a flush', async () => {
    const writer = new LineWriter(fd);
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index} ${'é'.repeat(index % 100)}\n`);
    for (const [index, line] of lines.entries()) {
      writer.write(line);
      if (index % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await flush(writer);
    expect(read()).toBe(lines.join(''));
    closeSync(fd);
  });

  it('contain no line break except at their end', () => {
    const writer = new LineWriter(fd);
    writer.write('{"name":"a\u2028{\\"b\u0085c\u202e"}\n');
    writer.flushSync();
    expect(read()).toBe('{"name":"a\\u2028{\\"b\\u0085c\\u202e"}\n');
    closeSync(fd);
  });

  it('are written after a while without a flush', async () => {
    new LineWriter(fd).write('alone\n');
    expect(read()).toBe('');
    await expect.poll(read, { timeout: 5_000 }).toBe('alone\n');
    closeSync(fd);
  });

  it('are written at once by flushSync, as at the end of the process', () => {
    const writer = new LineWriter(fd);
    writer.write('last words\n');
    writer.flushSync();
    expect(read()).toBe('last words\n');
    closeSync(fd);
  });

  it('are dropped and counted when the reader takes none', async () => {
    const writer = new LineWriter(fd);
    const line = `${'x'.repeat(1024 * 1024)}\n`;
    // In one turn of the event loop, so that nothing can be written in between.
    for (let count = 0; count < 40; count++) writer.write(line);
    await flush(writer);
    const text = read();
    expect(text.length).toBeLessThan(20 * line.length);
    expect(text).toMatch(/\{"level":40,"time":"[^"]+","msg":"log lines dropped","lines":\d+\}\n$/);
    closeSync(fd);
  });

  it.skipIf(!existsSync('/dev/full'))('are dropped when the disk is full, without an error', async () => {
    const full = openSync('/dev/full', 'w');
    const writer = new LineWriter(full);
    for (let round = 0; round < 3; round++) {
      writer.write('unheard\n');
      await flush(writer);
    }
    expect(() => writer.flushSync()).not.toThrow();
    closeSync(full);
    closeSync(fd);
  });

  it.skipIf(!canMount())('are written again when a full disk has space, and report how many are missing', async () => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
    try {
      const log = openSync(join(disk, 'log'), 'a');
      const ballast = join(disk, 'ballast');
      writeFileSync(ballast, Buffer.alloc(32 * 1024));
      const writer = new LineWriter(log);
      const lines = Array.from({ length: 1_000 }, (_, index) => `${JSON.stringify({ index, text: 'x'.repeat(80) })}\n`);
      for (const line of lines) writer.write(line);
      await flush(writer);
      writer.write('{"index":"still full"}\n');
      await flush(writer);
      rmSync(ballast);
      writer.write('{"index":"room again"}\n');
      await flush(writer);
      closeSync(log);
      const written = readFileSync(join(disk, 'log'), 'utf8').trimEnd().split('\n');
      const notice = JSON.parse(written.at(-1)!) as { msg: string; lines: number };
      expect([written.at(-2), notice.msg]).toEqual(['{"index":"room again"}', 'log lines dropped']);
      const torn = written.filter((line) => !line.endsWith('}'));
      expect(torn.length).toBeLessThanOrEqual(1);
      // Written, torn and missing lines together are all lines.
      expect(written.length - 2 - torn.length + notice.lines).toBe(lines.length + 1);
    } finally {
      execFileSync('umount', [disk]);
    }
    closeSync(fd);
  });

  it('cause no error when they cannot be written', async () => {
    const readOnly = openSync(file, 'r');
    const writer = new LineWriter(readOnly);
    writer.write('unheard\n');
    await flush(writer);
    writer.write('unheard\n');
    expect(() => writer.flushSync()).not.toThrow();
    closeSync(readOnly);
    closeSync(fd);
  });
});
