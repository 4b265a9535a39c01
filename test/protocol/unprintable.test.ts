// What JSON cannot say (big integers, what holds itself) comes from code that is not ours. Whoever called still gets an
// answer that says what happened, and nothing stays taken.

import { describe, expect, test } from 'vitest';
import { createGateway, defineTool, type ExecutionContext, GatewayError, type ToolEntry } from '../../src/index.ts';
import { LINE_CLIENTS } from '../support/lines.ts';
import { LINKS, legacy, modern, type Rpc } from '../support/mcp.ts';
import { useRealHttp } from '../support/real-http.ts';

useRealHttp();

const loop: Record<string, unknown> = { name: 'loop' };
loop.self = loop;
/** Each way into it leads to two more: whoever follows them all never comes back. */
const tangle: Record<string, unknown> = {};
tangle.left = { back: tangle };
tangle.right = { back: tangle };

const mute = {
  toJSON() {
    throw new TypeError('no words');
  },
};

const UNPRINTABLE = { 'a big integer': { count: 1n }, 'a loop': loop, 'a tangle': tangle, 'what fails to speak': mute };
type What = keyof typeof UNPRINTABLE;

const tool = (name: string, run: (context: ExecutionContext, what: What) => unknown): ToolEntry =>
  defineTool({
    name,
    description: `Runs ${name}.`,
    args: { type: 'object', properties: { what: { type: 'string' } } },
    annotations: { readOnlyHint: true },
    run: (context, args) => run(context, (args as { what: What }).what),
  });

const TOOLS = [
  tool('refuse', (_context, what) => {
    throw new GatewayError('INVALID_PARAMS', 'That is no seat.', { seat: UNPRINTABLE[what] });
  }),
  tool('fail', (_context, what) => {
    throw new GatewayError('UPSTREAM_ERROR', 'The API said no.', { seat: UNPRINTABLE[what] });
  }),
  tool('return', (_context, what) => ({ content: [], structuredContent: { seat: UNPRINTABLE[what] } })),
];

describe.each(Object.keys(LINKS) as (keyof typeof LINKS)[])('over %s', (kind) => {
  describe.each(Object.keys(UNPRINTABLE) as What[])('%s', (what) => {
    test.each([
      ['modern', modern],
      ['legacy', legacy],
    ])('is left out of what a %s client is told', async (_, toMessage) => {
      const gateway = createGateway({ domains: [], native: { tools: TOOLS } });
      const link = await LINKS[kind](gateway);
      const call = async (name: string): Promise<Rpc> =>
        JSON.parse((await link.send(JSON.stringify(toMessage(1, 'tools/call', { name, arguments: { what } })))) ?? '');
      expect((await call('refuse')).error).toEqual({ code: -32602, message: 'That is no seat.' });
      expect((await call('fail')).result).toMatchObject({
        isError: true,
        content: [{ text: 'The API said no.' }],
        structuredContent: { failure_mode: 'upstream_error', message: 'The API said no.' },
      });
      expect((await call('return')).result).toMatchObject({
        isError: true,
        structuredContent: { failure_mode: 'handler_failed' },
      });
      await link.close();
      await gateway.close();
    });
  });
});

describe.each(Object.keys(LINE_CLIENTS) as (keyof typeof LINE_CLIENTS)[])('a question over %s', (kind) => {
  test('that cannot be written uses up no permit', async () => {
    const refusals: unknown[] = [];
    const ask = tool('ask', async ({ client, signal }) => {
      for (const params of Object.values(UNPRINTABLE)) {
        for (let count = 0; count < 20; count++) {
          await client.request!('elicitation/create', params, signal).catch((error: unknown) => refusals.push(error));
        }
      }
      const { answer } = (await client.request!('elicitation/create', { message: 'Well?' }, signal)) as {
        answer: string;
      };
      return answer;
    });
    const gateway = createGateway({ domains: [], native: { tools: [ask] } });
    const client = await LINE_CLIENTS[kind](gateway.protocol);
    await client.ask(
      legacy('init', 'initialize', { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } }),
    );
    client.send(legacy(1, 'tools/call', { name: 'ask' }));
    const question = await client.find(({ method, id }) => method === 'elicitation/create' || id === 1);
    expect(question.params).toEqual({ message: 'Well?' });
    client.send({ jsonrpc: '2.0', id: question.id!, result: { answer: 'yes' } });
    expect(await client.find(({ id }) => id === 1)).toMatchObject({ result: { content: [{ text: 'yes' }] } });
    expect(refusals).toHaveLength(80);
    await client.close();
    await gateway.close();
  });
});
