// The unit of systemd, judged by systemd's own tools where they are installed; nothing is started by it.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { serve } from '../support/cli.ts';
import { DEPLOY } from './proxy-programs.ts';

const UNIT = `${DEPLOY}systemd/landbridge.service`;
const text = readFileSync(UNIT, 'utf8');
const read = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1];
const HAS_SYSTEMD = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!HAS_SYSTEMD) console.warn('systemd-analyze is not installed: the unit is only read.');

describe('landbridge.service', () => {
  test.skipIf(!HAS_SYSTEMD)('is a unit that systemd takes, without a warning', () => {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', UNIT], { encoding: 'utf8' });
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });

  test.skipIf(!HAS_SYSTEMD)('leaves little to whoever breaks in: at most 2.0 of 10', () => {
    const args = ['security', '--offline=true', '--no-pager', '--threshold=20', UNIT];
    const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/Overall exposure level .*: [01]\.\d OK/)]);
  });

  test('drains on stop and reopens files on reload, and is not told to wait for a notice that never comes', () => {
    expect(read('Type')).toBe('exec');
    expect(read('KillMode')).toBe('mixed');
    expect(read('ExecReload')).toBe('/bin/kill -HUP $MAINPID');
    expect(read('ExecStart')).toBe('/usr/bin/env landbridge serve');
    expect(read('WorkingDirectory')).toBe('/etc/landbridge');
  });

  test('the settings that its comments describe work with the folders that it gives', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'landbridge-unit-'));
    const [credentials, state] = [join(folder, 'credentials'), join(folder, 'state')];
    mkdirSync(credentials);
    mkdirSync(state);
    writeFileSync(join(credentials, 'gateway'), 'read as root, seen by this service alone');
    const lines = [...text.matchAll(/(?:secret|audit): \{ file: "[^"]+" \}/g)].map(String);
    expect(lines).toHaveLength(2);
    writeFileSync(join(folder, 'landbridge.yaml'), lines.join('\n'));
    mkdirSync(join(folder, 'domains'));
    writeFileSync(
      join(folder, 'domains', 'a.yaml'),
      'name: a\nbaseUrl: http://127.0.0.1:9\nendpoints: { get: { path: /, summary: Gets it. } }\n',
    );
    const env = { CREDENTIALS_DIRECTORY: credentials, STATE_DIRECTORY: state };
    const gateway = await serve([], { cwd: folder, env });
    expect(await gateway.stop()).toBe(0);
    expect(readFileSync(join(state, 'audit.jsonl'), 'utf8')).toContain('"final":true');
    rmSync(folder, { recursive: true, force: true });
  });
});
