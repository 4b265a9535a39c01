// Files of several workers and replicas, verified together: which belong to one chain, and what is wrong with it.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyChains } from '../../src/audit/chains.ts';
import { openTrail } from '../../src/audit/open-trail.ts';
import { readCheckingKey } from '../../src/audit/signing-key.ts';
import type { TrailOptions } from '../../src/audit/trail.ts';
import { sealedCall } from '../support/audit.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'landbridge-chains-'));
  for (const replica of ['one', 'two']) mkdirSync(join(folder, replica));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (...path: string[]) => join(folder, ...path);

function write(file: string, calls: number, options: Partial<TrailOptions> = {}): void {
  const trail = openTrail({ file, ...options });
  for (let count = 0; count < calls; count++) trail.write(sealedCall());
  trail.close();
}

/** Two replicas with two workers each; each replica has its own key. */
function writeReplicas(maxBytes?: number): string[] {
  for (const replica of ['one', 'two'])
    for (const worker of [1, 2])
      write(at(replica, `audit-${worker}.jsonl`), 10 * worker, {
        worker,
        maxBytes,
        keyFile: at(replica, 'audit-key.pem'),
      });
  return listFiles();
}

function listFiles(): string[] {
  return ['one', 'two'].flatMap((replica) =>
    readdirSync(at(replica))
      .filter((name) => name.startsWith('audit') && !name.endsWith('.pem'))
      .map((name) => at(replica, name)),
  );
}

function verify(files: readonly string[], replicas: readonly string[] = ['one', 'two']) {
  const keys = replicas.map((replica) => readCheckingKey(at(replica, 'audit-key.pem')));
  return verifyChains(files, { keys, mustBeClosed: true });
}

describe('verifyChains()', () => {
  test('separates the chains of workers and replicas, in any order of their files', () => {
    const files = writeReplicas(2_500);
    expect(files.length).toBeGreaterThan(6);
    const chains = verify(files);
    expect(chains.map(({ ok, worker, trail, calls }) => ({ ok, worker, trail, calls }))).toEqual(
      ['one', 'two'].flatMap((replica) =>
        [1, 2].map((worker) => ({ ok: true, worker, trail: at(replica, `audit-${worker}.jsonl`), calls: 10 * worker })),
      ),
    );
    expect(verify([...files].reverse())).toEqual(chains);
  });

  test('joins files that continue each other, whatever their names are', () => {
    write(at('one', 'audit.jsonl'), 3);
    renameSync(at('one', 'audit.jsonl'), at('two', 'last-week'));
    renameSync(at('one', 'audit-key.pem'), at('two', 'audit-key.pem'));
    // The first records of the files say which file they continue.
    writeFileSync(at('one', 'audit.jsonl'), readFileSync(at('two', 'last-week')));
    write(at('one', 'audit.jsonl'), 2, { keyFile: at('two', 'audit-key.pem') });
    const text = readFileSync(at('one', 'audit.jsonl'), 'utf8');
    writeFileSync(at('one', 'audit.jsonl'), text.slice(readFileSync(at('two', 'last-week'), 'utf8').length));
    const [chain, ...others] = verify([at('one', 'audit.jsonl'), at('two', 'last-week')], ['two']);
    expect(others).toEqual([]);
    expect(chain).toMatchObject({ ok: true, calls: 5, first: 1 });
  });

  test('reports a file that was started anew as a break, not as a separate chain, by its name and by its writer', () => {
    const file = at('one', 'audit.jsonl');
    write(file, 4);
    renameSync(file, `${file}.1`);
    rmSync(at('one', '.audit.jsonl.lock'), { force: true });
    const aside = readFileSync(`${file}.1`);
    rmSync(`${file}.1`);
    write(file, 4);
    writeFileSync(`${file}.1`, aside);
    const flaw = expect.stringContaining('begins a separate chain');
    expect(verify([file, `${file}.1`], ['one'])).toMatchObject([{ ok: false, flaws: [{ what: flaw }] }]);
    renameSync(`${file}.1`, at('two', 'old'));
    expect(verify([file, at('two', 'old')], ['one'])).toMatchObject([{ ok: false, flaws: [{ what: flaw }] }]);
  });

  test('names the chain in which a file is missing or changed, and accepts the others', () => {
    const files = writeReplicas(2_500);
    const rotated = files.filter((file) => file.includes(join('two', 'audit-2.jsonl.')));
    expect(rotated.length).toBeGreaterThan(1);
    const without = files.filter((file) => file !== rotated[1]);
    expect(verify(without).map(({ ok }) => ok)).toEqual([true, true, true, false]);
    const changed = at('one', 'audit-1.jsonl');
    writeFileSync(changed, readFileSync(changed, 'utf8').replace('"kind":"call"', '"kind":"cell"'));
    expect(verify(files).map(({ ok }) => ok)).toEqual([false, true, true, true]);
  });

  test('refuses records that were signed with the key of another replica, unless that key is given', () => {
    const files = writeReplicas();
    expect(verify(files, ['one']).map(({ ok }) => ok)).toEqual([true, true, false, false]);
  });
});
