// `confirm: token | ask | either`: everywhere it can be written, who wins, who may not say it, and what a client sees of it.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GroupedToolBuilder } from '../../src/catalog/grouped/grouped-tool-builder.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { loadDomains } from '../../src/domain/load.ts';
import type { ConfirmWay, Domain } from '../../src/endpoint/model.ts';
import { createGateway, type Gateway, type GatewayOptions, type Service } from '../../src/gateway.ts';
import { readProfiles } from '../../src/profiles.ts';
import { ToolRegistry } from '../../src/sdk/tool-registry.ts';
import { legacy, post, type Rpc, serveHttp } from '../support/mcp.ts';
import { useRealHttp } from '../support/real-http.ts';
import { stream } from '../support/stream.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

let folder: string;
let upstream: Upstream;
const open: Gateway[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'landbridge-confirm-'));
  upstream = await startUpstream();
});
afterAll(async () => {
  await Promise.all(open.map((gateway) => gateway.close()));
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  upstream.seen.length = 0;
});

const start = (domains: readonly Domain[], options: Partial<GatewayOptions> = {}) => {
  const gateway = createGateway({ domains, exposure: 'tools', ...options });
  open.push(gateway);
  return gateway;
};

/** A domain file of its own, over a document of two deletions. */
let files = 0;
async function load(lines: string, inDocument: object = {}, overlay?: object): Promise<Domain> {
  const name = `pets${files++}`;
  const remove = (operationId: string) => ({
    operationId,
    summary: 'Removes a pet.',
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
    responses: { 204: { description: 'Gone' } },
    ...inDocument,
  });
  const document = {
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    servers: [{ url: upstream.url }],
    paths: { '/pets/{id}': { delete: remove('delete_pet') }, '/cats/{id}': { delete: remove('delete_cat') } },
    ...inDocument,
  };
  writeFileSync(join(folder, `${name}-api.json`), JSON.stringify(document));
  if (overlay) writeFileSync(join(folder, `${name}-overlay.json`), JSON.stringify(overlay));
  const extra = overlay ? `overlays: [./${name}-overlay.json]\n` : '';
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, `name: ${name}\nprefix: ''\nopenapi: ./${name}-api.json\n${extra}${lines}`);
  const [domain] = await loadDomains({ paths: [file], env: {} });
  return domain!;
}

/** What a client without elicitation is told of it: whether a token would do. */
async function takesToken(service: Service, tool: string): Promise<boolean> {
  const reply = await service.handle(JSON.stringify(legacy(1, 'tools/call', { name: tool, arguments: { id: 7 } })));
  const { result } = JSON.parse(reply!.body) as { result: { structuredContent: { confirmation_token?: string } } };
  return result.structuredContent.confirmation_token !== undefined;
}

describe('what counts as a confirmation is read', () => {
  test('from --confirm, then from LANDBRIDGE_CONFIRM', () => {
    expect(readConfig({}, {}).confirm).toBeUndefined();
    expect(readConfig({ confirm: 'ask' }, {}).confirm).toBe('ask');
    expect(readConfig({}, { LANDBRIDGE_CONFIRM: 'token' }).confirm).toBe('token');
    expect(readConfig({ confirm: 'either' }, { LANDBRIDGE_CONFIRM: 'token' }).confirm).toBe('either');
    expect(() => readConfig({ confirm: 'yes' }, {})).toThrow('must be token, ask or either');
    expect(() => readConfig({}, { LANDBRIDGE_CONFIRM: 'maybe' })).toThrow('LANDBRIDGE_CONFIRM');
  });

  test('from an operation, then from its domain file', async () => {
    const gateway = start([await load('confirm: ask\noperations:\n  delete_cat: { confirm: token }\n')]);
    expect(await takesToken(gateway, 'delete_pet')).toBe(false);
    expect(await takesToken(gateway, 'delete_cat')).toBe(true);
    await expect(load('confirm: never\n')).rejects.toThrow('must be one of "token", "either", "ask"; got "never"');
  });

  test('from an endpoint written by hand', async () => {
    const file = join(folder, 'hand.yaml');
    const endpoint =
      'method: DELETE, path: "/pets/{id}", summary: Removes., args: { id: { type: integer, required: true } }';
    writeFileSync(
      file,
      `name: hand\nbaseUrl: ${upstream.url}\nendpoints:\n  one: { ${endpoint}, confirm: ask }\n  two: { ${endpoint} }\n`,
    );
    const gateway = start(await loadDomains({ paths: [file], env: {} }));
    expect(await takesToken(gateway, 'hand_one')).toBe(false);
    expect(await takesToken(gateway, 'hand_two')).toBe(true);
  });

  test('from a profile, which makes it stricter only', async () => {
    const file = join(folder, 'profiles.yaml');
    writeFileSync(file, 'strict: { confirm: ask }\nlax: { confirm: token }\n');
    const profiles = readProfiles(file);
    const lenient = start([await load('confirm: token\n')], { profiles });
    expect(await takesToken(lenient, 'delete_pet')).toBe(true);
    expect(await takesToken(lenient.profiles.get('strict')!, 'delete_pet')).toBe(false);
    const strict = start([await load('confirm: ask\n')], { profiles });
    expect(await takesToken(strict.profiles.get('lax')!, 'delete_pet')).toBe(false);
    writeFileSync(file, 'odd: { confirm: never }\n');
    expect(() => readProfiles(file)).toThrow('confirm');
  });

  test('and is never weaker than the operator demands', async () => {
    const policy = { readOnly: false, confirm: 'ask' } as const;
    const gateway = start([await load('confirm: token\noperations:\n  delete_cat: { confirm: either }\n')], { policy });
    expect(await takesToken(gateway, 'delete_pet')).toBe(false);
    expect(await takesToken(gateway, 'delete_cat')).toBe(false);
  });

  test('not from a document, nor from an overlay', async () => {
    const said = { 'x-mcp': { confirm: 'token' } };
    const overlay = {
      overlay: '1.0.0',
      info: { title: 'Laxer', version: '1' },
      actions: [
        { target: '$', update: said },
        { target: "$.paths['/pets/{id}'].delete", update: said },
      ],
    };
    for (const domain of [await load('', said), await load('', {}, overlay)]) {
      expect(domain.confirm).toBeUndefined();
      expect(domain.endpoints.map(({ confirm }) => confirm)).toEqual([undefined, undefined]);
    }
  });
});

const YES = { action: 'accept', content: { confirm: true } } as const;

/** Who is asked, whether a token is offered, and what reaches the API when the person agrees. */
const SEEN: Readonly<Record<ConfirmWay, { asked: boolean; token: boolean }>> = {
  ask: { asked: true, token: false },
  either: { asked: true, token: false },
  token: { asked: false, token: true },
};

describe.each(Object.entries(SEEN))('confirm: %s', (way, { asked, token }) => {
  test('over legacy HTTP', async () => {
    const gateway = start([await load(`confirm: ${way}\n`)]);
    const http = await serveHttp(gateway);
    const hello = {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo: { name: 'c', version: '1' },
    };
    const { headers } = await post(http.url, JSON.stringify(legacy(0, 'initialize', hello)));
    const own = { 'mcp-protocol-version': '2025-11-25', 'mcp-session-id': String(headers['mcp-session-id']) };
    const message = legacy(1, 'tools/call', { name: 'delete_pet', arguments: { id: 7 } });
    if (asked) {
      const call = await stream(http.url, message, own);
      const question = await call.find(({ method }: Rpc) => method === 'elicitation/create');
      await post(http.url, JSON.stringify({ jsonrpc: '2.0', id: question.id, result: YES }), own);
      expect((await call.ended).at(-1)?.result).not.toHaveProperty('isError');
    } else {
      const { body } = await post(http.url, JSON.stringify(message), own);
      expect(body).not.toContain('elicitation/create');
      expect(body.includes('confirmation_token')).toBe(token);
    }
    expect(upstream.seen.map(({ url }) => url)).toEqual(asked ? ['/pets/7'] : []);
    await http.close(0);
  });

  test('through a server of the SDK', async () => {
    const { registry } = start([await load(`confirm: ${way}\n`)]);
    const operation = registry.operations.find(({ name }) => name === 'delete_pet')!;
    const server = new Server({ name: 's', version: '1' });
    new ToolRegistry()
      .register(new GroupedToolBuilder('pets').action({ name: 'delete', operation }))
      .attachToServer(server);
    const client = new Client({ name: 'c', version: '1' }, { capabilities: { elicitation: {} } });
    const questions: string[] = [];
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      questions.push(params.message);
      return YES;
    });
    const [near, far] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(far), client.connect(near)]);
    const result = await client.callTool({ name: 'pets', arguments: { action: 'delete', id: 7 } });
    expect(questions).toHaveLength(asked ? 1 : 0);
    expect(JSON.stringify(result).includes('confirmation_token')).toBe(token);
    expect(upstream.seen.map(({ url }) => url)).toEqual(asked ? ['/pets/7'] : []);
    await client.close();
  });
});
