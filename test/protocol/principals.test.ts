// What one caller has begun, another cannot go on with: sessions, confirmations, questions, states and cancellations are
// bound to the principal and the profile. Over real HTTP, in both eras; judged by what reached the API.

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import type { HttpServer } from '../../src/transport/http-listener.ts';
import { serveHttp } from '../../src/transport/serve-http.ts';
import { headersOf, legacy, modern, post, type Rpc } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { stream } from '../support/stream.ts';
import { until } from '../support/until.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

let upstream: Upstream;
let gateway: Gateway;
let server: HttpServer;
let url: string;
/** Answers the upstream still owes to lists. */
let owed: ServerResponse[] = [];

beforeAll(async () => {
  upstream = await startUpstream(({ url: path }, response) => {
    if (path.startsWith('/pets?')) owed.push(response);
    else response.end('{}');
  });
  gateway = createGateway({ domains: [petsDomain(upstream.url)], exposure: 'tools', profiles: { other: {} } });
  server = await serveHttp(gateway, {
    port: 0,
    identify: ({ headers }) => ({ principal: { id: `key:${headers['x-who']}` } }),
  });
  url = `http://127.0.0.1:${server.port}/mcp`;
});
afterAll(async () => {
  for (const response of owed) response.end('[]');
  await server.close(0);
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.seen.length = 0;
  owed = [];
});

const sent = () => upstream.seen.map(({ method, url: path }) => `${method} ${path}`);
const say = (who: string, message: Rpc, headers: Record<string, string> = {}, at = url) =>
  post(at, JSON.stringify(message), { 'x-who': who, ...headers });
const sayModern = async (who: string, message: Rpc, at = url) =>
  JSON.parse((await say(who, message, headersOf(message), at)).body) as Rpc;
const deletion = { name: 'pets_delete', arguments: { id: 7 } };
const yes = { confirm: { action: 'accept', content: { confirm: true } } };

/** A legacy session of somebody whose user can be asked. */
async function openSession(who: string, at = url): Promise<Record<string, string>> {
  const hello = legacy(1, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 't', version: '1' },
  });
  const { headers } = await say(who, hello, {}, at);
  return { 'mcp-session-id': String(headers['mcp-session-id']), 'mcp-protocol-version': '2025-11-25' };
}

describe('a legacy session', () => {
  test.each([
    ['a call', legacy(2, 'tools/call', { name: 'pets_get', arguments: { id: 1 } })],
    ['a list', legacy(2, 'tools/list')],
    ['a ping', legacy(2, 'ping')],
  ])('of Ann is not valid for Bob: his %s with it is refused as an unknown session', async (_, message) => {
    const session = await openSession('ann');
    const { status, body } = await say('bob', message, session);
    expect([status, (JSON.parse(body) as Rpc).error?.code, sent()]).toEqual([404, -32001, []]);
    expect((await say('ann', message, session)).status).toBe(200);
  });

  test('of one profile is not valid in another', async () => {
    const session = await openSession('ann');
    const call = legacy(2, 'tools/call', { name: 'pets_get', arguments: { id: 1 } });
    expect((await say('ann', call, session, `${url}/other`)).status).toBe(404);
    expect(sent()).toEqual([]);
  });

  test('of Ann, used by Bob, neither answers her question nor ends it with an unreadable message', async () => {
    const session = await openSession('ann');
    const asking = await stream(url, legacy(2, 'tools/call', deletion), { 'x-who': 'ann', ...session });
    const question = await asking.find(({ method }) => method === 'elicitation/create');
    const answer = { jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { confirm: true } } } as Rpc;
    await say('bob', answer, session);
    await say('bob', answer, await openSession('bob'));
    await post(url, '{"id": ', { 'x-who': 'bob', ...session });
    await post(url, 'x'.repeat(2 * 1024 * 1024), { 'x-who': 'bob', ...session }).catch(() => {});
    expect(sent()).toEqual([]);
    await say('ann', answer, session);
    await until(() => sent().length === 1);
    expect(sent()).toEqual(['DELETE /pets/7']);
  });

  test('of Ann lets her cancel her calls, but not Bob', async () => {
    const session = await openSession('ann');
    const call = legacy(5, 'tools/call', { name: 'pets_list', arguments: { limit: 1 } });
    const answer = say('ann', call, session);
    await until(() => owed.length === 1);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } } as Rpc;
    await say('bob', cancel, session);
    await say('bob', cancel, await openSession('bob'));
    await say('bob', cancel);
    expect(owed[0]!.destroyed).toBe(false);
    await say('ann', cancel, session);
    await answer;
    await until(() => owed[0]!.destroyed);
  });
});

describe('a modern call of Ann', () => {
  test('is not cancelled by Bob, whatever id he names', async () => {
    const call = modern(9, 'tools/call', { name: 'pets_list', arguments: { limit: 1 } });
    const answer = sayModern('ann', call);
    await until(() => owed.length === 1);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } } as Rpc;
    await say('bob', cancel);
    expect(owed[0]!.destroyed).toBe(false);
    owed[0]!.end('[]');
    expect(await answer).toMatchObject({ result: { content: [{ text: '[]' }] } });
  });
});

describe.each([
  [
    'the modern era',
    (who: string, args: object, at?: string) =>
      sayModern(who, modern(3, 'tools/call', { name: 'pets_delete', arguments: args }), at),
  ],
  [
    'the legacy era',
    async (who: string, args: object, at?: string) =>
      JSON.parse(
        (await say(who, legacy(3, 'tools/call', { name: 'pets_delete', arguments: args }), {}, at)).body,
      ) as Rpc,
  ],
] as const)('a confirmation token of Ann in %s', (_, call) => {
  const tokenOf = (answer: Rpc) =>
    /confirmation_token: "([^"]+)"/.exec(JSON.stringify(answer).replaceAll('\\', ''))![1]!;

  test('is not valid for Bob or in another profile, and not used up by trying', async () => {
    const confirmation_token = tokenOf(await call('ann', { id: 7 }));
    expect(await call('bob', { id: 7, confirmation_token })).toMatchObject({ result: { isError: true } });
    expect(await call('ann', { id: 7, confirmation_token }, `${url}/other`)).toMatchObject({
      result: { isError: true },
    });
    expect(sent()).toEqual([]);
    await call('ann', { id: 7, confirmation_token });
    expect(sent()).toEqual(['DELETE /pets/7']);
    await call('ann', { id: 7, confirmation_token });
    expect(sent()).toEqual(['DELETE /pets/7']);
  });
});

describe('the state of Ann’s question, 2026-07-28', () => {
  test('is not valid for Bob or in another profile, whatever he answers', async () => {
    const ask = modern(4, 'tools/call', deletion, { elicitation: {} });
    const { result } = await sayModern('ann', ask);
    const requestState = String(result?.requestState);
    const second = modern(5, 'tools/call', { ...deletion, requestState, inputResponses: yes }, { elicitation: {} });
    await sayModern('bob', second);
    await sayModern('ann', second, `${url}/other`);
    expect(sent()).toEqual([]);
    await sayModern('ann', second);
    expect(sent()).toEqual(['DELETE /pets/7']);
  });
});
