// Secrets on their way out of a whole gateway: tokens that came later, outcomes changed after they were looked through,
// questions and links.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createGateway,
  defineTool,
  type GatewayOptions,
  type Middleware,
  type Outcome,
  type ToolEntry,
} from '../../src/index.ts';
import { createSession } from '../../src/protocol/session.ts';
import { legacy, modern, type Rpc } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

const SECRET = 's3cr3t-value-of-the-key';

let upstream: Upstream;
let body: (authorization: string) => string;
let issued: string[] = [];

beforeAll(async () => {
  upstream = await startUpstream(({ url, headers: { authorization = '' }, body: form }, response) => {
    response.setHeader('content-type', 'application/json');
    if (url !== '/token') return void response.end(body(authorization));
    const token = `token-of-${/scope=(\w+)/.exec(form)?.[1]}-number-${issued.length}`;
    issued.push(token);
    response.end(JSON.stringify({ access_token: token, expires_in: form.includes('short') ? 1 : 3600 }));
  });
});
afterAll(() => upstream.close());
beforeEach(() => {
  issued = [];
  body = (authorization) => JSON.stringify({ authorization });
});

const textOf = ({ result }: Rpc) => JSON.stringify(result);

function open(more: object, options: Partial<GatewayOptions> = {}) {
  const env = { PETS_KEY: SECRET, ID: 'client', CLIENT_SECRET: 'client-secret' };
  const gateway = createGateway({ domains: [petsDomain(upstream.url, env, more)], exposure: 'tools', ...options });
  const call = async (name: string, args: object = {}, capabilities = {}) =>
    JSON.parse((await gateway.handle(modern(1, 'tools/call', { name, arguments: args }, capabilities)))!.body) as Rpc;
  return { gateway, call };
}

describe('an OAuth token', () => {
  const oauth = (scope: string) => ({
    kind: 'oauth2',
    tokenUrl: `${upstream.url}/token`,
    clientIdEnv: 'ID',
    clientSecretEnv: 'CLIENT_SECRET',
    scopes: [scope],
  });
  const reading = (path: string, scheme: string) => ({ method: 'GET', path, summary: 'Reads.', security: [[scheme]] });
  const twoClients = () =>
    open({
      security: [['long']],
      credentials: { long: oauth('long'), short: oauth('short') },
      endpoints: { steady: reading('/steady', 'long'), hasty: reading('/hasty', 'short') },
    });

  test('of the first call is removed from its answer, and so is the next token', async () => {
    const { gateway, call } = twoClients();
    for (let round = 0; round < 2; round++) {
      const text = textOf(await call('pets_hasty'));
      expect(text).toContain('Bearer [redacted]');
      expect(text).not.toContain('token-of');
    }
    expect(issued).toHaveLength(2);
    await gateway.close();
  });

  test('in use is still removed after many newer tokens', async () => {
    const { gateway, call } = twoClients();
    await call('pets_steady');
    for (let round = 0; round < 70; round++) await call('pets_hasty');
    expect(textOf(await call('pets_steady'))).toContain('Bearer [redacted]');
    expect(issued).toHaveLength(71);
    await gateway.close();
  });

  test('is remembered from its last use, and removed from answers until it expires', async () => {
    const { gateway, call } = twoClients();
    await call('pets_steady');
    for (let round = 0; round < 40; round++) await call('pets_hasty');
    await call('pets_steady');
    for (let round = 0; round < 40; round++) await call('pets_hasty');
    body = () => JSON.stringify({ others: [issued[0]] });
    expect(textOf(await call('pets_hasty'))).not.toContain('token-of');
    expect(issued).toHaveLength(82);
    await gateway.close();
  });
});

const BEARER = {
  credentials: { key: { kind: 'bearer', env: 'PETS_KEY' } },
  endpoints: {
    plain: { method: 'GET', path: '/plain', summary: 'Reads.' },
    typed: {
      method: 'GET',
      path: '/typed',
      summary: 'Reads.',
      response: { structured: true },
    },
  },
};

describe('an outcome that is redacted already', () => {
  type Draft = { content: { text?: string }[]; structured: { pet: Record<string, unknown>; list: unknown[] } };
  const changes: [string, (outcome: Draft) => unknown][] = [
    ['a block of its content', ({ content }) => Object.assign(content[0]!, { text: SECRET })],
    ['its list of content', ({ content }) => content.push({ text: SECRET })],
    ['its structured content', (outcome) => Object.assign(outcome, { structured: { key: SECRET } })],
    ['an object inside the structured content', ({ structured }) => Object.assign(structured.pet, { key: SECRET })],
    ['a list inside the structured content', ({ structured }) => structured.list.push(SECRET)],
  ];

  test.each(changes)('is not changed in place by middleware: %s', async (_, change) => {
    const slip: Middleware = async (_context, _args, next) => {
      const outcome = await next();
      change(outcome as unknown as Draft);
      return outcome;
    };
    body = () => JSON.stringify({ pet: { id: 7 }, list: [1] });
    const { gateway, call } = open(BEARER, { middleware: [slip] });
    const { result } = await call('pets_typed');
    expect(JSON.stringify(result)).not.toContain(SECRET);
    expect(result).toMatchObject({ isError: true, structuredContent: { failure_mode: 'handler_failed' } });
    await gateway.close();
  });

  test.each([
    ['a copy of it', (outcome: Outcome): Outcome => ({ ...outcome, structured: { key: SECRET } })],
    [
      'a copy made by its class',
      (outcome: Outcome): Outcome =>
        Object.assign(Object.create(Object.getPrototypeOf(outcome)), outcome, { structured: { key: SECRET } }),
    ],
  ])('is looked through again where middleware returns %s', async (_, change) => {
    const around: Middleware = async (_context, _args, next) => change(await next());
    body = () => JSON.stringify({ pet: { id: 7 }, list: [1] });
    const { gateway, call } = open(BEARER, { middleware: [around] });
    expect((await call('pets_typed')).result).toMatchObject({ structuredContent: { key: '[redacted]' } });
    await gateway.close();
  });

  test('is redacted again if a native tool returns a changed copy', async () => {
    body = () => JSON.stringify({ pet: { id: 7 }, list: [1] });
    const tool: ToolEntry = defineTool({
      name: 'wrap',
      description: 'Wraps.',
      annotations: { readOnlyHint: true },
      run: async (context) => {
        const outcome = await gateway.registry.tools.get('pets_typed')!.run(context, {});
        (outcome.structured as { list: unknown[] }).list.push(SECRET);
        return outcome;
      },
    });
    const { gateway, call } = open(BEARER, { native: { tools: [tool] } });
    expect((await call('wrap')).result).toMatchObject({ structuredContent: { list: [1, '[redacted]'] } });
    await gateway.close();
  });
});

describe('secrets are removed', () => {
  const tool = (run: NonNullable<Parameters<typeof defineTool>[0]>['run']) =>
    defineTool({ name: 'tell', description: 'Tells.', annotations: { readOnlyHint: true }, run });

  test('from a link to a resource', async () => {
    const link = { type: 'resource_link', uri: `https://a.test/?key=${SECRET}`, name: `The ${SECRET}` };
    const { gateway, call } = open(BEARER, { native: { tools: [tool(() => ({ content: [link] }))] } });
    expect((await call('tell')).result?.content).toEqual([
      { type: 'resource_link', uri: 'https://a.test/?key=[redacted]', name: 'The [redacted]' },
    ]);
    await gateway.close();
  });

  test('from objects with toJSON(), such as a URL', async () => {
    const said = { link: new URL(`https://a.test/?key=${SECRET}`), at: new Date(0), own: { toJSON: () => [SECRET] } };
    const { gateway, call } = open(BEARER, {
      native: { tools: [tool(() => ({ content: [], structuredContent: said }))] },
    });
    expect((await call('tell')).result?.structuredContent).toEqual({
      link: 'https://a.test/?key=[redacted]',
      at: '1970-01-01T00:00:00.000Z',
      own: ['[redacted]'],
    });
    await gateway.close();
  });

  const asking = { method: 'elicitation/create', params: { message: `Is ${SECRET} right?`, requestedSchema: {} } };
  const redacted = { method: 'elicitation/create', params: { message: 'Is [redacted] right?', requestedSchema: {} } };
  const inputRequired = { inputRequests: { ok: asking }, requestState: 'round-1' };

  test('from a question of a tool, a resource or a prompt', async () => {
    const { gateway, call } = open(BEARER, {
      native: {
        tools: [tool(() => ({ content: [], inputRequired }))],
        resources: [
          { definition: { uri: 'a://b', name: 'b' }, read: async () => ({ contents: [], inputRequired }) } as never,
        ],
        prompts: [
          { definition: { name: 'p' }, values: {}, get: async () => ({ messages: [], inputRequired }) } as never,
        ],
      },
    });
    const request = async (method: string, params: Record<string, unknown>) =>
      JSON.parse((await gateway.handle(modern(1, method, params, { elicitation: {} })))!.body) as Rpc;
    const answers = [
      await call('tell', {}, { elicitation: {} }),
      await request('resources/read', { uri: 'a://b' }),
      await request('prompts/get', { name: 'p' }),
    ];
    for (const { result } of answers) {
      expect(result).toMatchObject({
        resultType: 'input_required',
        inputRequests: { ok: redacted },
        requestState: 'round-1',
      });
    }
    await gateway.close();
  });

  test('from a question to a legacy client', async () => {
    const { gateway } = open(BEARER, {
      native: { tools: [tool(({ client, signal }) => client.request!(asking.method, asking.params, signal))] },
    });
    const sent: Rpc[] = [];
    const sender = {
      transport: 'tcp',
      session: createSession(),
      send: (text: string) => void sent.push(JSON.parse(text)),
    } as const;
    const capabilities = { elicitation: {} };
    await gateway.handle(legacy(0, 'initialize', { protocolVersion: '2025-11-25', capabilities }), sender);
    const answer = gateway.handle(legacy(1, 'tools/call', { name: 'tell' }), sender);
    expect(sent).toMatchObject([redacted]);
    await gateway.handle({ jsonrpc: '2.0', id: sent[0]!.id, result: {} }, sender);
    expect((await answer)?.body).toContain('"result"');
    await gateway.close();
  });
});
