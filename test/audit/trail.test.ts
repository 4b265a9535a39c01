import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AuditTrail, openTrail } from '../../src/audit/open-trail.ts';
import type { TrailOptions } from '../../src/audit/trail.ts';
import { flawsOf, readRecords, sealedCall, verify } from '../support/audit.ts';
import { contextOf } from '../support/context.ts';

let folder: string;
let file: string;
let keyFile: string;
const open: AuditTrail[] = [];
const said: string[] = [];
const log = {
  info: () => {},
  warn: (_facts: object, message: string) => said.push(message),
  error: (_facts: object, message: string) => said.push(message),
};

function openHere(options: Partial<TrailOptions> = {}): AuditTrail {
  const trail = openTrail({ file, log, ...options });
  open.push(trail);
  return trail;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'landbridge-audit-'));
  file = join(folder, 'audit.jsonl');
  keyFile = join(folder, 'audit-key.pem');
  said.length = 0;
});
afterEach(() => {
  for (const trail of open.splice(0)) trail.close();
  rmSync(folder, { recursive: true, force: true });
});

const kinds = (path = file) => readRecords(path).map(({ kind }) => kind);

describe('an audit trail', () => {
  test('writes a call as a line with the hash of the line before, and signs the end when it is closed', () => {
    const trail = openHere();
    expect(trail.write(sealedCall())).toBe(true);
    // The line is in the file before the call is answered, without waiting or closing.
    expect(kinds()).toEqual(['open', 'checkpoint', 'call']);
    trail.close();
    const records = readRecords(file);
    expect(records.map(({ seq, kind }) => [seq, kind])).toEqual([
      [1, 'open'],
      [2, 'checkpoint'],
      [3, 'call'],
      [4, 'checkpoint'],
    ]);
    expect(records.slice(1).map(({ prev }) => prev)).toEqual(records.slice(0, -1).map(({ hash }) => hash));
    expect(verify([file], keyFile, true)).toMatchObject({ ok: true, calls: 1, unsigned: 0, isClosed: true, notes: [] });
  });

  test('creates a key and files that only their owner may read', () => {
    openHere();
    expect([file, keyFile].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
    expect(readFileSync(keyFile, 'utf8')).toContain('BEGIN PRIVATE KEY');
    expect(said).toEqual([]);
  });

  test('continues its chain after a restart, and records whether it had stopped cleanly', () => {
    openHere().close();
    const trail = openHere();
    trail.write(sealedCall());
    trail.close();
    const openings = readRecords(file).filter(({ kind }) => kind === 'open');
    expect(openings.map(({ seq, clean }) => [seq, clean])).toEqual([
      [1, undefined],
      [4, true],
    ]);
    expect(verify([file], keyFile, true)).toMatchObject({ ok: true, records: 7, notes: [] });
  });

  test('keeps an unfinished line as it is, and adds a recovery record after it', () => {
    const trail = openHere();
    trail.write(sealedCall());
    trail.close();
    const before = readFileSync(file, 'utf8');
    const torn = '{"seq":5,"time":"2026-01-01T00:00:00.000Z","kind":"ca';
    appendFileSync(file, torn);
    expect(verify([file], keyFile)).toMatchObject({ ok: true, notes: [{ line: 5 }] });
    openHere().close();
    expect(readFileSync(file, 'utf8').startsWith(`${before}${torn}\n{"seq":5,`)).toBe(true);
    const verdict = verify([file], keyFile, true);
    expect(flawsOf(verdict)).toEqual([]);
    expect(verdict.notes.map(({ line }) => line)).toEqual([6, 7]);
    // The content of a recovery record is checked as well.
    writeFileSync(file, readFileSync(file, 'utf8').replace(torn, torn.replace('kind', 'find')));
    expect(flawsOf(verify([file], keyFile))).toEqual(['5: is not a record: it was changed or inserted']);
    writeFileSync(file, readFileSync(file, 'utf8').replace(`${torn.replace('kind', 'find')}\n`, ''));
    expect(flawsOf(verify([file], keyFile))).toEqual(['5: marks an unfinished line that is not there: it was removed']);
  });

  test('accepts a last line of which only the line break is missing', () => {
    const trail = openHere();
    trail.write(sealedCall());
    trail.close();
    truncateSync(file, statSync(file).size - 1);
    openHere().close();
    expect(kinds()).toEqual(['open', 'checkpoint', 'call', 'checkpoint', 'open', 'checkpoint', 'checkpoint']);
    expect(verify([file], keyFile, true).ok).toBe(true);
  });

  test('does not continue after a last line that was changed', () => {
    openHere().close();
    writeFileSync(file, readFileSync(file, 'utf8').replace('"final":true', '"final":null'));
    expect(() => openHere()).toThrow(
      /Cannot write the audit file .*: its last line is not an audit record, or was changed/,
    );
    writeFileSync(file, 'a letter to my aunt\n');
    expect(() => openHere()).toThrow('its last line is not an audit record');
  });

  test('starts a new file when the size limit is reached, and the files can be verified together in any order', () => {
    const trail = openHere({ maxBytes: 4_000 });
    for (let count = 0; count < 40; count++) trail.write(sealedCall());
    trail.close();
    const files = readdirSync(folder)
      .filter((name) => name.startsWith('audit.jsonl'))
      .map((name) => join(folder, name));
    expect(files.length).toBeGreaterThan(3);
    const verdict = verify(files, keyFile, true);
    expect(flawsOf(verdict)).toEqual([]);
    expect(verdict).toMatchObject({ calls: 40, notes: [], isClosed: true });
    expect(verify([...files].reverse(), keyFile, true)).toEqual(verdict);
    // The newest file alone is valid, with a note.
    expect(verify([file], keyFile, true)).toMatchObject({
      ok: true,
      notes: [
        { line: 1, what: expect.stringMatching(/continues from record \d+ of an earlier file \(audit\.jsonl\.\d+\)/) },
      ],
    });
    // One in the middle is missing.
    const without = files.sort().filter((path) => path !== files[2]);
    expect(flawsOf(verify(without, keyFile))[0]).toMatch(/^1: records \d+ to \d+ are missing before this line$/);
  });

  test('continues in a new file after a rename, when reopen() is called and without it', async () => {
    const trail = openHere();
    trail.write(sealedCall());
    renameSync(file, `${file}.1`);
    trail.reopen();
    trail.write(sealedCall());
    expect(kinds()).toEqual(['open', 'checkpoint', 'call']);
    renameSync(file, `${file}.2`);
    while (!existsSync(file)) {
      trail.write(sealedCall());
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    trail.close();
    const verdict = verify([`${file}.1`, `${file}.2`, file], keyFile, true);
    expect(flawsOf(verdict)).toEqual([]);
    expect(verdict.notes).toEqual([]);
  });

  test('continues the chain of a file that was renamed while no process wrote it', () => {
    const trail = openHere();
    trail.write(sealedCall());
    trail.close();
    renameSync(file, `${file}.1`);
    openHere().close();
    expect(readRecords(file)[0]).toMatchObject({ seq: 5, kind: 'open', before: 'audit.jsonl.1' });
    expect(verify([file, `${file}.1`], keyFile, true)).toMatchObject({ ok: true, notes: [] });
  });

  test('records that the file was truncated while it was written', () => {
    const trail = openHere();
    trail.write(sealedCall());
    truncateSync(file, 0);
    trail.reopen();
    trail.write(sealedCall());
    trail.close();
    expect(said).toEqual(['the audit file was truncated while the gateway wrote to it']);
    expect(readRecords(file)[0]).toMatchObject({ seq: 4, kind: 'open', reason: 'cut' });
    expect(verify([file], keyFile).notes.map(({ what }) => what)).toContain(
      'the file was truncated before this line while the gateway wrote to it',
    );
  });

  test('refuses calls while another process writes to its file, until it has its own file again', () => {
    const trail = openHere();
    appendFileSync(file, 'hello\n');
    trail.reopen();
    expect(() => trail.admit('pets_get')).toThrow('pets_get was refused: this gateway records every call');
    expect(trail.write(sealedCall())).toBe(false);
    expect(trail.isRefusing).toBe(true);
    renameSync(file, `${file}.1`);
    trail.admit('pets_get');
    expect(trail.isRefusing).toBe(false);
    trail.close();
    expect(kinds()).toEqual(['open', 'checkpoint', 'call', 'gap', 'checkpoint']);
    expect(flawsOf(verify([`${file}.1`, file], keyFile))).toEqual(['3: is not a record: it was changed or inserted']);
  });

  test('locks its file: a second process learns which process writes it', () => {
    openHere();
    expect(() => openHere()).toThrow(
      `process ${process.pid} on ${hostname()} already writes the audit file ${file}. Give each process its own file: in audit.file, %h`,
    );
  });

  test('takes over the lock of a process that has ended, even if its pid was reused', () => {
    const lock = join(folder, '.audit.jsonl.lock');
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    const first = openHere();
    const own = JSON.parse(readFileSync(lock, 'utf8')) as object;
    first.close();
    writeFileSync(lock, JSON.stringify({ ...own, pid: gone, since: '1' }));
    openHere().close();
    expect(existsSync(lock)).toBe(false);
    writeFileSync(lock, JSON.stringify({ ...own, pid: process.ppid, since: '1' }));
    openHere().close();
    // In another container with the same host name: the process with that pid here is a different one.
    writeFileSync(lock, JSON.stringify({ ...own, place: 'elsewhere', pid: gone, since: '1' }));
    expect(() => openHere()).toThrow(`process ${gone} on ${hostname()} already writes the audit file`);
    const longAgo = new Date(Date.now() - 61_000);
    utimesSync(lock, longAgo, longAgo);
    openHere().close();
    writeFileSync(lock, JSON.stringify({ host: 'elsewhere', pid: 1, since: '1' }));
    expect(() => openHere()).toThrow('process 1 on elsewhere already writes the audit file');
  });

  test('fills in the host and the process id of a file pattern, and processes that share a pattern share the key', () => {
    const trail = openHere({ file: join(folder, 'audit-%h-%p.jsonl') });
    expect(trail.file).toBe(join(folder, `audit-${hostname()}-${process.pid}.jsonl`));
    expect(trail.keyFile).toBe(keyFile);
  });

  test.each<[string, (path: string) => string]>([
    ['a folder', (path) => path],
    ['no folder to be in', (path) => join(path, 'nowhere', 'audit.jsonl')],
    ['a device', () => '/dev/full'],
  ])('does not start if its file is %s', (_, path) => {
    mkdirSync(join(folder, 'sub'));
    expect(() => openHere({ file: path(join(folder, 'sub')), keyFile })).toThrow(/Cannot (write|lock) the audit file/);
  });

  test('does not start with a key file that contains no key', () => {
    writeFileSync(keyFile, 'secret');
    expect(() => openHere()).toThrow(`${keyFile} must hold a private key (PEM, Ed25519).`);
    execFileSync('openssl', ['genpkey', '-algorithm', 'RSA', '-out', keyFile, '-pkeyopt', 'rsa_keygen_bits:2048'], {
      stdio: 'ignore',
    });
    expect(() => openHere()).toThrow('must hold a private key (PEM, Ed25519)');
  });

  test('accepts a key made by openssl, and warns if other users may read it', () => {
    execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', keyFile]);
    execFileSync('chmod', ['644', keyFile]);
    openHere().close();
    expect(said).toEqual(['other users can read the key that signs the audit trail: run chmod 600 on it']);
    expect(verify([file], keyFile, true).ok).toBe(true);
  });

  test('writes a begin record before a call changes something', () => {
    const trail = openHere();
    trail.begin(contextOf({ tool: 'pets_delete' }), 'destructive');
    expect(readRecords(file).at(-1)).toMatchObject({
      kind: 'begin',
      tool: 'pets_delete',
      effect: 'destructive',
      request: 'r1',
    });
  });

  test('redacts secrets in texts from callers, even where the text is cut', () => {
    const secret = 'open-sesame-42';
    const trail = openHere({ redact: (text) => text.replaceAll(secret, '[redacted]') });
    trail.write(sealedCall({ tool: `get_${secret}` }));
    trail.write(sealedCall({ tool: `${'x'.repeat(193)}${secret}${'y'.repeat(500_000)}` }));
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('"tool":"get_[redacted]"');
    expect(text).not.toContain('open-se');
    expect(text.length).toBeLessThan(5_000);
  });

  test('stays valid JSON if a secret has the same text as one of its keys', () => {
    const trail = openHere({ redact: (text) => text.replaceAll('outcome', '[redacted]') });
    trail.write(sealedCall({ tool: 'outcome' }));
    expect(readRecords(file).at(-1)).toMatchObject({ tool: '[redacted]', outcome: 'ok' });
  });
});
