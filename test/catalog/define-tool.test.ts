import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createGateway, defineTool, GatewayError, type NativeTool } from '../../src/index.ts';
import { modern, type Rpc } from '../support/mcp.ts';

async function call(tool: ReturnType<typeof defineTool>, args: Record<string, unknown>, method = 'tools/call') {
  const gateway = createGateway({ domains: [], native: { tools: [tool] } });
  const params = method === 'tools/call' ? { name: tool.tool.name, arguments: args } : {};
  const reply = await gateway.handle(JSON.stringify(modern(1, method, params)));
  await gateway.close();
  return JSON.parse(reply!.body) as Rpc;
}

const dice = defineTool({
  name: 'roll_dice',
  description: 'Rolls a die.',
  args: z.object({ sides: z.int().min(2), label: z.string().default('die') }),
  run: (_call, { sides, label }) => `${label}: ${sides}`,
});

describe('defineTool()', () => {
  test('makes a function a tool, with the defaults of its schema applied', async () => {
    expect((await call(dice, { sides: 6 })).result).toMatchObject({ content: [{ type: 'text', text: 'die: 6' }] });
  });

  test('refuses invalid arguments, names all of them, and does not run', async () => {
    let ran = false;
    const tool = defineTool({
      ...({ name: 'once', description: 'Runs.' } as const),
      args: z.object({ id: z.int() }),
      run: () => {
        ran = true;
      },
    });
    const { result } = await call(tool, { idd: 1 });
    expect(result).toMatchObject({ isError: true, structuredContent: { failure_mode: 'validation', tool: 'once' } });
    expect(JSON.stringify(result)).toContain('idd');
    expect(ran).toBe(false);
  });

  test('advertises JSON Schema unchanged', async () => {
    const args = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { name: { type: 'string' } },
      properties: { name: { $ref: '#/$defs/name' } },
      additionalProperties: false,
    };
    const tool = defineTool({ name: 'greet', description: 'Greets.', args, run: (_call, { name }) => `Hi ${name}` });
    const { result } = await call(tool, {}, 'tools/list');
    expect((result as { tools: { inputSchema: unknown }[] }).tools[0]?.inputSchema).toEqual(args);
    expect((await call(tool, { name: 'Ann' })).result).toMatchObject({ content: [{ type: 'text', text: 'Hi Ann' }] });
  });

  test('advertises zod as a closed object', () => {
    expect(dice.tool.inputSchema).toMatchObject({
      type: 'object',
      properties: { sides: { type: 'integer', minimum: 2 } },
      required: ['sides'],
      additionalProperties: false,
    });
  });

  test('takes no arguments when it declares none', async () => {
    const tool = defineTool({ name: 'now', description: 'Says when.', run: () => ({ ok: true }) });
    expect((await call(tool, {})).result).toMatchObject({ content: [{ type: 'text', text: '{"ok":true}' }] });
    expect((await call(tool, { zone: 'utc' })).result).toMatchObject({ isError: true });
  });

  test('turns what the function throws into a failed result, except errors of the protocol', async () => {
    const failing = (error: Error): NativeTool => ({
      name: 'fails',
      description: 'Fails.',
      run: () => {
        throw error;
      },
    });
    expect((await call(defineTool(failing(new Error('no luck'))), {})).result).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'no luck' }],
      structuredContent: { failure_mode: 'handler_failed' },
    });
    const missing = new GatewayError('MISSING_CLIENT_CAPABILITY', 'Needs sampling.', {
      requiredCapabilities: { sampling: {} },
    });
    expect((await call(defineTool(failing(missing)), {})).error).toEqual({
      code: -32021,
      message: 'Needs sampling.',
      data: { requiredCapabilities: { sampling: {} } },
    });
  });

  test.each([
    ['a name with a space', { name: 'roll dice', description: 'Rolls.' }],
    ['a name of 65 characters', { name: 'a'.repeat(65), description: 'Rolls.' }],
    ['an empty description', { name: 'roll', description: ' ' }],
    ['arguments that are no object', { name: 'roll', description: 'Rolls.', args: { type: 'string' } }],
  ])('refuses %s when the gateway is built', (_what, tool) => {
    expect(() => defineTool({ ...tool, run: () => 'ok' })).toThrow(expect.objectContaining({ code: 'BAD_CONFIG' }));
  });
});
