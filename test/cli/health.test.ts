// landbridge health, as engines and people run it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCertificates } from '../support/certificates.ts';
import { run, type Served, serve } from '../support/cli.ts';
import { freePort } from '../support/redis.ts';

const certificates = createCertificates();
let folder: string;
let gateway: Served;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'landbridge-health-'));
  certificates.authority('ca');
  const { cert, key } = certificates.issue('ca', '/CN=mcp.example.com', { usage: 'serverAuth' });
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), key);
  gateway = await serve([]);
});
afterAll(async () => {
  await gateway.stop('SIGINT');
  certificates.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** A server that answers everything with this. */
async function answering(status: number, body: string) {
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(resolve)) };
}

describe('landbridge health', () => {
  test('reports that a gateway is ready, whichever of its addresses --url names', async () => {
    for (const url of [gateway.http, new URL(gateway.http).origin, `${gateway.http}/reader`])
      expect(await run(['health', '--url', url])).toEqual({ code: 0, stdout: 'ready\n', stderr: '' });
    const { stdout } = await run(['health', '--url', gateway.http, '--live', '--json']);
    const url = new URL('/healthz', gateway.http).href;
    expect(JSON.parse(stdout)).toEqual({ url, isWell: true, status: 'ok' });
  });

  test('finds the gateway of its settings, which may speak TLS under another name', async () => {
    const port = await freePort();
    writeFileSync(
      join(folder, 'landbridge.yaml'),
      `domains: [${join(process.cwd(), 'domains/tasks.yaml')}]\nport: ${port}\ntls: { cert: tls.crt, key: tls.key }\n`,
    );
    const other = await serve(['--port', String(port)], { cwd: folder });
    expect(await run(['health'], { cwd: folder })).toEqual({ code: 0, stdout: 'ready\n', stderr: '' });
    await other.stop('SIGINT');
    expect(await run(['health'], { cwd: folder })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Cannot reach https:.*\(ECONNREFUSED\)\. Check that the gateway is running/),
    });
  });

  test('says why a gateway is not ready and exits with 1', async () => {
    const draining = await answering(503, '{"status":"draining","state":"degraded"}');
    expect(await run(['health', '--url', draining.url])).toEqual({
      code: 1,
      stdout: 'draining (shared state is down)\n',
      stderr: '',
    });
    await draining.close();
  });

  test('reports a server that is not a gateway', async () => {
    const other = await answering(200, '<html>');
    // One sentence, no stack, and nothing of a password.
    expect(await run(['health', '--url', other.url.replace('//', '//somebody:hidden@')])).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^landbridge: http:\/\/127\.0\.0\.1:\d+\/readyz answered 200, but not as a gateway does\. .*\n$/,
      ),
    });
    await other.close();
    expect(await run(['health', '--url', 'mcp.example.com'])).toMatchObject({ code: 2 });
  });
});
