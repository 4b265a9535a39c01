// What signals do to a gateway that runs: real processes, as an operator has them.
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCertificates, type Pair } from '../support/certificates.ts';
import { programFile, run, type Served, serve } from '../support/cli.ts';
import { legacy, post } from '../support/mcp.ts';
import { until } from '../support/until.ts';
import { startUpstream } from '../support/upstream.ts';

const certificates = createCertificates();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'landbridge-signals-'));
});
afterAll(() => {
  certificates.remove();
  rmSync(folder, { recursive: true, force: true });
});

const ping = JSON.stringify(legacy(1, 'ping'));
const portOf = (address: string) => Number(/:(\d+)(?:\/|$)/.exec(address)![1]);

/** The serial number of the certificate that is shown. */
function shownAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

/** What a ping comes to for whoever shows this certificate. */
function statusWith(url: string, { cert, key }: Pair, agent: Agent): Promise<number | undefined> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: 'POST', cert, key, agent, headers, rejectUnauthorized: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    });
    asked.once('error', reject).end(ping);
  });
}

describe('SIGTERM', () => {
  test('fails readiness at once, still serves calls, and answers those that still wait after the grace time', async () => {
    const upstream = await startUpstream(() => {});
    writeFileSync(
      join(folder, 'slow.yaml'),
      `name: slow\nbaseUrl: ${upstream.url}\nendpoints: { wait: { path: /wait, summary: Waits. } }\n`,
    );
    const server = await serve(['slow.yaml', '--drain', '1', '--grace', '0.2'], { cwd: folder });
    const call = post(server.http, JSON.stringify(legacy(1, 'tools/call', { name: 'slow_wait' })));
    await until(() => upstream.seen.length === 1);
    const ended = server.stop();
    await until(() => server.log().includes('"stopping"'));
    const ready = await fetch(server.http.replace('/mcp', '/readyz'));
    expect([ready.status, ready.headers.get('connection'), await ready.json()]).toEqual([
      503,
      'close',
      { status: 'draining' },
    ]);
    expect(await post(server.http, ping)).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect(await call).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect((await call).body).toContain('"failure_mode":"shutting_down"');
    expect(await ended).toBe(0);
    await upstream.close();
  });

  // Some shells hand their process over to the last command and some do not: npm reaches the gateway either way.
  const shells = ['/bin/sh', '/bin/bash'].filter((shell) => existsSync(shell));
  test.each(shells)(
    'sent to npm start with %s reaches the gateway, which drains and ends',
    async (shell) => {
      const root = fileURLToPath(new URL('../../', import.meta.url));
      const flags = ['--port', '0', '--drain', '0', '--json'];
      const child = spawn('npm', ['start', '--ignore-scripts', `--script-shell=${shell}`, '--', ...flags], {
        cwd: root,
        env: { PATH: process.env.PATH, HOME: process.env.HOME },
      });
      let [out, log] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => {
        out += chunk.toString();
      });
      child.stderr.on('data', (chunk: Buffer) => {
        log += chunk.toString();
      });
      // Not `exit`: npm may end first, and the gateway writes until its own end.
      const closed = new Promise((resolve) => child.once('close', resolve));
      await until(() => out.includes('"http"'));
      const { http } = JSON.parse(/^\{.*$/m.exec(out)![0]) as { http: string };
      expect((await post(http, ping)).status).toBe(200);
      child.kill('SIGTERM');
      await closed;
      expect(log).toContain('"stopping"');
      await expect(post(http, ping)).rejects.toThrow('ECONNREFUSED');
    },
    60_000,
  );

  test('npm start uses nothing that Windows shells lack', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      scripts: Record<string, string>;
    };
    for (const name of ['prepare', 'prestart', 'start', 'build', 'test']) {
      const programs = scripts[name]!.split('&&').map((command) => command.trim().split(' ')[0]);
      expect(programs.filter((program) => !['node', 'npm', 'tsc', 'jiti', 'vitest'].includes(program!))).toEqual([]);
    }
  });
});

describe('SIGHUP', () => {
  test('does not end a gateway, with or without files to reopen', async () => {
    const server = await serve([], { cwd: folder });
    server.child.kill('SIGHUP');
    await until(() => server.log().includes('SIGHUP'));
    expect((await post(server.http, ping)).status).toBe(200);
    expect(await server.stop()).toBe(0);
  });

  test('does not end a gateway that is starting: it reopens its files when it is up', async () => {
    // A file that is read from a pipe: who opens the other end knows that the program has come so far, and it waits.
    const file = join(folder, 'starting.yaml');
    execFileSync('mkfifo', [file]);
    const child = spawn(process.execPath, [programFile(), 'serve', '--config', file], { cwd: folder, stdio: 'pipe' });
    const ended = new Promise((resolve) => child.once('exit', (...how) => resolve(how)));
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString();
    });
    const pipe = await open(file, 'w');
    child.kill('SIGHUP');
    await pipe.writeFile(`domains: [${join(process.cwd(), 'domains/tasks.yaml')}]\nport: 0\ndrainSeconds: 0\n`);
    await pipe.close();
    await until(() => log.includes('SIGHUP: ') || child.exitCode !== null || child.signalCode !== null);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  test('switches both ports to a new certificate, and keeps the old one if the new one is broken', async () => {
    certificates.authority('authority');
    const put = (pair: { cert: string; key: string }) => {
      writeFileSync(join(folder, 'tls.crt'), pair.cert);
      writeFileSync(join(folder, 'tls.key'), pair.key);
    };
    const issue = () => certificates.issue('authority', '/CN=127.0.0.1', { usage: 'serverAuth' });
    put(issue());
    const args = ['--tcp', '0', '--tls-cert', 'tls.crt', '--tls-key', 'tls.key'];
    const server: Served = await serve(args, { cwd: folder });
    await until(() => server.log().includes('the certificate expires soon'));
    const ports = [portOf(server.http), portOf(server.tcp)];
    const shown = () => Promise.all(ports.map(shownAt));
    const [first] = await shown();
    const hangUp = async (word: string) => {
      const before = server.log().length;
      server.child.kill('SIGHUP');
      await until(() => server.log().slice(before).includes(word));
    };
    put(issue());
    await hangUp('expires soon');
    const [second, overTcp] = await shown();
    expect(second).not.toBe(first);
    expect(overTcp).toBe(second);
    writeFileSync(join(folder, 'tls.key'), issue().key);
    await hangUp('could not be renewed');
    expect(server.log()).toContain('is not the key of the certificate');
    expect(await shown()).toEqual([second, second]);
    expect(await server.stop()).toBe(0);
  });
});

describe.each([
  ['one process', 1],
  ['two workers', 2],
])('SIGHUP to %s', (_, workers) => {
  const own = (name: string) => join(folder, `${workers}-${name}`);
  const hangUp = async (server: Served, word: string) => {
    const before = server.log().length;
    server.child.kill('SIGHUP');
    // Each of them says so.
    await until(() => server.log().slice(before).split(word).length > workers);
  };

  test('accepts client certificates of the new authority, and no longer those of the old one', async () => {
    const [before, after] = [`before-${workers}`, `after-${workers}`];
    writeFileSync(own('ca.crt'), certificates.authority(before).cert);
    const next = certificates.authority(after).cert;
    const { cert, key } = certificates.issue(before, '/CN=127.0.0.1', { usage: 'serverAuth' });
    writeFileSync(own('tls.crt'), cert);
    writeFileSync(own('tls.key'), key);
    const old = certificates.issue(before, '/CN=old');
    const young = certificates.issue(after, '/CN=young');
    const files = ['--tls-cert', own('tls.crt'), '--tls-key', own('tls.key'), '--tls-client-ca', own('ca.crt')];
    const server = await serve(['--workers', String(workers), ...files], { cwd: folder });
    // Often enough to meet every worker; a session that is taken up again is no way around.
    const agents = new Map([old, young].map((pair) => [pair, new Agent()]));
    const ask = async (pair: Pair) =>
      new Set(await Promise.all([1, 2, 3, 4].map(() => statusWith(server.http, pair, agents.get(pair)!))));
    expect([await ask(old), await ask(young)]).toEqual([new Set([200]), new Set([401])]);
    writeFileSync(own('ca.crt'), next);
    await hangUp(server, 'expires soon');
    expect([await ask(old), await ask(young)]).toEqual([new Set([401]), new Set([200])]);
    writeFileSync(own('ca.crt'), 'nothing of the kind');
    await hangUp(server, 'could not be renewed');
    expect([await ask(old), await ask(young)]).toEqual([new Set([401]), new Set([200])]);
    expect(await server.stop()).toBe(0);
  });

  test('completes the audit file that logrotate has renamed, and continues its chain in the next one', async () => {
    const upstream = await startUpstream();
    writeFileSync(
      own('shop.yaml'),
      `name: shop\nbaseUrl: ${upstream.url}\nendpoints: { list: { path: /things, summary: Lists. } }\n`,
    );
    const trail = `${workers}-audit`;
    writeFileSync(own('config.yaml'), `domains: [${workers}-shop.yaml]\naudit: { file: ${trail}.jsonl }\n`);
    const server = await serve(['--workers', String(workers), '--config', own('config.yaml')], { cwd: folder });
    const call = JSON.stringify(legacy(1, 'tools/call', { name: 'shop_list' }));
    const callAll = async () => {
      for (let count = 0; count < 4; count++) expect((await post(server.http, call)).status).toBe(200);
    };
    const names = workers === 1 ? [`${trail}.jsonl`] : [`${trail}-1.jsonl`, `${trail}-2.jsonl`];
    await callAll();
    for (const name of names) renameSync(join(folder, name), join(folder, `${name}.1`));
    await hangUp(server, '"SIGHUP: ');
    // Nothing goes into the old files from now on.
    const before = names.map((name) => readFileSync(join(folder, `${name}.1`), 'utf8'));
    await callAll();
    expect(await server.stop()).toBe(0);
    expect(names.map((name) => readFileSync(join(folder, `${name}.1`), 'utf8'))).toEqual(before);
    let calls = 0;
    for (const name of names) {
      const { code, stdout } = await run(['audit', 'verify', `${name}.1`, name, '--closed', '--json'], { cwd: folder });
      expect([code, stdout]).toEqual([0, expect.stringContaining('"flaws":[]')]);
      calls += (JSON.parse(stdout) as { calls: number }).calls;
    }
    expect(calls).toBe(8);
    await upstream.close();
  });
});

test('a key of another type than the certificate stops the start, with its line', async () => {
  const rsa = join(folder, 'rsa.key');
  const { execFileSync } = await import('node:child_process');
  execFileSync('openssl', ['genpkey', '-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048', '-out', rsa], {
    stdio: 'pipe',
  });
  copyFileSync(join(folder, 'tls.crt'), join(folder, 'ec.crt'));
  writeFileSync(join(folder, 'kinds.yaml'), 'port: 0\ndomains: [slow.yaml]\ntls:\n  cert: ec.crt\n  key: rsa.key\n');
  const { code, stderr } = await run(['serve', '--config', 'kinds.yaml'], { cwd: folder });
  expect(code).toBe(1);
  expect(stderr).toContain('kinds.yaml:5');
  expect(stderr).toContain(
    'tls.key: rsa.key: is not the key of the certificate ec.crt: the certificate is for a key of type EC, and this is of type RSA',
  );
});
