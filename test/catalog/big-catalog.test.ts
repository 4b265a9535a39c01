// A client that knows nothing but the three search tools finds, describes and calls one of a thousand operations.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listCost } from '../../src/catalog/tokens.ts';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { importDocument } from '../../src/openapi/import-document.ts';
import { serveHttp } from '../../src/transport/serve-http.ts';
import { useRealHttp } from '../support/real-http.ts';

useRealHttp();

const THINGS = ['ship', 'harbour', 'crew', 'cargo', 'voyage', 'anchor', 'sail', 'chart', 'lantern', 'compass'];
const PLACES = [
  'atlantic',
  'baltic',
  'caspian',
  'dardanelles',
  'english_channel',
  'finland',
  'gibraltar',
  'hormuz',
  'ionian',
  'java',
];
const ACTIONS = [
  ['get', 'list', 'List every', ''],
  ['get', 'get', 'Get one', '/{id}'],
  ['post', 'create', 'Create a', ''],
  ['put', 'replace', 'Replace a', '/{id}'],
  ['delete', 'delete', 'Delete a', '/{id}'],
  ['post', 'inspect', 'Inspect a', '/{id}/inspections'],
  ['post', 'rename', 'Rename a', '/{id}/name'],
  ['get', 'history', 'History of a', '/{id}/history'],
  ['post', 'paint', 'Paint a', '/{id}/paint'],
  ['get', 'owner', 'Owner of a', '/{id}/owner'],
] as const;

function buildDocument(baseUrl: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const place of PLACES) {
    for (const thing of THINGS) {
      for (const [method, action, words, tail] of ACTIONS) {
        const path = `/${place}/${thing}s${tail}`;
        paths[path] ??= {};
        paths[path][method] = {
          operationId: `${action}_${thing}_in_${place}`,
          summary: `${words} ${thing} in the ${place.replace('_', ' ')}`,
          tags: [place],
          parameters: tail.includes('{id}')
            ? [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }]
            : [],
          ...(action === 'paint' && {
            requestBody: {
              required: true,
              content: {
                'application/json': {
                  schema: {
                    type: 'object',
                    required: ['colour'],
                    properties: {
                      colour: { type: 'string', enum: ['red', 'blue'] },
                      coats: { type: 'integer', minimum: 1 },
                    },
                  },
                },
              },
            },
          }),
          responses: {
            200: {
              description: 'ok',
              content: {
                'application/json': { schema: { type: 'object', properties: { painted: { type: 'boolean' } } } },
              },
            },
          },
        };
      }
    }
  }
  return { openapi: '3.0.3', info: { title: 'Seven seas', version: '1' }, servers: [{ url: baseUrl }], paths };
}

let upstream: Server;
let folder: string;
let gateway: Gateway;
let http: Awaited<ReturnType<typeof serveHttp>>;
const seen: { method: string | undefined; url: string | undefined; body: string }[] = [];

beforeAll(async () => {
  upstream = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      seen.push({ method: request.method, url: request.url, body });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"painted":true}');
    });
  });
  await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done));
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), 'landbridge-'));
  const file = join(folder, 'seas.json');
  await writeFile(file, JSON.stringify(buildDocument(baseUrl)));
  gateway = createGateway({ domains: [await importDocument(file, { env: {} })] });
  http = await serveHttp(gateway, { port: 0 });
});

afterAll(async () => {
  await http?.close(0);
  await gateway?.close();
  upstream?.close();
  await rm(folder, { recursive: true, force: true });
});

interface Asking {
  listTools(): Promise<{ tools: { name: string; description?: string; inputSchema: object }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

const clients: [string, (url: URL) => Promise<Asking>][] = [
  [
    'SDK v2, modern era',
    async (url) => {
      const client = new ClientV2({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } } as never);
      await client.connect(new HttpV2(url));
      return client as unknown as Asking;
    },
  ],
  [
    'SDK v1, legacy era',
    async (url) => {
      const client = new ClientV1({ name: 'agent', version: '1' });
      await client.connect(new HttpV1(url) as never);
      return client as unknown as Asking;
    },
  ],
];

describe.each(clients)('a thousand operations behind three tools, with %s', (_name, connect) => {
  test('an operation is found, described, refused with its schema, and called', async () => {
    expect(gateway.registry.operations).toHaveLength(1_000);
    const client = await connect(new URL(`http://127.0.0.1:${http.port}/mcp`));
    const ask = async (name: string, args: Record<string, unknown>) => {
      const result = (await client.callTool({ name, arguments: args })) as {
        isError?: boolean;
        content: { text: string }[];
      };
      return { isError: result.isError === true, text: result.content[0]!.text };
    };

    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(['search_operations', 'describe_operation', 'call_operation']);
    expect(listCost(tools as never)).toBeLessThan(300);

    const found = await ask('search_operations', { query: 'paint a lantern in the baltic' });
    const [name] = found.text.split('(');
    expect(name).toBe('paint_lantern_in_baltic');

    const described = await ask('describe_operation', { operation: name! });
    const schema = JSON.parse(/^Arguments: (.*)$/m.exec(described.text)![1]!) as {
      required: string[];
      properties: Record<string, { enum?: string[]; type?: string }>;
    };
    expect(described.text).toContain('Returns: {painted: boolean}');

    seen.length = 0;
    const refused = await ask('call_operation', { operation: name!, arguments: { id: 7, colour: 'green' } });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain('[call_operation/paint_lantern_in_baltic]');
    expect(refused.text).toContain('"enum":["red","blue"]');
    expect(seen).toEqual([]);

    const args = Object.fromEntries(schema.required.map((key) => [key, schema.properties[key]?.enum?.[0] ?? 7]));
    const called = await ask('call_operation', { operation: name!, arguments: args });
    expect(called).toEqual({ isError: false, text: '{"painted":true}' });
    expect(seen).toEqual([{ method: 'POST', url: '/baltic/lanterns/7/paint', body: '{"colour":"red"}' }]);

    // The guard stands in front of a delete here as anywhere.
    seen.length = 0;
    const guarded = await ask('call_operation', { operation: 'delete_ship_in_java', arguments: { id: 1 } });
    expect(guarded.isError).toBe(true);
    expect(guarded.text).toContain('confirmation_token');
    expect(seen).toEqual([]);
    const token = /confirmation_token: "([^"]+)"/.exec(guarded.text)![1]!;
    await ask('call_operation', { operation: 'delete_ship_in_java', arguments: { id: 1, confirmation_token: token } });
    expect(seen).toEqual([{ method: 'DELETE', url: '/java/ships/1', body: '' }]);
    await client.close();
  });
});
