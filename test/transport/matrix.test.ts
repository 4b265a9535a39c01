// The same dialogue over every transport: same tools, same answers, malformed input included.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { LINKS, type Link, legacy, modern, type Rpc } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

let upstream: Upstream;
let gateway: Gateway;
const links: Link[] = [];

beforeAll(async () => {
  upstream = await startUpstream();
  gateway = createGateway({ domains: [petsDomain(upstream.url)], exposure: 'tools' });
  for (const open of Object.values(LINKS)) links.push(await open(gateway));
});
afterAll(async () => {
  await Promise.all(links.map((link) => link.close()));
  await gateway.close();
  await upstream.close();
});

/** The answer over each transport; all must be equal. */
async function everywhere(message: Rpc | string): Promise<string | undefined> {
  const text = typeof message === 'string' ? message : JSON.stringify(message);
  const answers = [];
  for (const link of links) answers.push(await link.send(text));
  expect(answers[1], 'stdio answers like http').toEqual(answers[0]);
  expect(answers[2], 'tcp answers like http').toEqual(answers[0]);
  return answers[0];
}

describe('every transport', () => {
  test('offers the same tools in the modern era', async () => {
    const { result } = JSON.parse((await everywhere(modern(1, 'tools/list'))) ?? '') as {
      result: { tools: { name: string }[] };
    };
    expect(result.tools.map(({ name }) => name).sort()).toEqual([
      'pets_create',
      'pets_delete',
      'pets_get',
      'pets_list',
    ]);
  });

  test('offers the same tools in the legacy era, with a string id', async () => {
    const { id, result } = JSON.parse((await everywhere(legacy('abc', 'tools/list'))) ?? '') as {
      id: string;
      result: { tools: unknown[] };
    };
    expect([id, result.tools.length]).toEqual(['abc', 4]);
  });

  test('accepts 0 as a request id', async () => {
    expect(JSON.parse((await everywhere(legacy(0, 'ping'))) ?? '')).toEqual({ jsonrpc: '2.0', id: 0, result: {} });
  });

  test('calls a tool and returns the answer as text', async () => {
    const { result } = JSON.parse(
      (await everywhere(modern(2, 'tools/call', { name: 'pets_list', arguments: { limit: 3 } }))) ?? '',
    ) as { result: unknown };
    expect(result).toMatchObject({
      content: [{ type: 'text', text: '{"method":"GET","url":"/pets?limit=3"}' }],
      resultType: 'complete',
    });
  });

  test('refuses an unknown argument and sends nothing', async () => {
    const before = upstream.seen.length;
    const { result } = JSON.parse(
      (await everywhere(legacy(3, 'tools/call', { name: 'pets_list', arguments: { limt: 3 } }))) ?? '',
    ) as {
      result: { isError: boolean; content: { text: string }[]; structuredContent: { failure_mode: string } };
    };
    expect(result.isError).toBe(true);
    expect(result.content[0]?.text).toContain('did you mean `limit`');
    expect(result.structuredContent.failure_mode).toBe('validation');
    expect(upstream.seen.length).toBe(before);
  });

  test('answers no notification', async () => {
    expect(await everywhere({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBeUndefined();
  });

  test.each([
    ['{"jsonrpc":"2.0","id":1', -32700],
    ['not json', -32700],
    ['{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700],
    ['"text"', -32600],
    ['{}', -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":7}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32600],
    ['[]', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"no/such"}', -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pets_list","arguments":[]}}', -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"made-up"}}', -32602],
  ])('answers %s with %i', async (text, code) => {
    const answer = JSON.parse((await everywhere(text)) ?? '') as Rpc;
    expect(answer.error?.code).toBe(code);
    expect(answer).not.toHaveProperty('id', null);
  });

  test('answers a legacy batch with a batch', async () => {
    const batch = [legacy(1, 'ping'), { jsonrpc: '2.0', method: 'notifications/initialized' }, legacy(2, 'ping')];
    expect(JSON.parse((await everywhere(JSON.stringify(batch))) ?? '')).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 2, result: {} },
    ]);
  });

  test('refuses a batch with a modern message in it', async () => {
    const answer = JSON.parse(
      (await everywhere(JSON.stringify([legacy(1, 'ping'), modern(2, 'tools/list')]))) ?? '',
    ) as Rpc;
    expect(answer.error?.code).toBe(-32600);
  });
});
