import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { defineTools, type ToolDeclaration } from '../../src/catalog/native/define-tool.ts';
import { errorResult, textResult } from '../../src/catalog/native/plain-results.ts';
import { createGateway } from '../../src/gateway.ts';
import { aCall, textOf } from './support.ts';

const greet: ToolDeclaration = {
  name: 'greet',
  description: 'Greets somebody.',
  inputSchema: {
    type: 'object',
    properties: { name: { type: 'string' }, email: { type: 'string' }, subject: { type: 'string' } },
  },
  required: ['name'],
  dependencies: { subject: ['email'] },
  annotations: { readOnlyHint: true },
};
const ping: ToolDeclaration = { name: 'ping', description: 'Answers.' };
const handlers = {
  greet: (_call: unknown, args: Readonly<Record<string, unknown>>) => textResult(`Hi ${args.name}`),
  ping: () => errorResult('no'),
};

const folder = mkdtempSync(join(tmpdir(), 'landbridge-tools-'));
const file = join(folder, 'tools.json');
writeFileSync(file, JSON.stringify([greet, ping]));
afterAll(() => rmSync(folder, { recursive: true }));

describe('defineTools()', () => {
  test.each([
    ['a list', [greet, ping]],
    ['a file', file],
    ['a file by URL', pathToFileURL(file)],
    ['bytes', new TextEncoder().encode(JSON.stringify([greet, ping]))],
  ])('reads %s', async (_, source) => {
    const tools = defineTools(source, handlers);
    expect(tools.map(({ tool }) => tool.name)).toEqual(['greet', 'ping']);
    expect(textOf(await tools[0]!.run(aCall('greet'), { name: 'Ann' }))).toBe('Hi Ann');
    expect(await tools[1]!.run(aCall('ping'), {})).toMatchObject({ isError: true });
  });

  test('keywords beside the schema are part of it, for clients and for calls', async () => {
    const [tool] = defineTools([greet], { greet: handlers.greet });
    expect(tool?.tool.inputSchema).toMatchObject({ required: ['name'], dependencies: { subject: ['email'] } });
    expect(tool?.tool.annotations?.readOnlyHint).toBe(true);
    for (const args of [{}, { name: 'Ann', subject: 'x' }, { name: 'Ann', nmae: 'x' }]) {
      await expect(tool!.run(aCall('greet'), args)).rejects.toMatchObject({ code: 'VALIDATION' });
    }
  });

  test('a gateway lists and calls the tools', async () => {
    const gateway = createGateway({ domains: [], native: { tools: defineTools(file, handlers) } });
    expect(gateway.registry.definitionsFor('2026-07-28').map(({ name }) => name)).toEqual(['greet', 'ping']);
    await gateway.close();
  });

  test.each<[string, unknown, object, RegExp]>([
    ['a definition without a handler', [greet, ping], { greet: handlers.greet }, /"ping" has no handler/],
    ['a handler without a definition', [ping], handlers, /"greet" has no definition/],
    [
      'a misspelt one',
      [ping],
      { pnig: handlers.ping },
      /"ping" has no handler \(did you mean "pnig"\?\); "pnig" has no/,
    ],
    ['two of one name', [ping, ping], { ping: handlers.ping }, /Two definitions are called "ping"/],
    ['no list', '{}', {}, /Cannot read the tool definitions/],
    ['bytes that are no JSON', new Uint8Array([0xff, 0xfe]), {}, /Cannot read the tool definitions in the bytes/],
    ['JSON that is no list', new TextEncoder().encode('{"name":"x"}'), {}, /The tool definitions are not usable/],
    ['a field nobody knows', [{ ...ping, inputScheme: {} }], { ping: handlers.ping }, /not usable: .*inputScheme/],
    [
      'a schema of another type',
      [{ ...ping, inputSchema: { type: 'string' } }],
      { ping: handlers.ping },
      /type object/,
    ],
  ])('%s stops the start', (_, source, bound, message) => {
    const define = () => defineTools(source as string, bound as typeof handlers);
    expect(define).toThrow(expect.objectContaining({ code: 'BAD_CONFIG', message: expect.stringMatching(message) }));
  });
});
