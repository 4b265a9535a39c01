import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLineWriter } from '../src/log-writer.ts';

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
  const flush = (writer: ReturnType<typeof createLineWriter>) => new Promise<void>((resolve) => writer.flush(resolve));

  it('are all there, in order, after a flush', async () => {
    const writer = createLineWriter(fd);
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index} ${'é'.repeat(index % 100)}\n`);
    for (const [index, line] of lines.entries()) {
      writer.write(line);
      if (index % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await flush(writer);
    expect(read()).toBe(lines.join(''));
    closeSync(fd);
  });

  it('hold no break that a reader of lines could see, but the one at their end', () => {
    const writer = createLineWriter(fd);
    writer.write('{"name":"a\u2028{\\"b\u0085c\u202e"}\n');
    writer.flushSync();
    expect(read()).toBe('{"name":"a\\u2028{\\"b\\u0085c\\u202e"}\n');
    closeSync(fd);
  });

  it('arrive by themselves when nobody flushes', async () => {
    createLineWriter(fd).write('alone\n');
    expect(read()).toBe('');
    await expect.poll(read, { timeout: 5_000 }).toBe('alone\n');
    closeSync(fd);
  });

  it('are written at once by flushSync, as at the end of the process', () => {
    const writer = createLineWriter(fd);
    writer.write('last words\n');
    writer.flushSync();
    expect(read()).toBe('last words\n');
    closeSync(fd);
  });

  it('are counted instead of kept when the reader takes none', async () => {
    const writer = createLineWriter(fd);
    const line = `${'x'.repeat(1024 * 1024)}\n`;
    // All in one turn: nothing can be written in between.
    for (let count = 0; count < 40; count++) writer.write(line);
    await flush(writer);
    const text = read();
    expect(text.length).toBeLessThan(20 * line.length);
    expect(text).toMatch(/\{"level":40,"msg":"log lines dropped","lines":\d+\}\n$/);
    closeSync(fd);
  });

  it('harm nobody when they cannot be written', async () => {
    const readOnly = openSync(file, 'r');
    const writer = createLineWriter(readOnly);
    writer.write('unheard\n');
    await flush(writer);
    writer.write('unheard\n');
    expect(() => writer.flushSync()).not.toThrow();
    closeSync(readOnly);
    closeSync(fd);
  });
});
