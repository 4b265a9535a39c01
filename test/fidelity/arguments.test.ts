// Validation: arguments that do not match the schema never reach the API.
import { describe, expect, test } from 'vitest';
import { useRealHttp } from '../support/real-http.ts';
import { CHECK_LINES, REST_LINES, TYPE_LINES } from './arguments.ts';
import { openDuring } from './gateway.ts';
import { check, written } from './sheet.ts';

useRealHttp();

const opened = openDuring({ documents: ['arguments.yaml'] });

describe('schemas are enforced', () => {
  test.each(CHECK_LINES)('$name', (line) => check(opened, line));
});

describe('types', () => {
  test.each(TYPE_LINES)('$name', (line) => check(opened, line));
});

describe('fields that a body allows without naming them', () => {
  test.each(REST_LINES)('$name', (line) => check(opened, line));
});

describe('names of Object.prototype', () => {
  // The client would drop an own __proto__; the wire does not.
  const raw = (args: string) =>
    opened.gateway.handle(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"typed","arguments":${args},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
    );

  test('an argument __proto__ is refused, and nothing is polluted', async () => {
    const reply = await raw('{"__proto__":{"polluted":true},"name":"n"}');
    expect(reply?.body).toMatch(/__proto__/);
    expect(JSON.parse(reply!.body)).toMatchObject({ result: { isError: true } });
    expect(opened.echo.take()).toEqual([]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('__proto__ inside an object of any fields is ordinary data', async () => {
    const reply = await raw('{"free":{"__proto__":{"polluted":true},"a":1}}');
    expect(JSON.parse(reply!.body)).toMatchObject({ result: { content: [{ type: 'text' }] } });
    expect(opened.echo.take().map(written)).toEqual([
      {
        line: 'POST /v1/typed',
        headers: { 'content-type': 'application/json' },
        body: '{"free":{"__proto__":{"polluted":true},"a":1}}',
      },
    ]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

test('an unknown tool is a protocol error that names the nearest one', async () => {
  await expect(opened.client.callTool({ name: 'typd', arguments: {} })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('typed'),
  });
  expect(opened.echo.take()).toEqual([]);
});
