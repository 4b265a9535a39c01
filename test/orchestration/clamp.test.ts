// An argument moved to its bound, seen through a whole gateway: what the API gets, and what the caller is told.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildDomain } from '../../src/domain/definition/build-domain.ts';
import { defineDomain } from '../../src/domain/definition/define-domain.ts';
import { createRedactor } from '../../src/endpoint/redaction/redact.ts';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { modern } from '../support/mcp.ts';
import { type Recorder, startRecorder } from '../support/recorder.ts';

let api: Recorder;
let gateway: Gateway;
const urls: string[] = [];
/** What was looked at for secrets. */
const texts: string[] = [];

beforeAll(async () => {
  api = await startRecorder(({ url }, response) => {
    urls.push(url);
    response
      .writeHead(url.includes('fail') ? 422 : 200, { 'content-type': 'application/json' })
      .end('{"title":"a-secret"}');
  });
  const limit = { type: 'integer', minimum: 1, maximum: 50, clamp: true } as const;
  const definition = defineDomain({
    name: 'things',
    baseUrl: api.origin,
    endpoints: {
      list: { path: '/things', summary: 'Lists things.', args: { limit } },
      fail: { path: '/fail', summary: 'Fails.', args: { limit } },
    },
  });
  const redact = createRedactor(['a-secret']);
  gateway = createGateway({
    domains: [buildDomain(definition, { env: {} })],
    exposure: 'tools',
    redact: Object.assign((text: string) => {
      texts.push(text);
      return redact(text);
    }, redact),
  });
});
afterAll(async () => {
  await gateway.close();
  await api.close();
});

async function call(name: string, limit: unknown): Promise<string> {
  urls.length = 0;
  texts.length = 0;
  const reply = await gateway.handle(JSON.stringify(modern(1, 'tools/call', { name, arguments: { limit } })));
  const { result } = JSON.parse(reply!.body) as { result: { content: { text: string }[] } };
  return result.content[0]!.text;
}

test('the last line of an answer says which argument was clamped', async () => {
  expect(await call('things_list', 500)).toBe('{"title":"[redacted]"}\nlimit was 500; 50 is the most, so 50 was used');
  expect(urls).toEqual(['/things?limit=50']);
  expect(await call('things_list', 7)).toBe('{"title":"[redacted]"}');
});

test('the last line of a failure says which argument was clamped', async () => {
  const text = await call('things_fail', 0);
  expect(text.split('\n').at(-1)).toBe('limit was 0; 1 is the least, so 1 was used');
  expect(text).not.toContain('a-secret');
  expect(urls).toEqual(['/fail?limit=1']);
});

test('the answer is redacted once, with or without clamped arguments', async () => {
  await call('things_list', 500);
  expect(texts).toEqual(['{"title":"a-secret"}']);
  await call('things_list', 7);
  expect(texts).toEqual(['{"title":"a-secret"}']);
});
