// The audit trail of the built program: killed under load, on a full disk, rotated, and verified as people would.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTrail } from '../../src/audit/open-trail.ts';
import { type AuditRecord, readRecords, sealedCall } from '../support/audit.ts';
import { run, type Served, serve } from '../support/cli.ts';
import { legacy, post, type Rpc } from '../support/mcp.ts';
import { until } from '../support/until.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

let folder: string;
let file: string;
let upstream: Upstream;
let running: Served[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'landbridge-trail-'));
  file = join(folder, 'audit.jsonl');
  running = [];
  upstream = await startUpstream((_request, response) => response.end('{"ok":true}'));
  const create = 'method: POST, path: /pets, summary: Adds a pet., args: { name: { type: string } }';
  writeFileSync(
    join(folder, 'pets.yaml'),
    `name: pets\nbaseUrl: ${upstream.url}\nendpoints:\n  list: { path: /pets, summary: Lists pets. }\n  create: { ${create} }\n`,
  );
});
afterEach(async () => {
  for (const { child, stop } of running)
    if (child.exitCode === null && child.signalCode === null) await stop('SIGKILL');
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(audit: object = {}, place = file): Promise<Served> {
  writeFileSync(join(folder, 'landbridge.yaml'), JSON.stringify({ audit: { file: place, ...audit } }));
  const server = await serve(['pets.yaml'], { cwd: folder });
  running.push(server);
  return server;
}

/** What a start that fails says. */
async function refusal(audit: object): Promise<string> {
  writeFileSync(join(folder, 'landbridge.yaml'), JSON.stringify({ audit }));
  const { code, stderr } = await run(['serve', '--port', '0', 'pets.yaml'], { cwd: folder });
  expect(code).toBe(1);
  return stderr;
}

async function call(server: Served, name = 'pets_list', args: object = {}): Promise<Rpc> {
  const { body } = await post(server.http, JSON.stringify(legacy(1, 'tools/call', { name, arguments: args })));
  return JSON.parse(body) as Rpc;
}

const modeOf = ({ result }: Rpc) => (result?.structuredContent as { failure_mode?: string } | undefined)?.failure_mode;
const callsOf = (path = file): AuditRecord[] => readRecords(path).filter(({ kind }) => kind === 'call');

async function verdictOf(...words: string[]) {
  const { code, stdout } = await run(['audit', 'verify', ...words, '--json'], { cwd: folder });
  return {
    code,
    ...(JSON.parse(stdout) as {
      flaws: { line: number; what: string }[];
      notes: unknown[];
      calls: number;
      unsigned: number;
    }),
  };
}

describe('landbridge serve with an audit trail', () => {
  test('records each call before its answer, signs the end, and is verified with the public key', async () => {
    const server = await start();
    const { stdout: key } = await run(['audit', 'key'], { cwd: folder });
    writeFileSync(join(folder, 'public.pem'), key);
    expect(key).toMatch(/^-----BEGIN PUBLIC KEY-----/);
    await call(server);
    expect(callsOf()).toMatchObject([{ tool: 'pets_list', transport: 'http', remote: '127.0.0.1', outcome: 'ok' }]);
    expect(await server.stop()).toBe(0);
    expect(await verdictOf('audit.jsonl', '--key', 'public.pem', '--closed')).toMatchObject({
      code: 0,
      calls: 1,
      unsigned: 0,
    });
    const { code, stdout } = await run(['audit', 'verify', 'audit.jsonl'], { cwd: folder });
    expect([code, stdout]).toEqual([
      0,
      '1 file, 4 records (1 to 4), 1 call, 2 signatures\nChecked with audit-key.pem, which is stored beside the file: anyone who changed one may have changed both. Use --key with a public key that you keep elsewhere.\nNothing was removed, changed, reordered or inserted up to the last signature.\n',
    ]);
    // Whoever replaces key and file is found by the key that was kept elsewhere.
    rmSync(file);
    rmSync(join(folder, 'audit-key.pem'));
    await (await start()).stop();
    expect((await verdictOf('audit.jsonl')).code).toBe(0);
    expect(await verdictOf('audit.jsonl', '--key', 'public.pem')).toMatchObject({
      code: 1,
      flaws: [{ line: 2, what: expect.stringContaining('is signed with another key') }, { line: 3 }],
    });
  });

  test('says that records before the first file were not checked', async () => {
    await (await start()).stop();
    renameSync(file, `${file}.old`);
    await (await start()).stop();
    rmSync(`${file}.old`);
    const { code, stdout } = await run(['audit', 'verify', 'audit.jsonl'], { cwd: folder });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Records 1 to \d+ are not in these files/)]);
    expect(stdout).toContain('inserted in these files up to the last signature');
  });

  test('of two replicas is verified together, each with the key beside its file', async () => {
    const trails = ['one', 'two'].flatMap((replica) =>
      [1, 2].map((worker) => ({ file: join(folder, replica, `audit-${worker}.jsonl`), worker, replica })),
    );
    for (const replica of ['one', 'two']) mkdirSync(join(folder, replica));
    for (const { file: path, worker, replica } of trails) {
      const trail = openTrail({ file: path, worker, keyFile: join(folder, replica, 'audit-key.pem') });
      trail.write(sealedCall());
      trail.close();
    }
    const files = trails.map(({ worker, replica }) => `${replica}/audit-${worker}.jsonl`);
    const { code, stdout } = await run(['audit', 'verify', '--closed', ...files], { cwd: folder });
    expect([code, stdout.match(/Nothing was removed/g)?.length]).toEqual([0, 4]);
    for (const { worker, replica } of trails) {
      expect(stdout).toContain(`Worker ${worker}, ${replica}/audit-${worker}.jsonl\n`);
      expect(stdout).toContain(`Checked with ${replica}/audit-key.pem, which is stored beside the file`);
    }
    writeFileSync(join(folder, files[3]!), readFileSync(join(folder, files[1]!)));
    expect((await run(['audit', 'verify', ...files], { cwd: folder })).code).toBe(1);
  });

  test('names the line that was changed, and exits with 1', async () => {
    const server = await start();
    for (let count = 0; count < 3; count++) await call(server);
    await server.stop();
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(
      file,
      lines.map((line, index) => (index === 3 ? line.replace('anonymous', 'anonymouse') : line)).join('\n'),
    );
    const { code, stdout } = await run(['audit', 'verify', 'audit.jsonl'], { cwd: folder });
    expect(code).toBe(1);
    expect(stdout).toContain('wrong audit.jsonl:4: record 4 was changed: its hash is not that of its bytes\n');
  });

  test('loses no record of an answered call when the gateway is killed under load, and continues afterwards', async () => {
    const server = await start();
    const answered: string[] = [];
    let count = 0;
    const caller = async () => {
      for (;;) {
        const name = `pet${count++}`;
        const reply = await call(server, 'pets_create', { name }).catch(() => undefined);
        if (reply === undefined) return;
        // On a busy machine a call may be sent away; it is no call that was done.
        if (reply.result !== undefined && modeOf(reply) === undefined) answered.push(name);
      }
    };
    const callers = Array.from({ length: 16 }, caller);
    await until(() => answered.length > 300);
    await server.stop('SIGKILL');
    await Promise.all(callers);
    // Half a line, as the end of a process in the middle of a write leaves it.
    appendFileSync(file, '{"seq":99999,"time":"20');
    const again = await start();
    await call(again);
    await again.stop();
    const verdict = await verdictOf('audit.jsonl', '--closed');
    expect(verdict).toMatchObject({ code: 0, flaws: [], unsigned: 0 });
    expect(JSON.stringify(verdict.notes)).toMatch(
      /did not stop cleanly .*; \d+ records before it had no signature yet/,
    );
    const records = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as AuditRecord);
    const done = records.filter(({ kind, operation }) => kind === 'call' && operation === 'pets.create');
    expect(done.length).toBeGreaterThanOrEqual(answered.length);
    // What reached the API had been announced, answered or not.
    const begun = records.filter(({ kind }) => kind === 'begin');
    expect(begun.length).toBeGreaterThanOrEqual(upstream.seen.filter(({ method }) => method === 'POST').length);
    expect(records.map(({ kind }) => kind)).toContain('recovery');
  });

  test('refuses a file that another process writes, and one that cannot be written', async () => {
    const server = await start();
    expect(await refusal({ file })).toContain(`process ${server.child.pid} on`);
    expect(await refusal({ file: join(folder, 'nowhere', 'audit.jsonl') })).toContain('nowhere');
    await server.stop('SIGKILL');
    // Its lock is still there, and nobody has to remove it.
    await call(await start());
    expect(callsOf()).toHaveLength(1);
  });

  test('starts a new file after logrotate renamed the old one and sent SIGHUP', async () => {
    const server = await start();
    await call(server);
    renameSync(file, `${file}.1`);
    server.child.kill('SIGHUP');
    await until(() => readdirSync(folder).includes('audit.jsonl'));
    await call(server);
    expect([callsOf(`${file}.1`).length, callsOf().length]).toEqual([1, 1]);
    await server.stop();
    expect(await verdictOf('audit.jsonl.1', 'audit.jsonl', '--closed')).toMatchObject({ code: 0, calls: 2, notes: [] });
    expect(await verdictOf('audit.jsonl')).toMatchObject({ code: 0, calls: 1, notes: [{ line: 1 }] });
  });

  test('starts a new file at its size limit', async () => {
    const trail = openTrail({ file });
    let calls = 0;
    for (; statSync(file).size < 990_000; calls++) trail.write(sealedCall());
    trail.close();
    const server = await start({ maxBytes: 1_000_000 });
    const files = () => readdirSync(folder).filter((name) => name.startsWith('audit.jsonl'));
    for (; files().length < 2; calls++) await call(server);
    await server.stop();
    expect(await verdictOf(...files(), '--closed')).toMatchObject({ code: 0, calls, flaws: [], notes: [] });
  });
});

/** A disk of its own, as small as that; undefined where this user may not mount one. */
function mountSmallDisk(path: string): boolean {
  try {
    execFileSync('mkdir', ['-p', path]);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('the audit trail on a full disk', () => {
  let disk: string;
  let isMounted: boolean;
  beforeEach(() => {
    disk = join(folder, 'disk');
    isMounted = mountSmallDisk(disk);
    file = join(disk, 'audit.jsonl');
  });
  afterEach(async () => {
    for (const { child, stop } of running)
      if (child.exitCode === null && child.signalCode === null) await stop('SIGKILL');
    if (isMounted) execFileSync('umount', ['-l', disk]);
  });

  const fill = () => {
    const chunk = Buffer.alloc(4_096, 'x');
    try {
      for (;;) appendFileSync(join(disk, 'ballast'), chunk);
    } catch {
      expect(statfsSync(disk).bfree).toBe(0);
    }
  };
  const empty = () => rmSync(join(disk, 'ballast'));

  test('with onError refuse, calls are refused before anything is sent, until there is space again', async ({
    skip,
  }) => {
    if (!isMounted) skip('this user may not mount a disk');
    const server = await start({ keyFile: join(folder, 'audit-key.pem') });
    expect(modeOf(await call(server))).toBeUndefined();
    fill();
    for (const name of ['pets_list', 'pets_create', 'pets_list'])
      expect(modeOf(await call(server, name))).toBe('not_recorded');
    expect(upstream.seen).toHaveLength(1);
    const refused = await post(server.http, JSON.stringify(legacy(2, 'resources/read', { uri: 'pets://nothing' })));
    expect(refused.body).toContain('error');
    const readiness = () => fetch(server.http.replace('/mcp', '/readyz')).then((response) => response.json());
    expect(await readiness()).toEqual({ status: 'calls cannot be recorded' });
    empty();
    expect(modeOf(await call(server, 'pets_create'))).toBeUndefined();
    expect(await readiness()).toEqual({ status: 'ready' });
    await server.stop();
    expect(readRecords(file).filter(({ kind }) => kind === 'gap')).toMatchObject([{ lost: 0, refused: 3 }]);
    expect(await verdictOf(file, '--key', 'audit-key.pem', '--closed')).toMatchObject({ code: 0, flaws: [] });
    expect(server.log().match(/the audit file cannot be written: calls are refused until it can/g)).toHaveLength(1);
    expect(server.log().match(/the audit file is written again/g)).toHaveLength(1);
  });

  test('with onError continue, calls go on, and file and log count the missing records', async ({ skip }) => {
    if (!isMounted) skip('this user may not mount a disk');
    const server = await start({ onError: 'continue', keyFile: join(folder, 'audit-key.pem') });
    fill();
    const before = callsOf().length;
    for (let count = 0; count < 40; count++) expect(modeOf(await call(server))).toBeUndefined();
    expect(upstream.seen).toHaveLength(40);
    empty();
    await call(server);
    await server.stop();
    const [gap] = readRecords(file).filter(({ kind }) => kind === 'gap');
    expect(gap).toMatchObject({ refused: 0, why: expect.stringMatching(/ENOSPC|part of a line/) });
    expect(callsOf().length - before + (gap?.lost as number)).toBe(41);
    expect(await verdictOf(file, '--key', 'audit-key.pem', '--closed')).toMatchObject({ code: 0, flaws: [] });
    expect(server.log().match(/calls go on without a record until it can/g)).toHaveLength(1);
    expect(server.log()).toContain('the audit trail has a gap');
  });

  test('a gateway does not start', async ({ skip }) => {
    if (!isMounted) skip('this user may not mount a disk');
    fill();
    expect(await refusal({ file, keyFile: join(folder, 'audit-key.pem') })).toContain('ENOSPC');
    empty();
    await call(await start({ keyFile: join(folder, 'audit-key.pem') }));
    expect(callsOf()).toHaveLength(1);
  });
});
