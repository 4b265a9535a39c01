// doctor --online: reads are called, nothing else, and what comes is compared with what the document says.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../support/cli.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const state = { type: 'string', enum: ['open', 'closed'] };
const order = { type: 'object', required: ['id', 'state'], properties: { id: { type: 'integer' }, state } };
const json = (schema: object) => ({ 200: { description: 'Fine.', content: { 'application/json': { schema } } } });
const id = { name: 'orderId', in: 'path', required: true, schema: { type: 'integer' } };

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  paths: {
    '/orders': {
      get: {
        operationId: 'listOrders',
        summary: 'Lists the orders of the shop.',
        parameters: [{ name: 'state', in: 'query', schema: state }],
        responses: json({ type: 'array', items: order }),
      },
      post: {
        operationId: 'createOrder',
        summary: 'Creates an order in the shop.',
        requestBody: { required: true, content: { 'application/json': { schema: order } } },
        responses: json(order),
      },
    },
    '/orders/{orderId}': {
      get: {
        operationId: 'getOrder',
        summary: 'Gets one order of the shop.',
        parameters: [id],
        responses: json(order),
      },
      delete: { operationId: 'deleteOrder', summary: 'Deletes one order of the shop.', parameters: [id] },
    },
    '/report': {
      get: {
        operationId: 'getReport',
        summary: 'Gets the report of a day.',
        parameters: [{ name: 'day', in: 'query', required: true, example: 'today', schema: { type: 'string' } }],
        responses: json({ type: 'object' }),
      },
    },
    '/secret': {
      get: {
        operationId: 'getSecret',
        summary: 'Gets what only members see.',
        security: [{ key: [] }],
        responses: json({ type: 'object' }),
      },
    },
    '/unknown/{thing}': {
      get: {
        operationId: 'getUnknown',
        summary: 'Gets a thing nobody knows of.',
        parameters: [{ name: 'thing', in: 'path', required: true, schema: { type: 'string' } }],
      },
    },
  },
};

let folder: string;
let api: Upstream;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landbridge-online-'));
  api = await startUpstream(({ url }, response) => {
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (url === '/orders') return send(200, [{ id: 41, state: 'archived' }]);
    if (url === '/orders/41') return send(200, { id: 41, state: 'open' });
    if (url === '/report?day=today') return send(422, { detail: 'day must be a date' });
    return send(401, { message: 'who are you' });
  });
  await writeFile(join(folder, 'shop.json'), JSON.stringify(DOCUMENT));
});
beforeEach(async () => {
  api.seen.length = 0;
  await writeFile(
    join(folder, 'shop.yaml'),
    `name: shop\nprefix: ''\nopenapi: ./shop.json\nbaseUrl: ${api.url}\ncredentials: { key: { env: SHOP_KEY } }\n`,
  );
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

const doctor = (...flags: string[]) =>
  run(['doctor', 'shop.yaml', ...flags], { cwd: folder, env: { SHOP_KEY: 'wrong-key-value' } });

const DOING = [
  '/logout',
  '/shutdown',
  '/system/restart',
  '/cache/flush',
  '/api-key/rotate',
  '/jobs/trigger',
  '/unsubscribe',
  '/send-test-email',
  '/approve',
  '/library/refresh',
];

interface Report {
  readonly calls?: number;
  readonly findings: readonly { check: string; severity: string; where: string; message: string; repair?: string[] }[];
}

describe('doctor --online', () => {
  test('calls only reads, single items with ids from lists, and reports the number of calls', async () => {
    const { stdout, stderr } = await doctor('--online', '--json');
    expect(api.seen.map(({ method, url }) => `${method} ${url}`).sort()).toEqual([
      'GET /orders',
      'GET /orders/41',
      'GET /report?day=today',
      'GET /secret',
    ]);
    expect((JSON.parse(stdout) as Report).calls).toBe(4);
    expect(stderr).toContain('--online: at most 40 calls, only reads');
  });

  test('reports where answers differ from the document', async () => {
    const { stdout, code } = await doctor('--online', '--json');
    const findings = (JSON.parse(stdout) as Report).findings.filter(({ check }) => check === 'online');
    expect(code).toBe(1);
    expect(Object.fromEntries(findings.map((finding) => [finding.where, finding]))).toMatchObject({
      list_orders: {
        severity: 'warning',
        message: expect.stringMatching(/^its answer does not match the document: .*"open", "closed".*archived/),
        fixable: true,
      },
      get_report: {
        severity: 'warning',
        message: expect.stringMatching(/^refuses the document's own \{"day":"today"\} with 422: .*day must be a date/),
      },
      get_secret: { severity: 'error', message: 'answered 401 with SHOP_KEY' },
    });
    expect(findings).toHaveLength(3);
    expect(stdout).not.toContain('wrong-key-value');
  });

  test('--fix sets lenient for operations that would refuse a value that the API itself returns', async () => {
    await doctor('--online', '--fix', '--yes');
    const text = await readFile(join(folder, 'shop.yaml'), 'utf8');
    expect(text).toMatch(/GET \/orders"?:\n\s+lenient: true/);
    expect(text).toMatch(/POST \/orders"?:\n\s+lenient: true/);
    expect(text).not.toContain('DELETE');
    await run(['call', 'list_orders', 'state=archived', '--domains', 'shop.yaml'], {
      cwd: folder,
      env: { SHOP_KEY: 'a-key-value' },
    });
    expect(api.seen.at(-1)!.url).toBe('/orders?state=archived');
  });

  test('does not call a GET that may change something, unless a domain file says that it reads', async () => {
    const paths = Object.fromEntries(
      [...DOING, '/issues', '/releases'].map((path) => [
        path,
        { get: { summary: 'Of the shop.', responses: json({}) } },
      ]),
    );
    await writeFile(join(folder, 'doing.json'), JSON.stringify({ ...DOCUMENT, paths }));
    const file = `name: doing\nprefix: ''\nopenapi: ./doing.json\nbaseUrl: ${api.url}\n`;
    const look = async (more: string) => {
      api.seen.length = 0;
      await writeFile(join(folder, 'doing.yaml'), file + more);
      const { stdout } = await run(['doctor', 'doing.yaml', '--online', '--json'], { cwd: folder });
      const { findings } = JSON.parse(stdout) as Report;
      return findings.filter(({ message }) => message.startsWith('was not called')).map(({ message }) => message);
    };
    const skipped = await look('');
    expect(api.seen.map(({ url }) => url).sort()).toEqual(['/issues', '/releases']);
    expect(skipped).toHaveLength(DOING.length);
    expect(skipped[0]).toMatch(/^was not called: .*logout/);
    expect(await look('operations: { "GET /library/refresh": { effect: read } }\n')).toHaveLength(DOING.length - 1);
    expect(api.seen.map(({ url }) => url).sort()).toEqual(['/issues', '/library/refresh', '/releases']);
  });

  test('the text output has the number of calls', async () => {
    const { stdout } = await doctor('--online');
    expect(stdout).toContain('Answers from the API');
    expect(stdout).toContain('4 reads called');
  });

  test('what no call has tested gets no tick', async () => {
    const look = async (upstream: string) => {
      const text = `name: board\nbaseUrl: ${upstream}\ncredentials: { key: { kind: bearer, env: UNSET_TOKEN } }\nendpoints: { list: { path: /orders, summary: Lists orders. } }\n`;
      await writeFile(join(folder, 'board.yaml'), text);
      return (await run(['doctor', 'board.yaml', '--online'], { cwd: folder })).stdout;
    };
    for (const stdout of [await look(api.url), await look('http://127.0.0.1:9')]) {
      expect(stdout).toContain('– Answers from the API: not tested, because no read was called (board)\n');
      expect(stdout).toContain('– Credentials: not tested with calls, because no call had one\n');
    }
  });

  test('without --online nothing is sent', async () => {
    const { stdout } = await doctor();
    expect(api.seen).toEqual([]);
    expect(stdout).not.toContain('Answers from the API');
  });
});
