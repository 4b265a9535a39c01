// The official clients list, call, and are asked, over HTTP and over stdio with the real program: version 2 of the SDK in
// both its modes, and version 1.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { serveHttp } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { until } from '../support/until.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

type Answer = 'accept' | 'decline' | 'cancel';
/** What both versions of the client have in common, as far as it is used here. */
type Client = Pick<
  ClientV2,
  'listTools' | 'callTool' | 'listResources' | 'readResource' | 'listPrompts' | 'getPrompt' | 'complete' | 'close'
>;

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const PETS = fileURLToPath(new URL('../support/pets.yaml', import.meta.url));
const INFO = { name: 'test', version: '1' };

let upstream: Upstream;
let gateway: Gateway;
let http: Awaited<ReturnType<typeof serveHttp>>;
/** Calls the upstream does not answer: it only sees when they are given up. */
let abandoned = 0;
let asked: string[] = [];
let answer: Answer = 'accept';

beforeAll(async () => {
  upstream = await startUpstream(({ method, url }, response) => {
    if (url === '/pets/99') {
      response.once('close', () => {
        abandoned++;
      });
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ method, url }));
  });
  gateway = createGateway({ domains: [petsDomain(upstream.url)], exposure: 'tools' });
  http = await serveHttp(gateway);
  // Programs take a while to start: they do so while the first tests run.
  if (existsSync(PROGRAM)) for (const [name, open] of Object.entries(SPAWNING)) started.set(name, open());
});
afterAll(async () => {
  await http.close(0);
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.seen.length = 0;
  asked = [];
  answer = 'accept';
  abandoned = 0;
});

const reply = (message: string) => {
  asked.push(message);
  return answer === 'accept' ? { action: answer, content: { confirm: true } } : { action: answer };
};
const program = () => ({
  command: process.execPath,
  args: [PROGRAM, 'serve', '--stdio', '--exposure', 'tools', '--log-level', 'silent', PETS],
  env: { ...process.env, PETS_URL: upstream.url } as Record<string, string>,
  stderr: 'ignore' as const,
});

async function openV2(mode: 'auto' | 'legacy', over: 'http' | 'stdio', canAsk = true): Promise<Client> {
  const client = new ClientV2(INFO, {
    capabilities: canAsk ? { elicitation: { form: {} } } : {},
    versionNegotiation: { mode },
  });
  if (canAsk) client.setRequestHandler('elicitation/create', ({ params }) => reply(params.message));
  await client.connect(over === 'http' ? new HttpV2(new URL(http.url)) : new StdioV2(program()));
  expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
  return client;
}

async function openV1(over: 'http' | 'stdio', canAsk = true): Promise<Client> {
  const client = new ClientV1(INFO, { capabilities: canAsk ? { elicitation: {} } : {} });
  if (canAsk) client.setRequestHandler(ElicitRequestSchema, ({ params }) => reply(params.message));
  await client.connect((over === 'http' ? new HttpV1(new URL(http.url)) : new StdioV1(program())) as never);
  return client as unknown as Client;
}

const CLIENTS: Record<string, (canAsk?: boolean) => Promise<Client>> = {
  'version 2, modern, over HTTP': (canAsk) => openV2('auto', 'http', canAsk),
  'version 2, legacy, over HTTP': (canAsk) => openV2('legacy', 'http', canAsk),
  'version 1 over HTTP': (canAsk) => openV1('http', canAsk),
};
const SPAWNING: typeof CLIENTS = {
  'version 2, modern, over stdio': (canAsk) => openV2('auto', 'stdio', canAsk),
  'version 2, legacy, over stdio': (canAsk) => openV2('legacy', 'stdio', canAsk),
  'version 1 over stdio': (canAsk) => openV1('stdio', canAsk),
};

const sent = () => upstream.seen.map(({ method, url }) => `${method} ${url}`);
const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text ?? '';

const started = new Map<string, Promise<Client>>();

function suite(open: () => Promise<Client>): void {
  let client: Client;
  beforeAll(async () => {
    client = await open();
  });
  afterAll(() => client?.close());

  test('lists and calls tools', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).filter((name) => name !== 'pets_create')).toEqual([
      'pets_list',
      'pets_get',
      'pets_delete',
    ]);
    expect(textOf(await client.callTool({ name: 'pets_list', arguments: { limit: 3 } }))).toBe(
      '{"method":"GET","url":"/pets?limit=3"}',
    );
    expect(await client.callTool({ name: 'pets_list', arguments: { limt: 3 } })).toMatchObject({ isError: true });
    await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({ code: -32602 });
  });

  test('reads resources, gets prompts and completes', async () => {
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'landbridge://domains/pets',
      'landbridge://domains/pets/openapi',
      'pets://about',
    ]);
    expect((await client.readResource({ uri: 'pets://pets/7' })).contents).toMatchObject([
      { text: '{"method":"GET","url":"/pets/7"}' },
    ]);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['introduce']);
    expect((await client.getPrompt({ name: 'introduce', arguments: { kind: 'cat' } })).messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Tell me about a cat.' } },
    ]);
    const ref = { type: 'ref/prompt' as const, name: 'introduce' };
    expect((await client.complete({ ref, argument: { name: 'kind', value: 'd' } })).completion.values).toEqual(['dog']);
  });

  test('answers a confirmation, and the delete happens exactly once', async () => {
    expect(textOf(await client.callTool({ name: 'pets_delete', arguments: { id: 7 } }))).toBe(
      '{"method":"DELETE","url":"/pets/7"}',
    );
    expect(asked).toEqual([
      `DELETE ${upstream.url}/pets/7\nRemoves a pet. (Pets)\nWith:\n  id: 7\nWhat this removes or overwrites is lost: it may be impossible to undo. Go on?`,
    ]);
    expect(sent()).toEqual(['DELETE /pets/7']);
  });

  test.each<Answer>(['decline', 'cancel'])('passes on that the person chose to %s', async (chosen) => {
    answer = chosen;
    const result = await client.callTool({ name: 'pets_delete', arguments: { id: 7 } });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { failure_mode: 'not_confirmed', answer: chosen },
    });
    expect(sent()).toEqual([]);
  });

  test('cancels a call, and the API’s socket is closed', async () => {
    const giveUp = new AbortController();
    const { signal } = giveUp;
    const params = { name: 'pets_get', arguments: { id: 99 } };
    // Version 1 takes options as its third argument.
    const calling =
      client instanceof ClientV1 ? client.callTool(params, undefined, { signal }) : client.callTool(params, { signal });
    calling.catch(() => {});
    await until(() => upstream.seen.length === 1);
    giveUp.abort();
    await until(() => abandoned === 1);
  });
}

describe.each(Object.entries(CLIENTS))('%s', (_, open) => {
  suite(open);

  test('without elicitation gets a confirmation token', async () => {
    const client = await open(false);
    const refusal = await client.callTool({ name: 'pets_delete', arguments: { id: 7 } });
    expect(refusal).toMatchObject({ isError: true, structuredContent: { failure_mode: 'not_confirmed' } });
    const confirmation_token = /confirmation_token: "([\w-]+)"/.exec(textOf(refusal))?.[1];
    expect(sent()).toEqual([]);
    expect(await client.callTool({ name: 'pets_delete', arguments: { id: 7, confirmation_token } })).not.toHaveProperty(
      'isError',
      true,
    );
    expect(await client.callTool({ name: 'pets_delete', arguments: { id: 7, confirmation_token } })).toMatchObject({
      isError: true,
    });
    expect(sent()).toEqual(['DELETE /pets/7']);
    await client.close();
  });
});

// `npm test` builds the program first.
describe.skipIf(!existsSync(PROGRAM)).each(Object.keys(SPAWNING))('%s', (name) => suite(() => started.get(name)!));
