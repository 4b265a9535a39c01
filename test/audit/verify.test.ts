import { createPrivateKey, generateKeyPairSync, hash, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildLine, GENESIS, type Head, type Line, parseLine } from '../../src/audit/line.ts';
import { openTrail } from '../../src/audit/open-trail.ts';
import { readCheckingKey } from '../../src/audit/signing-key.ts';
import { verifyTrail } from '../../src/audit/verify.ts';
import { flawsOf, sealedCall, verify } from '../support/audit.ts';
import { contextOf } from '../support/context.ts';

let folder: string;
let file: string;
let keyFile: string;
let lines: readonly string[];

/** A file of a gateway that ran twice, each time with calls, and stopped cleanly. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'landbridge-verify-'));
  keyFile = join(folder, 'good-key.pem');
  const good = join(folder, 'good.jsonl');
  for (const run of [1, 2]) {
    const trail = openTrail({ file: good, keyFile });
    for (let count = 0; count < 6; count++) {
      trail.begin(contextOf({ tool: `pets_${run}` }), 'write');
      trail.write(sealedCall({ tool: `pets_${run}_${count} "quoted" ü` }));
    }
    trail.close();
  }
  lines = readFileSync(good, 'utf8').trimEnd().split('\n');
  file = join(folder, 'bad.jsonl');
});
afterAll(() => rm(folder));
const rm = (path: string) => rmSync(path, { recursive: true, force: true });

function flawsIn(changed: readonly string[], mustBeClosed = true): string[] {
  writeFileSync(file, changed.map((line) => `${line}\n`).join(''));
  return flawsOf(verify([file], keyFile, mustBeClosed));
}

const LENGTH_OF_A_RUN = 15;
const place = fc.nat({ max: 1_000_000 });
const at = (number: number) => number % lines.length;

describe('verifying an audit trail finds', () => {
  test('no flaw in unchanged files', () => {
    expect(flawsIn(lines)).toEqual([]);
    expect(lines).toHaveLength(2 * LENGTH_OF_A_RUN);
  });

  test('every changed byte, in its line', () => {
    fc.assert(
      fc.property(place, place, fc.integer({ min: 1, max: 255 }), (row, column, difference) => {
        const bytes = Buffer.from(lines[at(row)]!);
        const position = column % bytes.length;
        bytes[position] = bytes[position]! ^ difference;
        writeFileSync(
          file,
          Buffer.concat(
            lines.flatMap((line, index) => [index === at(row) ? bytes : Buffer.from(line), Buffer.from('\n')]),
          ),
        );
        const flaws = flawsOf(verify([file], keyFile, true));
        // A byte that became a line break splits the line in two.
        expect(flaws.some((flaw) => flaw.startsWith(`${at(row) + 1}: `))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('every removed line', () => {
    for (let row = 0; row < lines.length; row++)
      expect(flawsIn(lines.filter((_, index) => index !== row))).not.toEqual([]);
  });

  test('every removed sequence of lines', () => {
    fc.assert(
      fc.property(place, fc.integer({ min: 1, max: 40 }), (row, count) => {
        // Removing the whole last run cannot be noticed, except by records that were noted elsewhere.
        fc.pre(!(at(row) === LENGTH_OF_A_RUN && count >= LENGTH_OF_A_RUN));
        expect(flawsIn([...lines.slice(0, at(row)), ...lines.slice(at(row) + count)])).not.toEqual([]);
      }),
    );
  });

  test('every two lines that were swapped', () => {
    fc.assert(
      fc.property(place, place, (first, second) => {
        fc.pre(at(first) !== at(second));
        const changed = [...lines];
        [changed[at(first)], changed[at(second)]] = [lines[at(second)]!, lines[at(first)]!];
        expect(flawsIn(changed)).not.toEqual([]);
      }),
    );
  });

  test('every repeated or invented line', () => {
    const line = fc.oneof(
      place.map((row) => lines[at(row)]!),
      fc.string().map((text) => text.replaceAll('\n', '')),
      fc.json(),
    );
    fc.assert(
      fc.property(place, line, (row, inserted) => {
        expect(flawsIn([...lines.slice(0, at(row)), inserted, ...lines.slice(at(row))])).not.toEqual([]);
      }),
    );
  });

  test('a change with consistent hashes, because it cannot be signed without the key', () => {
    const own = generateKeyPairSync('ed25519').privateKey;
    for (let row = 0; row < lines.length; row++) {
      if (JSON.parse(lines[row]!).kind === 'checkpoint') continue;
      const forged = rechain(lines, row, (text) => sign(null, Buffer.from(text), own).toString('base64url'));
      expect(flawsIn(forged)[0]).toMatch(/: the signature of checkpoint \d+ is wrong$/);
    }
  });

  test('a consistent chain that was signed with another key than the given one', () => {
    const forger = join(folder, 'forger-key.pem');
    const forged = join(folder, 'forged.jsonl');
    const trail = openTrail({ file: forged, keyFile: forger });
    trail.write(sealedCall());
    trail.close();
    expect(verify([forged], forger, true).ok).toBe(true);
    expect(flawsOf(verify([forged], keyFile, true))[0]).toMatch(
      /^2: checkpoint 2 is signed with another key \([\w-]{43}\)$/,
    );
    // The id of the right key with a signature by the other.
    const { id } = readCheckingKey(keyFile);
    const key = createPrivateKey(readFileSync(forger, 'utf8'));
    const text = readFileSync(forged, 'utf8').trimEnd().replaceAll(readCheckingKey(forger).id, id).split('\n');
    expect(flawsIn(rechain(text, 0, (message) => sign(null, Buffer.from(message), key).toString('base64url')))[0]).toBe(
      '2: the signature of checkpoint 2 is wrong',
    );
  });

  test('removed signatures, as soon as one is overdue', () => {
    const late = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
    const chain: Line[] = [buildLine(GENESIS, late(0), 'open', '{"reason":"start","signEverySeconds":60}')];
    for (const seconds of [10, 50, 64, 3_000]) chain.push(buildLine(chain.at(-1)!, late(seconds), 'call', '{}'));
    expect(
      flawsIn(
        chain.map(({ text }) => text.trimEnd()),
        false,
      ),
    ).toEqual(['5: no signature for 3000 s before this line, though one was due every 60 s']);
  });

  test('a removed end, if its last record was noted elsewhere', () => {
    const short = lines.slice(0, 10);
    expect(flawsIn(short, false)).toEqual([]);
    expect(flawsIn(short, true)).toEqual([
      '10: does not end with the signature of a clean stop: the lines after this one are missing',
    ]);
    const last = JSON.parse(lines.at(-1)!) as Head;
    const keys = [readCheckingKey(keyFile)];
    expect(flawsOf(verifyTrail([file], { keys, heads: [last] }))).toEqual([
      `10: record ${last.seq} is missing, and it was noted elsewhere`,
    ]);
    // If the file ends where an earlier run had stopped, nothing in it shows that.
    expect(flawsIn(lines.slice(0, LENGTH_OF_A_RUN), true)).toEqual([]);
    expect(verifyTrail([file], { keys, heads: [last] }).ok).toBe(false);
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
    expect(verifyTrail([file], { keys, heads: [last] }).ok).toBe(true);
    expect(flawsOf(verifyTrail([file], { keys, heads: [{ seq: 3, hash: last.hash }] }))).toEqual([
      '3: record 3 is not the one that was noted elsewhere',
    ]);
  });

  test('how many records follow the last signature', () => {
    writeFileSync(
      file,
      lines
        .slice(0, 9)
        .map((line) => `${line}\n`)
        .join(''),
    );
    expect(verify([file], keyFile)).toMatchObject({ ok: true, unsigned: 7, isClosed: false });
  });

  test('lines of any length, in limited memory', () => {
    writeFileSync(file, `${lines[0]}\n${'x'.repeat(9_000_000)}\n${lines[1]}\n`);
    expect(flawsOf(verify([file], keyFile))).toEqual(['2: is too long to be a record']);
    writeFileSync(file, '');
    expect(flawsOf(verify([file], keyFile))).toEqual(['0: there is no record in it']);
  });
});

/** Changes one record and recomputes every hash after it; `sign` signs the checkpoints. */
function rechain(all: readonly string[], row: number, signWith: (text: string) => string): string[] {
  let prev: string | undefined;
  return all.map((line, index) => {
    if (index < row) return line;
    const changed = index === row ? line.replace('"kind"', '"x":1,"kind"') : line;
    const linked = prev === undefined ? changed : changed.replace(/"prev":"[^"]*"/, `"prev":"${prev}"`);
    const body = linked.replace(/,"hash":"[^"]*"\}$/, '').replace(/,"signature":"[^"]*"$/, '');
    const isSigned = linked.includes('"signature"');
    const whole = isSigned ? `${body},"signature":"${signWith(`landbridge audit checkpoint\n${body}`)}"` : body;
    prev = hash('sha256', whole, 'base64url');
    return `${whole},"hash":"${prev}"}`;
  });
}

test('a record contains no line break except at its end, whatever the caller is named', () => {
  const { text } = buildLine(
    GENESIS,
    new Date(0).toISOString(),
    'call',
    JSON.stringify({ tool: 'a\u2028b\u0085\u202e' }),
  );
  expect(text).toContain('"tool":"a\\u2028b\\u0085\\u202e"');
  expect(parseLine(Buffer.from(text.trimEnd()))).toMatchObject({
    isIntact: true,
    record: { tool: 'a\u2028b\u0085\u202e' },
  });
});
