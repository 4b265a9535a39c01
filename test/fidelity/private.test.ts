// A document from the network cannot make the gateway call private addresses.
import nock from 'nock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGateway, type Domain, loadDomains } from '../../src/index.ts';
import { type Echo, startEcho } from './echo.ts';
import { written } from './sheet.ts';

let echo: Echo;
beforeAll(async () => {
  if (!nock.isActive()) nock.activate();
  echo = await startEcho();
});
afterAll(() => echo.close());

const DOCUMENT = 'https://docs.example.com/openapi.json';

async function load(server: string, baseUrl?: string): Promise<Domain> {
  const document = {
    openapi: '3.1.1',
    info: { title: 'Far', version: '1' },
    servers: [{ url: server }],
    paths: { '/x': { get: { operationId: 'x', responses: { 200: { description: 'It.' } } } } },
  };
  nock('https://docs.example.com').get('/openapi.json').reply(200, document);
  const [domain] = await loadDomains({ paths: [DOCUMENT], env: {}, ...(baseUrl !== undefined && { baseUrl }) });
  return domain!;
}

async function call(domain: Domain) {
  const gateway = createGateway({ domains: [domain], exposure: 'tools' });
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x', arguments: {}, _meta } };
  const reply = await gateway.handle(JSON.stringify(message));
  await gateway.close();
  return JSON.parse(reply!.body).result as { isError?: boolean; content: { text: string }[] };
}

describe('a document fetched from a public host', () => {
  test.each([
    'http://127.0.0.1:{port}/v1',
    'http://localhost:{port}/v1',
    'http://2130706433:{port}/v1',
    'http://[::1]/v1',
    'http://169.254.169.254/latest',
    'http://10.0.0.1/',
    'http://[::ffff:10.0.0.1]/',
    'http://user@127.0.0.1:{port}/v1',
  ])('that names the server %s gets none, and says how to allow it', async (server) => {
    const domain = await load(server.replace('{port}', String(echo.port)));
    expect(domain.endpoints.map(({ baseUrl }) => baseUrl)).toEqual(['']);
    expect(domain.warnings.join('\n')).toMatch(/private address.*docs\.example\.com.*--base-url/s);
    const result = await call(domain);
    expect(result.isError).toBe(true);
    expect(result.content[0]!.text).toMatch(/--base-url/);
    expect(echo.take()).toEqual([]);
  });

  test('may call a private address with the operator’s base URL', async () => {
    const domain = await load('http://127.0.0.1:1/v1', `${echo.origin}/v2`);
    const result = await call(domain);
    expect(result.isError ?? false).toBe(false);
    expect(echo.take().map(written)).toEqual([{ line: 'GET /v2/x' }]);
  });

  test('has a public server whose address is checked again on connect', async () => {
    const elsewhere = await load('https://api.example.com/v1');
    expect(elsewhere.endpoints).toMatchObject([{ baseUrl: 'https://api.example.com/v1', publicOnly: true }]);
    const home = await load('/v1');
    expect(home.endpoints).toMatchObject([{ baseUrl: 'https://docs.example.com/v1' }]);
    expect(home.endpoints[0]!.publicOnly).toBeUndefined();
  });

  test('has a server name that resolves to this machine: it is not called', async () => {
    const domain = await load('https://api.example.com/v1');
    // The name of a public host would need a network: this one resolves without.
    const endpoint = Object.create(domain.endpoints[0]!, { baseUrl: { value: `http://localhost:${echo.port}/v1` } });
    const result = await call({ ...domain, endpoints: [endpoint] });
    expect(result.isError).toBe(true);
    expect(result.content[0]!.text).toMatch(/private address.*--base-url/s);
    expect(echo.take()).toEqual([]);
  });
});
