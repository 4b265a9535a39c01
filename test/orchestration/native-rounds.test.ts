// Native tools that a person must agree to: what the person reads, and questions of the tool's own in later rounds.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import {
  createGateway,
  createStateCodec,
  defineTool,
  type ExecutionContext,
  type Gateway,
  type GatewayOptions,
  serveHttp,
  type ToolEntry,
} from '../../src/index.ts';
import { headersOf, modern, post, type Rpc } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

const ASKABLE = { elicitation: {} };
const yes = { action: 'accept', content: { confirm: true } };

interface Question {
  readonly resultType: string;
  readonly inputRequests: Readonly<Record<string, { readonly params: { readonly message: string } }>>;
  readonly requestState: string;
}
const questionOf = ({ result }: Rpc) => result as unknown as Question;
const USED = {
  code: -32602,
  message: 'requestState was already used. Call the tool again without it; the user is then asked again.',
};
const FOREIGN = { code: -32602, message: expect.stringContaining('does not belong to this call') };

interface Call {
  readonly profile?: string;
  readonly principal?: string;
  readonly capabilities?: object;
}

/** One call of a tool, as any principal, in any profile. */
async function callTool(gateway: Gateway, params: Record<string, unknown>, more: Call = {}): Promise<Rpc> {
  const { profile = '', principal = 'ann', capabilities = ASKABLE } = more;
  const sender = { transport: 'local', principal: { id: principal }, signal: new AbortController().signal } as const;
  const message = modern(1, 'tools/call', params, capabilities);
  const reply = await gateway.serviceOf(profile)!.protocol.handle(JSON.stringify(message), sender);
  return JSON.parse(reply!.body) as Rpc;
}

describe('the question about a native tool', () => {
  class Range {
    readonly #ends: readonly [number, number];
    constructor(from: number, to: number) {
      this.#ends = [from, to];
    }
    get size() {
      return this.#ends[1] - this.#ends[0];
    }
  }
  const run = vi.fn((_context: ExecutionContext, { rows }: { rows: Range }) => `removed ${rows.size}`);
  const tool = defineTool({
    name: 'purge',
    description: 'Purges a table.',
    args: z.object({
      rows: z.string().transform((text) => new Range(...(text.split('-').map(Number) as [number, number]))),
      tags: z.array(z.string()).transform((tags) => new Set(tags)),
      until: z.iso.date().transform((text) => new Date(text)),
      count: z.string().transform((digits) => BigInt(digits)),
      force: z.boolean().default(true),
    }),
    annotations: { destructiveHint: true },
    run,
  });
  const gateway = createGateway({ domains: [], native: { tools: [tool] } });
  const args = { rows: '3-10', tags: ['a', 'b'], until: '2026-01-31', count: '12345678901234567890' };

  test.each([
    ['asks', ASKABLE],
    ['is refused with a token', {}],
  ])('shows what the caller sent where no JSON can say what was made of it: who %s', async (_, capabilities) => {
    const { result } = await callTool(gateway, { name: 'purge', arguments: args }, { capabilities });
    const { inputRequests, content } = result as unknown as Question & { content: { text: string }[] };
    const message = inputRequests?.confirm?.params.message ?? content[0]!.text;
    expect(message).toContain(
      [
        'With:',
        '  rows: "3-10"',
        '  tags: ["a","b"]',
        '  until: "2026-01-31T00:00:00.000Z"',
        '  count: 12345678901234567890',
        '  force: true',
      ].join('\n'),
    );
    expect(run).not.toHaveBeenCalled();
  });

  test('is the same as in its dry run', async () => {
    const { result } = await callTool(gateway, { name: 'purge', arguments: { ...args, dry_run: true } });
    const [{ text }] = result!.content as [{ text: string }];
    expect(JSON.parse(text.slice(text.indexOf('{')))).toEqual({
      tool: 'purge',
      arguments: { ...args, until: '2026-01-31T00:00:00.000Z', force: true },
    });
  });

  test('is followed by a call with the transformed arguments', async () => {
    const params = { name: 'purge', arguments: args };
    const { requestState } = questionOf(await callTool(gateway, params));
    const second = await callTool(gateway, { ...params, requestState, inputResponses: { confirm: yes } });
    expect(second.result).toMatchObject({ content: [{ text: 'removed 7' }] });
  });
});

describe('a destructive tool with rounds of its own', () => {
  const wiped: unknown[] = [];
  let confirmed = 0;
  beforeEach(() => {
    wiped.length = 0;
    confirmed = 0;
  });

  const FORM = { type: 'object', properties: { confirm: { type: 'boolean' } } };
  const ask = (key: string, message: string, requestState?: string) => ({
    content: [],
    inputRequired: {
      inputRequests: {
        [key]: { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema: FORM } },
      },
      ...(requestState !== undefined && { requestState }),
    },
  });

  function setUp(options: Partial<GatewayOptions> = {}) {
    const states = createStateCodec();
    const wipe = defineTool({
      name: 'wipe',
      description: 'Wipes a disk.',
      args: z.object({ disk: z.string() }),
      annotations: { destructiveHint: true },
      run: (context, args) => {
        const state = states.open(context, args) as { readonly reason?: unknown } | undefined;
        if (state === undefined) {
          confirmed++;
          // The key of the guard's own question, on purpose: its answer is not ours.
          if (context.answers?.confirm === undefined) return ask('confirm', 'Why?', states.seal(context, args, {}));
        }
        const reason = state?.reason ?? context.answers?.confirm;
        if (context.answers?.when === undefined) return ask('when', 'When?', states.seal(context, args, { reason }));
        wiped.push({ ...args, reason, when: context.answers.when });
        return `wiped ${args.disk}`;
      },
    });
    const bare = defineTool({
      name: 'bare',
      description: 'Asks without a state.',
      annotations: { destructiveHint: true },
      run: ({ answers }) => {
        if (answers?.why === undefined) return ask('why', 'Why?');
        wiped.push(answers.why);
        return 'done';
      },
    });
    const tools: ToolEntry[] = [wipe, bare];
    return createGateway({ domains: [], native: { tools }, ...options });
  }

  const params = { name: 'wipe', arguments: { disk: 'sda' } };
  const round = (question: Question, inputResponses: object, more: object = {}) => ({
    ...params,
    ...more,
    requestState: question.requestState,
    inputResponses,
  });

  /** Up to the tool's first question: the guard's own is answered. */
  async function confirm(gateway: Gateway, more: Call = {}) {
    const first = questionOf(await callTool(gateway, params, more));
    expect(first.inputRequests.confirm?.params.message).toContain('Wipes a disk.');
    const second = await callTool(gateway, round(first, { confirm: yes }), more);
    return { first, second: questionOf(second) };
  }

  test('finishes over HTTP, with each answer in its round', async () => {
    const gateway = setUp();
    const server = await serveHttp(gateway, { port: 0 });
    const call = async (body: Record<string, unknown>) => {
      const message = modern(1, 'tools/call', body, ASKABLE);
      const { body: text } = await post(
        `http://127.0.0.1:${server.port}/mcp`,
        JSON.stringify(message),
        headersOf(message),
      );
      return JSON.parse(text) as Rpc;
    };
    const first = questionOf(await call(params));
    const second = questionOf(await call(round(first, { confirm: yes })));
    expect(second.inputRequests).toMatchObject({ confirm: { params: { message: 'Why?' } } });
    const third = questionOf(await call(round(second, { confirm: 'sold' })));
    expect(third.inputRequests).toMatchObject({ when: { params: { message: 'When?' } } });
    const last = await call(round(third, { when: 'now' }));
    expect(last.result).toMatchObject({ resultType: 'complete', content: [{ text: 'wiped sda' }] });
    expect(new Set([first, second, third].map(({ requestState }) => requestState)).size).toBe(3);
    expect([wiped, confirmed]).toEqual([[{ disk: 'sda', reason: 'sold', when: 'now' }], 1]);
    await server.close(0);
    await gateway.close();
  });

  test('finishes for the official client, which handles rounds by itself', async () => {
    const gateway = setUp();
    const server = await serveHttp(gateway, { port: 0 });
    const client = new Client(
      { name: 'test', version: '1' },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: 'auto' } },
    );
    const messages: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params: { message } }) => {
      messages.push(message.split('\n')[0]!);
      return { action: 'accept', content: { confirm: true } };
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${server.port}/mcp`)));
    expect(await client.callTool(params)).toMatchObject({ content: [{ text: 'wiped sda' }] });
    expect(messages).toEqual(['wipe', 'Why?', 'When?']);
    expect([wiped.length, confirmed]).toEqual([1, 1]);
    await client.close();
    await server.close(0);
    await gateway.close();
  });

  test('does not need a state of its own', async () => {
    const gateway = setUp();
    const bare = { name: 'bare', arguments: {} };
    const first = questionOf(await callTool(gateway, bare));
    const second = questionOf(await callTool(gateway, round(first, { confirm: yes }, bare)));
    expect(second.inputRequests).toHaveProperty('why');
    expect((await callTool(gateway, round(second, { why: 'so' }, bare))).result).toMatchObject({
      content: [{ text: 'done' }],
    });
    expect((await callTool(gateway, round(second, { why: 'so' }, bare))).error).toEqual(USED);
    expect(wiped).toEqual(['so']);
  });

  test('asks again where an answer is missing, and still finishes', async () => {
    const gateway = setUp();
    const { second } = await confirm(gateway);
    const third = questionOf(await callTool(gateway, round(second, { confirm: 'sold' })));
    const again = questionOf(await callTool(gateway, round(third, { other: 1 })));
    expect(again.inputRequests).toHaveProperty('when');
    await callTool(gateway, round(again, { when: 'now' }));
    expect(wiped).toHaveLength(1);
  });

  test('acts once for one confirmation: no round can be repeated', async () => {
    const gateway = setUp();
    const { first, second } = await confirm(gateway);
    expect((await callTool(gateway, round(first, { confirm: yes }))).error).toEqual(USED);
    const third = questionOf(await callTool(gateway, round(second, { confirm: 'sold' })));
    expect((await callTool(gateway, round(second, { confirm: 'sold' }))).error).toEqual(USED);
    const last = round(third, { when: 'now' });
    const answers = await Promise.all(Array.from({ length: 5 }, () => callTool(gateway, last)));
    expect(answers.filter(({ error }) => error !== undefined).map(({ error }) => error)).toEqual(Array(4).fill(USED));
    expect([wiped.length, confirmed]).toEqual([1, 1]);
  });

  test.each<[string, object, Call]>([
    ['other arguments', { arguments: { disk: 'sdb' } }, {}],
    ['another tool', { name: 'bare', arguments: {} }, {}],
    ['another principal', {}, { principal: 'bob' }],
    ['another profile', {}, { profile: 'other' }],
  ])('gives a state that is worthless for %s', async (_, more, call) => {
    const gateway = setUp({ profiles: { other: { native: true } } });
    const { second } = await confirm(gateway);
    expect((await callTool(gateway, round(second, { confirm: 'sold' }, more), call)).error).toMatchObject(FOREIGN);
    const third = questionOf(await callTool(gateway, round(second, { confirm: 'sold' })));
    expect((await callTool(gateway, round(third, { when: 'now' }, more), call)).error).toMatchObject(FOREIGN);
    expect(wiped).toEqual([]);
  });

  test('refuses a state in which any part was replaced', async () => {
    const gateway = setUp();
    const [one, two] = [(await confirm(gateway)).second, (await confirm(gateway)).second];
    const [seal, ...state] = one.requestState.split('.');
    const [otherSeal] = two.requestState.split('.');
    const forged = [`${otherSeal}.${state.join('.')}x`, seal!, state.join('.'), `${seal}.`, `${seal}.x`, `.${state}`];
    for (const requestState of forged) {
      const answer = await callTool(gateway, round({ ...one, requestState }, { confirm: 'sold' }));
      expect([requestState, answer.error]).toEqual([requestState, expect.objectContaining(FOREIGN)]);
    }
    expect(questionOf(await callTool(gateway, round(one, { confirm: 'sold' }))).inputRequests).toHaveProperty('when');
    expect(wiped).toEqual([]);
  });

  test('gives a state that expires', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const gateway = setUp();
      const { second } = await confirm(gateway);
      vi.setSystemTime(Date.now() + 301_000);
      expect((await callTool(gateway, round(second, { confirm: 'sold' }))).error).toEqual({
        code: -32602,
        message: 'requestState has expired. Call the tool again without it; the user is then asked again.',
      });
    } finally {
      vi.useRealTimers();
    }
  });

  test('finishes for a client that came with a token', async () => {
    const gateway = setUp();
    const capabilities = { sampling: {} };
    const refusal = await callTool(gateway, params, { capabilities });
    const { confirmation_token } = refusal.result!.structuredContent as { confirmation_token: string };
    const withToken = { arguments: { disk: 'sda', confirmation_token } };
    const first = questionOf(await callTool(gateway, { ...params, ...withToken }, { capabilities }));
    expect(first.inputRequests.confirm?.params.message).toBe('Why?');
    // The same parameters with each round, as the specification says: the token that was used is among them.
    const second = questionOf(await callTool(gateway, round(first, { confirm: 'sold' }, withToken), { capabilities }));
    const last = await callTool(gateway, round(second, { when: 'now' }, withToken), { capabilities });
    expect(last.result).toMatchObject({ content: [{ text: 'wiped sda' }] });
    const fresh = await callTool(gateway, { ...params, ...withToken }, { capabilities });
    expect(fresh.result).toMatchObject({ isError: true, structuredContent: { token: 'used' } });
    expect(wiped).toHaveLength(1);
  });

  describe('that calls a destructive operation', () => {
    let upstream: Upstream;
    beforeAll(async () => {
      upstream = await startUpstream();
    });
    afterAll(() => upstream.close());

    test('asks about both, one after the other, and each happens once', async () => {
      const sweep: ToolEntry = defineTool({
        name: 'sweep',
        description: 'Sweeps.',
        annotations: { destructiveHint: true },
        run: (context) => gateway.registry.tools.get('pets_delete')!.run(context, { id: 7 }),
      });
      const gateway: Gateway = createGateway({
        domains: [petsDomain(upstream.url)],
        exposure: 'tools',
        native: { tools: [sweep] },
      });
      const tool = { name: 'sweep', arguments: {} };
      const first = questionOf(await callTool(gateway, tool));
      expect(first.inputRequests.confirm?.params.message).toContain('Sweeps.');
      const second = questionOf(await callTool(gateway, round(first, { confirm: yes }, tool)));
      expect(second.inputRequests.confirm?.params.message).toContain(`DELETE ${upstream.url}/pets/7`);
      expect(upstream.seen).toEqual([]);
      const last = round(second, { confirm: yes }, tool);
      expect((await callTool(gateway, last)).result).toMatchObject({ resultType: 'complete' });
      expect((await callTool(gateway, last)).error).toEqual(USED);
      expect(upstream.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['DELETE /pets/7']);
      await gateway.close();
    });
  });
});

describe('the state of a handler', () => {
  test('of one profile is not valid in another with the same key', async () => {
    const states = createStateCodec({ key: Buffer.alloc(32, 7) });
    const book = defineTool({
      name: 'book',
      description: 'Books a seat.',
      args: z.object({ seat: z.int() }),
      annotations: { readOnlyHint: true },
      run: (context, args) => {
        const price = states.open(context, args);
        if (price !== undefined) return `booked for ${price}`;
        const requestState = states.seal(context, args, context.profile === 'staff' ? 0 : 100);
        return { content: [], inputRequired: { inputRequests: {}, requestState } };
      },
    });
    const profiles = { staff: { native: true }, guests: { native: true } };
    const gateway = createGateway({ domains: [], native: { tools: [book] }, profiles });
    const params = { name: 'book', arguments: { seat: 7 } };
    const { requestState } = questionOf(await callTool(gateway, params, { profile: 'staff' }));
    const second = { ...params, requestState, inputResponses: {} };
    for (const profile of ['guests', '']) {
      expect((await callTool(gateway, second, { profile })).error).toMatchObject({
        code: -32602,
        message: 'This requestState was changed, or belongs to another call. Call again without it.',
      });
    }
    expect((await callTool(gateway, second, { profile: 'staff' })).result).toMatchObject({
      content: [{ text: 'booked for 0' }],
    });
    await gateway.close();
  });
});
