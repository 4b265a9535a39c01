// Listeners of a gateway with several workers: TLS, and the limit of connections.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCertificates } from '../support/certificates.ts';
import { type Served, serve } from '../support/cli.ts';
import { legacy, type Rpc } from '../support/mcp.ts';
import { until } from '../support/until.ts';
import { readLog } from '../support/workers.ts';

const LIST = JSON.stringify(legacy(1, 'tools/list'));
const certificates = createCertificates();
let folder: string;
let gateway: Served;
let ca: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'landbridge-worker-doors-'));
  ca = certificates.authority('anyone').cert;
  const { cert, key } = certificates.issue('anyone', '/CN=localhost', { san: 'IP:127.0.0.1', usage: 'serverAuth' });
  writeFileSync(join(folder, 'server.crt'), cert);
  writeFileSync(join(folder, 'server.key'), key);
  const tls = ['--tls-cert', 'server.crt', '--tls-key', 'server.key'];
  gateway = await serve(['--workers', '2', '--tcp', '0', '--max-connections', '4', ...tls], {
    cwd: folder,
    env: { LANDBRIDGE_DRAIN_SECONDS: '0' },
  });
});
afterAll(async () => {
  await gateway.stop();
  certificates.remove();
  rmSync(folder, { recursive: true, force: true });
});

function listOverHttps(): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const asked = request(gateway.http, { method: 'POST', ca, agent: false, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(((JSON.parse(text) as Rpc).result?.tools as unknown[] | undefined)?.length));
    });
    asked.on('error', reject).end(LIST);
  });
}

test('all workers serve HTTPS', async () => {
  const counts = await Promise.all(Array.from({ length: 6 }, listOverHttps));
  expect(counts[0]).toBeGreaterThan(0);
  expect(new Set(counts).size).toBe(1);
});

test('the limit of TCP connections applies to all workers together', async () => {
  const [host = '', port] = gateway.tcp.split(':');
  const sockets: Socket[] = [];
  const ends: string[] = [];
  const open = () =>
    new Promise<void>((resolve) => {
      const socket = connectTls({ socket: connect(Number(port), host), ca, host }, () => socket.write(`${LIST}\n`));
      sockets.push(socket);
      const settle = (how: string) => () => {
        ends.push(how);
        resolve();
      };
      socket.once('data', settle('answered'));
      socket.once('error', settle('turned away'));
    });
  for (let count = 0; count < 6; count++) await open();
  expect(ends).toEqual(['answered', 'answered', 'answered', 'answered', 'turned away', 'turned away']);
  await until(() => readLog(gateway).some(({ reason }) => reason === 'connections'));
  for (const socket of sockets) socket.destroy();
});
