// The suite itself needs an installation; these run with every `npm test` and hold what it relies on.
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { headersOf, modern, post } from '../../test/support/mcp.ts';
import { useRealHttp } from '../../test/support/real-http.ts';
import { startGateway, type UnderTest } from './fixtures/gateway.ts';

useRealHttp();

let underTest: UnderTest;
const internalErrors: string[] = [];
beforeAll(async () => {
  underTest = await startGateway((error) => internalErrors.push(error));
});
afterAll(async () => {
  await underTest.close();
  expect(internalErrors).toEqual([]);
});

const INFO = { name: 'test', version: '0' };

async function connectV1(): Promise<ClientV1> {
  const client = new ClientV1(INFO, { capabilities: { sampling: {}, elicitation: {} } });
  await client.connect(new HttpV1(new URL(underTest.url)) as never);
  return client;
}

describe('a legacy client over HTTP', () => {
  test('is asked on the stream of its own POST and answers on another one', async () => {
    const client = await connectV1();
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      expect(params.message).toBe('Who are you?');
      return { action: 'accept', content: { username: 'ann', email: 'ann@example.com' } };
    });
    const { content } = await client.callTool({ name: 'test_elicitation', arguments: { message: 'Who are you?' } });
    expect(content).toEqual([
      {
        type: 'text',
        text: 'User response: {"action":"accept","content":{"username":"ann","email":"ann@example.com"}}',
      },
    ]);
    await client.close();
  });

  test('keeps its questions apart from those of another client', async () => {
    const clients = await Promise.all(['ann', 'bob', 'cid'].map(async (name) => ({ name, client: await connectV1() })));
    const answers = await Promise.all(
      clients.map(async ({ name, client }) => {
        client.setRequestHandler(CreateMessageRequestSchema, async () => ({
          role: 'assistant',
          model: 'm',
          content: { type: 'text', text: `I am ${name}` },
        }));
        const { content } = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'Who?' } });
        return JSON.stringify(content);
      }),
    );
    for (const [index, { name, client }] of clients.entries()) {
      expect(answers[index]).toContain(`I am ${name}`);
      await client.close();
    }
  });
});

describe('the official v2 client on 2026-07-28', () => {
  test('answers several rounds of questions by itself', async () => {
    const client = new ClientV2(INFO, {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: 'auto' },
    });
    const asked: string[] = [];
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: asked.length === 1 ? { name: 'ann' } : { color: 'blue' } };
    });
    await client.connect(new HttpV2(new URL(underTest.url)));
    const { content } = await client.callTool({ name: 'test_input_required_result_multi_round', arguments: {} });
    expect(asked).toEqual(['Step 1: What is your name?', 'Step 2: What is your favorite color?']);
    expect(JSON.stringify(content)).toContain('ann');
    expect(JSON.stringify(content)).toContain('blue');
    await client.close();
  });
});

describe('a mirrored argument', () => {
  test.each([
    ['as it is', 'Hello', 'Hello', 200],
    ['as base64', '=?base64?SGVsbG8=?=', 'Hello', 200],
    ['that only begins like base64', '=?base64?SGVsbG8=', '=?base64?SGVsbG8=', 200],
    ['that only ends like base64', 'SGVsbG8=?=', 'SGVsbG8=?=', 200],
    ['in another encoding', '=?utf-8?Q?Hello?=', '=?utf-8?Q?Hello?=', 200],
    ['empty', '=?base64??=', '', 200],
    ['with both markers in one', '=?base64?=', '=?base64?=', 200],
    ['without padding', '=?base64?SGVsbG8?=', 'Hello', 400],
    ['with characters that are not base64', '=?base64?SGVs!!!bG8=?=', 'Hello', 400],
    ['that is not UTF-8', '=?base64?/w==?=', '\uFFFD', 400],
    ['that differs', 'Hallo', 'Hello', 400],
  ])('%s is compared with the body', async (_what, header, region, status) => {
    const message = modern(1, 'tools/call', { name: 'test_x_mcp_header', arguments: { region } });
    const reply = await post(underTest.url, JSON.stringify(message), {
      ...headersOf(message),
      'mcp-param-region': header,
    });
    expect(reply.status).toBe(status);
    const { error, result } = JSON.parse(reply.body) as { error?: { code: number }; result?: unknown };
    if (status === 400) expect(error?.code).toBe(-32020);
    else expect(result).toMatchObject({ content: [{ type: 'text', text: `Region: ${region}` }] });
  });
});
