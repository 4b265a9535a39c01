// Whole exchanges, era by era, replayed and compared literally. After a change that is meant, record them anew:
//   RECORD_DIALOGUES=1 npx vitest run test/dialogues

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { replay, transportsOf } from '../support/dialogue.ts';
import { useRealHttp } from '../support/real-http.ts';

useRealHttp();

const FOLDER = new URL('./', import.meta.url);
const RECORD = process.env.RECORD_DIALOGUES === '1';

const files = (readdirSync(FOLDER, { recursive: true }) as string[]).filter((name) => name.endsWith('.txt')).sort();

describe.each(files)('%s', (file) => {
  const url = new URL(file, FOLDER);
  const recorded = readFileSync(url, 'utf8');
  const transports = transportsOf(recorded);

  if (RECORD) {
    test('is recorded', async () => {
      writeFileSync(url, await replay(recorded, transports[0]!, true));
    });
    return;
  }

  test.each(transports)('goes over %s as it was recorded', async (over) => {
    expect(await replay(recorded, over)).toBe(recorded);
  });
});

test('every era is there, over HTTP and over lines', () => {
  const eras = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
  for (const era of eras) {
    const texts = files
      .filter((file) => file.startsWith(era))
      .map((file) => readFileSync(new URL(file, FOLDER), 'utf8'));
    expect([era, new Set(texts.flatMap(transportsOf))]).toEqual([era, new Set(['http', 'stdio', 'tcp'])]);
  }
});
