import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createGateway, defineTool, serveHttp } from '../../src/index.ts';
import { headersOf, legacy, modern, post } from '../support/mcp.ts';

const tool = defineTool({ name: 'hello', description: 'Says hello.', run: () => 'hello' });

describe('serveHttp()', () => {
  test('serves /mcp, health and readiness with nothing but a port', async () => {
    const gateway = createGateway({ domains: [], native: { tools: [tool] } });
    const server = await serveHttp(gateway, { port: 0 });
    const base = `http://127.0.0.1:${server.port}`;
    const message = modern(1, 'tools/call', { name: 'hello', arguments: {} });
    const { status, body } = await post(`${base}/mcp`, JSON.stringify(message), headersOf(message));
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ id: 1, result: { content: [{ type: 'text', text: 'hello' }] } });
    expect((await fetch(`${base}/healthz`)).status).toBe(200);
    expect(await (await fetch(`${base}/readyz`)).json()).toEqual({ status: 'ready' });
    expect(await (await fetch(base)).json()).toMatchObject({ mcp: '/mcp', tools: 1 });
    expect((await fetch(`${base}/mcp`)).status).toBe(405);
    await server.close(0);
    await gateway.close();
  });

  test.each([
    ['/healthz', 'HTTP/1.1 200 OK'],
    ['/readyz', 'HTTP/1.1 503 Service Unavailable'],
  ])('answers a plain %s with the bytes that express writes to any other spelling of it', async (path, statusLine) => {
    const gateway = createGateway({ domains: [], native: { tools: [tool] } });
    const problem = () => 'the disk is full – “audit”';
    const server = await serveHttp(gateway, { port: 0, problem, sharedState: () => 'degraded' });
    const ask = async (target: string, fields = '') => {
      const socket = connect(server.port, '127.0.0.1');
      socket.end(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${fields}\r\n`);
      const answer = Buffer.concat(await socket.toArray()).toString();
      return answer.replace(/^Date: .*$/m, 'Date: now');
    };
    const plain = await ask(path);
    expect(plain.split('\r\n')[0]).toBe(statusLine);
    expect(plain).toContain('"state":"degraded"');
    expect(await ask(`${path}?by=express`)).toBe(plain);
    expect(await ask(path.toUpperCase())).toBe(plain);
    expect(await ask(path, 'If-None-Match: "x"\r\n')).toBe(plain);
    await server.close(0);
    await gateway.close();
  });

  test('serves each profile at its own path and nothing at others', async () => {
    const gateway = createGateway({ domains: [], native: { tools: [tool] }, profiles: { empty: {} } });
    const server = await serveHttp(gateway, { port: 0 });
    const ping = JSON.stringify(legacy(1, 'ping'));
    const statusAt = async (path: string) => (await post(`http://127.0.0.1:${server.port}${path}`, ping)).status;
    expect([await statusAt('/mcp'), await statusAt('/mcp/empty'), await statusAt('/mcp/other')]).toEqual([
      200, 200, 404,
    ]);
    await server.close(0);
    await gateway.close();
  });
});
