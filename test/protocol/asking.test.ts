// Asking the person, end to end: every way there is, over every transport, against a real upstream that counts what is
// deleted. A confirmation for pet 7 never deletes pet 8, never works twice, never outlives its time.

import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway.ts';
import { createSpentStore } from '../../src/orchestration/confirmations.ts';
import { createSession } from '../../src/protocol/session.ts';
import { LINE_CLIENTS, type LineClient, openStdio } from '../support/lines.ts';
import { headersOf, legacy, modern, post, type Rpc, serveHttp } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { useRealHttp } from '../support/real-http.ts';
import { stream } from '../support/stream.ts';
import { until } from '../support/until.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

let upstream: Upstream;
let gateway: Gateway;
let http: Awaited<ReturnType<typeof serveHttp>>;

const setUp = (options: Partial<GatewayOptions> = {}, more: object = {}) =>
  createGateway({ domains: [petsDomain(upstream.url, {}, more)], exposure: 'tools', ...options });

beforeAll(async () => {
  upstream = await startUpstream();
  gateway = setUp();
  http = await serveHttp(gateway);
});
afterAll(async () => {
  await http.close(0);
  await gateway.close();
  await upstream.close();
});
beforeEach(() => {
  upstream.seen.length = 0;
});

/** What reached the API. */
const sent = () => upstream.seen.map(({ method, url }) => `${method} ${url}`);
const ELICITATION = { elicitation: {} };
const yes = { confirm: { action: 'accept', content: { confirm: true } } };
const deleting = (
  id: string | number,
  pet: number,
  more: Record<string, unknown> = {},
  capabilities: object = ELICITATION,
) => modern(id, 'tools/call', { name: 'pets_delete', arguments: { id: pet }, ...more }, capabilities);
const tokenOf = (answer: Rpc) =>
  String((answer.result?.structuredContent as Record<string, unknown> | undefined)?.confirmation_token);
const textOf = (answer: Rpc) => (answer.result?.content as { text: string }[] | undefined)?.[0]?.text ?? '';
const stateOf = (answer: Rpc) => String(answer.result?.requestState);
const initialize = (capabilities: object, protocolVersion = '2025-11-25') =>
  legacy('init', 'initialize', { protocolVersion, capabilities, clientInfo: { name: 't', version: '1' } });

/** The same gateway in process, as any principal. */
const ask = async (message: Rpc, principal = 'ann', from: Gateway = gateway): Promise<Rpc> => {
  const reply = await from.handle(JSON.stringify(message), { principal: { id: principal } });
  return JSON.parse(reply?.body ?? 'null') as Rpc;
};

describe('the modern round trip', () => {
  const overHttp = async (message: Rpc) =>
    JSON.parse((await post(http.url, JSON.stringify(message), headersOf(message))).body) as Rpc;

  test('asks a readable question, and deletes once when the person agrees', async () => {
    const first = await overHttp(deleting(1, 7));
    expect(first.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        confirm: {
          method: 'elicitation/create',
          params: {
            mode: 'form',
            message: [
              `DELETE ${upstream.url}/pets/7`,
              'Removes a pet. (Pets)',
              'With:',
              '  id: 7',
              'What this removes or overwrites is lost: it may be impossible to undo. Go on?',
            ].join('\n'),
          },
        },
      },
    });
    // An input_required result is not cacheable.
    expect(first.result).not.toHaveProperty('ttlMs');
    expect(sent()).toEqual([]);
    const again = { inputResponses: yes, requestState: stateOf(first) };
    expect(await overHttp(deleting(2, 7, again))).toMatchObject({ id: 2, result: { resultType: 'complete' } });
    expect(await overHttp(deleting(3, 7, again))).toMatchObject({
      id: 3,
      error: {
        code: -32602,
        message: 'requestState was already used. Call the tool again without it; the user is then asked again.',
      },
    });
    expect(sent()).toEqual(['DELETE /pets/7']);
  });

  test.each([
    ['another pet', 8, 'ann', 'pets_delete'],
    ['another caller', 7, 'bob', 'pets_delete'],
    ['another tool', 7, 'ann', 'pets_remove'],
  ])('gives a state that is worthless for %s', async (_, pet, principal, name) => {
    const endpoint = {
      method: 'DELETE',
      path: '/pets/{id}',
      summary: 'Removes a pet.',
      inputSchema: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
    };
    const own = setUp({}, { endpoints: { delete: endpoint, remove: endpoint } });
    const requestState = stateOf(await ask(deleting(1, 7), 'ann', own));
    const second = modern(
      2,
      'tools/call',
      { name, arguments: { id: pet }, inputResponses: yes, requestState },
      ELICITATION,
    );
    expect((await ask(second, principal, own)).error?.code).toBe(-32602);
    expect(sent()).toEqual([]);
    await own.close();
  });

  test('gives a state that another gateway does not take, unless they share a secret and what is used up', async () => {
    const [secret, spent] = [Buffer.alloc(32, 1), createSpentStore()];
    const [one, two] = [setUp({ secret, spent }), setUp({ secret, spent })];
    const stranger = setUp({ secret: Buffer.alloc(32, 2), spent });
    const forgetful = setUp({ secret });
    const requestState = stateOf(await ask(deleting(1, 7), 'ann', one));
    const second = deleting(2, 7, { inputResponses: yes, requestState });
    expect((await ask(second, 'ann', stranger)).error?.code).toBe(-32602);
    expect((await ask(second, 'ann', forgetful)).error).toBeDefined();
    expect(sent()).toEqual([]);
    expect((await ask(second, 'ann', two)).result).toMatchObject({ resultType: 'complete' });
    expect(sent()).toEqual(['DELETE /pets/7']);
    await Promise.all([one, two, stranger, forgetful].map((each) => each.close()));
  });

  test('takes the same arguments written another way for the same', async () => {
    const first = await ask(deleting(1, 7));
    const second = deleting(2, 7, { inputResponses: yes, requestState: stateOf(first) });
    // The validator reads "7" as 7: the state is bound to what is sent, not to how it was spelled.
    const spelled = { ...second, params: { ...second.params, arguments: { id: '7' } } };
    expect((await ask(spelled)).result).toMatchObject({ resultType: 'complete' });
    expect(sent()).toEqual(['DELETE /pets/7']);
  });

  test('is over when the person declines: a clean answer, and nothing sent', async () => {
    const strict = setUp({ policy: { readOnly: false, confirm: 'ask' } });
    for (const [answer, said] of [
      [{ action: 'decline' }, 'The user declined'],
      [{ action: 'cancel' }, 'The user dismissed the question'],
      [{ action: 'accept', content: { confirm: false } }, 'The user declined'],
    ] as const) {
      const requestState = stateOf(await ask(deleting(1, 7), 'ann', strict));
      const second = await ask(deleting(2, 7, { inputResponses: { confirm: answer }, requestState }), 'ann', strict);
      expect(second.result).toMatchObject({
        isError: true,
        resultType: 'complete',
        structuredContent: { failure_mode: 'not_confirmed' },
      });
      expect(textOf(second)).toBe(
        `${said}: pets_delete was not carried out, nothing was sent. Do not repeat it unless the user asks for it.`,
      );
    }
    expect(sent()).toEqual([]);
    await strict.close();
  });

  test('with a client that declines by itself ends in a token, over HTTP too', async () => {
    for (const [action, over] of [
      ['decline', ask],
      ['cancel', ask],
      ['decline', overHttp],
      ['cancel', overHttp],
    ] as const) {
      upstream.seen.length = 0;
      const requestState = stateOf(await over(deleting(1, 7)));
      const refusal = await over(deleting(2, 7, { inputResponses: { confirm: { action } }, requestState }));
      expect(refusal.result).toMatchObject({
        isError: true,
        structuredContent: { failure_mode: 'not_confirmed', answer: action },
      });
      expect(sent()).toEqual([]);
      const confirmed = (pet: number) =>
        deleting(3, 7, { arguments: { id: pet, confirmation_token: tokenOf(refusal) } });
      expect((await over(confirmed(8))).result).toMatchObject({ structuredContent: { token: 'tampered' } });
      expect((await over(confirmed(7))).result).not.toHaveProperty('isError');
      expect((await over(confirmed(7))).result).toMatchObject({ structuredContent: { token: 'used' } });
      expect(sent()).toEqual(['DELETE /pets/7']);
    }
  });

  test('asks again when the answer is missing, and refuses an answer that is none', async () => {
    const requestState = stateOf(await ask(deleting(1, 7)));
    const again = await ask(deleting(2, 7, { requestState, inputResponses: {} }));
    expect(again.result?.resultType).toBe('input_required');
    const broken = await ask(deleting(3, 7, { requestState, inputResponses: { confirm: { action: 'sure' } } }));
    expect(broken.error?.code).toBe(-32602);
    expect((await ask(deleting(4, 7, { inputResponses: yes, requestState: stateOf(again) }))).result?.resultType).toBe(
      'complete',
    );
    expect(sent()).toEqual(['DELETE /pets/7']);
  });

  test('checks the arguments before it asks', async () => {
    const answer = await ask(modern(1, 'tools/call', { name: 'pets_delete', arguments: { id: 0 } }, ELICITATION));
    expect(answer.result).toMatchObject({ isError: true, structuredContent: { failure_mode: 'validation' } });
  });

  test.each(Object.entries(LINE_CLIENTS))(
    'works over %s, where capabilities of an earlier initialize count for nothing',
    async (_, open) => {
      const client = await open(gateway.protocol);
      await client.ask(initialize(ELICITATION));
      const first = await client.ask(deleting(1, 7));
      const second = await client.ask(deleting(2, 7, { inputResponses: yes, requestState: stateOf(first) }));
      expect(second.result).toMatchObject({ resultType: 'complete' });
      expect(sent()).toEqual(['DELETE /pets/7']);
      expect(textOf(await client.ask(deleting(3, 7, {}, {})))).toContain('confirmation_token');
      await client.close();
    },
  );
});

describe('a client without elicitation', () => {
  test.each(['modern', 'legacy'] as const)('gets a token (%s), good once and for this pet only', async (era) => {
    const call = (args: object) =>
      era === 'modern'
        ? modern(1, 'tools/call', { name: 'pets_delete', arguments: args })
        : legacy(1, 'tools/call', { name: 'pets_delete', arguments: args });
    const refusal = await ask(call({ id: 7 }));
    const confirmation_token = tokenOf(refusal);
    expect(textOf(refusal)).toContain(`repeat the same call with confirmation_token: "${confirmation_token}"`);
    expect(sent()).toEqual([]);
    expect((await ask(call({ id: 8, confirmation_token }))).result).toMatchObject({
      isError: true,
      structuredContent: { token: 'tampered' },
    });
    expect((await ask(call({ id: 7, confirmation_token }), 'bob')).result).toMatchObject({
      isError: true,
      structuredContent: { token: 'tampered' },
    });
    expect((await ask(call({ confirmation_token, id: 7 }))).result).not.toHaveProperty('isError');
    expect((await ask(call({ id: 7, confirmation_token }))).result).toMatchObject({
      isError: true,
      structuredContent: { token: 'used' },
    });
    expect(sent()).toEqual(['DELETE /pets/7']);
    // The token steers the gateway; the API never sees it.
    expect(JSON.stringify(upstream.seen)).not.toContain(confirmation_token);
  });

  test('gets one that dies with its time', async () => {
    const own = setUp({ confirmationTtlSeconds: 0 });
    const confirmation_token = tokenOf(await ask(deleting(1, 7, {}, {}), 'ann', own));
    const second = modern(2, 'tools/call', { name: 'pets_delete', arguments: { id: 7, confirmation_token } });
    expect((await ask(second, 'ann', own)).result).toMatchObject({
      isError: true,
      structuredContent: { token: 'expired' },
    });
    expect(sent()).toEqual([]);
    await own.close();
  });
});

describe('the deployment', () => {
  test.each<[string, Partial<GatewayOptions>, string]>([
    ['--read-only', { policy: { readOnly: true } }, 'this gateway was started with --read-only'],
    [
      '--guard deny',
      { policy: { readOnly: false, destructive: 'deny' } },
      'this gateway was started with --guard deny',
    ],
  ])('with %s refuses to delete, whoever asks', async (_, options, because) => {
    const own = setUp(options);
    const answer = await ask(deleting(1, 7), 'ann', own);
    expect(textOf(answer)).toBe(
      `pets_delete is not allowed here: ${because}. Nothing was sent. Repeating the call will not help; tell the user.`,
    );
    expect(answer.result).toMatchObject({ isError: true, structuredContent: { failure_mode: 'denied' } });
    expect(sent()).toEqual([]);
    await own.close();
  });

  test('with --read-only refuses every write and still reads', async () => {
    const own = setUp({ policy: { readOnly: true } });
    const create = modern(1, 'tools/call', { name: 'pets_create', arguments: { name: 'Rex' } });
    expect((await ask(create, 'ann', own)).result).toMatchObject({
      isError: true,
      structuredContent: { failure_mode: 'denied' },
    });
    await ask(modern(2, 'tools/call', { name: 'pets_list' }), 'ann', own);
    expect(sent()).toEqual(['GET /pets']);
    await own.close();
  });

  test('with --guard allow asks nobody', async () => {
    const own = setUp({ policy: { readOnly: false, destructive: 'allow' } });
    await ask(deleting(1, 7), 'ann', own);
    expect(sent()).toEqual(['DELETE /pets/7']);
    await own.close();
  });

  test('asks about writes where the domain says so', async () => {
    const own = setUp({}, { guard: { write: 'confirm' } });
    const create = modern(1, 'tools/call', { name: 'pets_create', arguments: { name: 'Rex' } }, ELICITATION);
    const { inputRequests } = (await ask(create, 'ann', own)).result as {
      inputRequests: { confirm: { params: { message: string } } };
    };
    expect(inputRequests.confirm.params.message).toBe(
      [
        `POST ${upstream.url}/pets`,
        'Adds a pet. (Pets)',
        'With:',
        '  name: "Rex"',
        'This changes data at the API. Go on?',
      ].join('\n'),
    );
    expect(sent()).toEqual([]);
    await own.close();
  });
});

describe('dry_run', () => {
  test('shows the exact request of a write, credentials redacted, asks nobody and sends nothing', async () => {
    const env = { PETS_KEY: 'very-secret-key' };
    const credentials = { key: { kind: 'apiKey', field: 'X-Api-Key', env: 'PETS_KEY' } };
    const own = createGateway({ domains: [petsDomain(upstream.url, env, { credentials })], exposure: 'tools' });
    const create = modern(1, 'tools/call', {
      name: 'pets_create',
      arguments: { name: 'Rex', kind: 'dog', dry_run: true },
    });
    const text = textOf(await ask(create, 'ann', own));
    const [, request = ''] = text.split('The request would be:\n');
    expect(text).toMatch(/^Dry run of pets_create: nothing was sent\./);
    expect(JSON.parse(request)).toEqual({
      method: 'POST',
      url: `${upstream.url}/pets`,
      headers: {
        host: new URL(upstream.url).host,
        accept: 'application/json, */*;q=0.5',
        'accept-encoding': 'gzip, br',
        'content-type': 'application/json',
        'content-length': '27',
        'user-agent': expect.stringMatching(/^landbridge\//),
        'x-api-key': '[redacted]',
      },
      body: '{"name":"Rex","kind":"dog"}',
    });
    const remove = modern(2, 'tools/call', { name: 'pets_delete', arguments: { id: 7, dry_run: true } }, ELICITATION);
    expect(textOf(await ask(remove, 'ann', own))).toContain(`"url": "${upstream.url}/pets/7"`);
    expect(sent()).toEqual([]);
    await own.close();
  });

  test('is checked like any call, and shows what a read would send', async () => {
    const bad = await ask(modern(1, 'tools/call', { name: 'pets_create', arguments: { dry_run: true } }));
    expect(bad.result).toMatchObject({ isError: true, structuredContent: { failure_mode: 'validation' } });
    const read = await ask(modern(2, 'tools/call', { name: 'pets_list', arguments: { dry_run: true } }));
    expect(textOf(read)).toContain(`"method": "GET",\n "url": "${upstream.url}/pets`);
    expect(sent()).toEqual([]);
  });
});

const isQuestion = ({ method }: Rpc) => method === 'elicitation/create';
const removing = (id: string | number, pet: number) =>
  legacy(id, 'tools/call', { name: 'pets_delete', arguments: { id: pet } });
const answering = (question: Rpc, result: unknown): Rpc => ({
  jsonrpc: '2.0',
  id: question.id!,
  result: result as never,
});

describe.each(Object.entries(LINE_CLIENTS))('a legacy client over %s', (_, open) => {
  let client: LineClient;
  beforeEach(async () => {
    client = await open(gateway.protocol);
    await client.ask(initialize(ELICITATION));
  });
  const done = () => client.close();

  test('is really asked, and the delete happens once when the person agrees', async () => {
    client.send(removing(1, 7));
    const question = await client.find(isQuestion);
    expect(question.params?.message).toContain(
      `DELETE ${upstream.url}/pets/7\nRemoves a pet. (Pets)\nWith:\n  id: 7\n`,
    );
    expect(sent()).toEqual([]);
    client.send(answering(question, yes.confirm));
    // The same answer a second time finds nobody waiting.
    client.send(answering(question, yes.confirm));
    expect((await client.find(({ id }) => id === 1)).result).not.toHaveProperty('isError');
    expect(sent()).toEqual(['DELETE /pets/7']);
    await done();
  });

  test('that declines, fails to ask, or answers nonsense deletes nothing', async () => {
    const answers: [Partial<Rpc> & object, object][] = [
      [
        { result: { action: 'decline' } },
        { result: { isError: true, structuredContent: { failure_mode: 'not_confirmed', answer: 'decline' } } },
      ],
      [
        { result: { action: 'cancel' } },
        { result: { isError: true, structuredContent: { failure_mode: 'not_confirmed', answer: 'cancel' } } },
      ],
      [
        { error: { code: -32603, message: 'no window' } },
        { result: { isError: true, structuredContent: { failure_mode: 'not_confirmed' } } },
      ],
      // An error made to break whoever prints it.
      [
        { error: { code: 1, message: { toString: 1 } as never } },
        { result: { isError: true, structuredContent: { failure_mode: 'not_confirmed' } } },
      ],
      [{ result: { action: { toString: 1 } } }, { error: { code: -32602 } }],
      [{ result: null as never }, { error: { code: -32602 } }],
    ];
    for (const [index, [answer, want]] of answers.entries()) {
      client.send(removing(`call-${index}`, 7));
      await until(() => client.received.filter(isQuestion).length > index);
      const question = client.received.filter(isQuestion)[index];
      client.send({ jsonrpc: '2.0', id: question?.id as string, ...answer });
      expect(await client.find(({ id }) => id === `call-${index}`)).toMatchObject(want);
    }
    expect(sent()).toEqual([]);
    await done();
  });

  test.each([
    ['declines by itself', { result: { action: 'decline' } }],
    ['dismisses what it is asked', { result: { action: 'cancel' } }],
    ['cannot ask', { error: { code: -32601, message: 'Method not found' } }],
  ])('that %s is offered a token, good once and for this call', async (_name, answer) => {
    client.send(removing(1, 7));
    const question = await client.find(isQuestion);
    client.send({ jsonrpc: '2.0', id: question.id as string, ...answer });
    const refusal = await client.find(({ id }) => id === 1);
    expect(sent()).toEqual([]);
    const confirmed = (id: number, pet: number) =>
      legacy(id, 'tools/call', {
        name: 'pets_delete',
        arguments: { id: pet, confirmation_token: tokenOf(refusal) },
      });
    expect((await client.ask(confirmed(2, 8))).result).toMatchObject({ structuredContent: { token: 'tampered' } });
    expect((await client.ask(confirmed(3, 7))).result).not.toHaveProperty('isError');
    expect((await client.ask(confirmed(4, 7))).result).toMatchObject({ structuredContent: { token: 'used' } });
    expect(client.received.filter(isQuestion)).toHaveLength(1);
    expect(sent()).toEqual(['DELETE /pets/7']);
    await done();
  });

  test('that answers with more than anybody looks at is told at once, and deletes nothing', async () => {
    client.send(removing(1, 7));
    const question = await client.find(isQuestion);
    const content = { confirm: true, more: Array.from({ length: 30_000 }, () => 1) };
    client.send(answering(question, { action: 'accept', content } as never));
    const answer = await client.find(({ id }) => id === 1);
    expect(answer.result).toMatchObject({ isError: true, structuredContent: { failure_mode: 'not_confirmed' } });
    expect(textOf(answer)).toContain('The client could not ask the user');
    expect(sent()).toEqual([]);
    await done();
  });

  test.each([
    ['too long a line', (text: string) => `${text.slice(0, -1)},"more":"${'x'.repeat(1024 * 1024)}"}`],
    ['bytes that are no text', (text: string) => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff])])],
  ])('that answers with %s is refused at once with a token, and the question is taken back', async (_name, toBytes) => {
    client.send(removing(1, 7));
    const question = await client.find(isQuestion);
    client.write(toBytes(JSON.stringify(answering(question, yes.confirm))));
    client.write('\n');
    const answer = await client.find(({ id }) => id === 1);
    expect(answer.result).toMatchObject({ isError: true, structuredContent: { failure_mode: 'not_confirmed' } });
    expect(textOf(answer)).toContain('Not done: A message from the client could not be read');
    expect(tokenOf(answer)).not.toBe('undefined');
    expect(client.received).toContainEqual(
      expect.objectContaining({
        method: 'notifications/cancelled',
        params: { requestId: question.id, reason: 'No answer can come' },
      }),
    );
    // What is asked afterwards is asked anew.
    client.send(removing(2, 7));
    await until(() => client.received.filter(isQuestion).length === 2);
    client.send(answering(client.received.filter(isQuestion)[1]!, yes.confirm));
    expect((await client.find(({ id }) => id === 2)).result).not.toHaveProperty('isError');
    expect(sent()).toEqual(['DELETE /pets/7']);
    await done();
  });

  test('that answers with more levels than anybody reads is told at once, and deletes nothing', async () => {
    client.send(removing(1, 7));
    const question = await client.find(isQuestion);
    let more: unknown = 1;
    for (let depth = 0; depth < 200; depth++) more = [more];
    client.send(answering(question, { action: 'accept', content: { confirm: true, more } } as never));
    const answer = await client.find(({ id }) => id === 1);
    expect(answer.result).toMatchObject({ isError: true, structuredContent: { failure_mode: 'not_confirmed' } });
    expect(textOf(answer)).toContain('its answer could not be read');
    expect(sent()).toEqual([]);
    await done();
  });

  test('that is asked twice at once answers each question for its own call', async () => {
    client.send(removing('seven', 7));
    client.send(removing('eight', 8));
    await until(() => client.received.filter(isQuestion).length === 2);
    const about = (pet: number) =>
      client.received.find(
        (message) => isQuestion(message) && String(message.params?.message).includes(`/pets/${pet}\n`),
      )!;
    client.send(answering(about(8), { action: 'decline' }));
    client.send(answering(about(7), yes.confirm));
    expect((await client.find(({ id }) => id === 'seven')).result).not.toHaveProperty('isError');
    expect((await client.find(({ id }) => id === 'eight')).result).toMatchObject({ isError: true });
    expect(sent()).toEqual(['DELETE /pets/7']);
    await done();
  });

  test('that cancels the call has the question taken back, and gets no answer', async () => {
    client.send(removing(1, 7));
    const question = await client.find(isQuestion);
    client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(await client.find(({ method }) => method === 'notifications/cancelled')).toMatchObject({
      params: { requestId: question.id },
    });
    client.send(answering(question, yes.confirm));
    await client.ask(legacy('after', 'ping'));
    expect(client.received.filter(({ id }) => id === 1)).toEqual([]);
    expect(sent()).toEqual([]);
    await done();
  });

  test('that closes its side before it answers is told that nothing happened, and is let go', async () => {
    client.send(removing(1, 7));
    await client.find(isQuestion);
    client.end();
    expect(await client.find(({ id }) => id === 1)).toMatchObject({
      result: {
        isError: true,
        content: [{ text: expect.stringContaining('Not done: The client closed the connection before it answered.') }],
      },
    });
    await client.closed;
    expect(sent()).toEqual([]);
    await done();
  });

  test('cannot answer for another connection', async () => {
    const other = openStdio(gateway.protocol);
    client.send(removing(1, 7));
    const question = await client.find(isQuestion);
    other.send(answering(question, yes.confirm));
    await other.ask(legacy('o', 'ping'));
    expect(sent()).toEqual([]);
    client.send(answering(question, { action: 'decline' }));
    await client.find(({ id }) => id === 1);
    expect(sent()).toEqual([]);
    await Promise.all([other.close(), done()]);
  });
});

describe('a question', () => {
  /** One call in process that asks, with the clock in hand. */
  async function asking(
    run: (at: { out: Rpc[]; reply: Promise<Rpc>; own: Gateway; context: object }) => Promise<void>,
  ) {
    const own = setUp({ elicitTimeoutMs: 60_000 });
    const session = createSession();
    session.capabilities = ELICITATION;
    const out: Rpc[] = [];
    const context = {
      transport: 'stdio',
      session,
      send: (text: string) => void out.push(JSON.parse(text) as Rpc),
    } as const;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const reply = own
        .handle(JSON.stringify(removing(1, 7)), context)
        .then((got) => JSON.parse(got?.body ?? 'null') as Rpc);
      while (out.length === 0) await Promise.resolve();
      expect([session.underWay.size, vi.getTimerCount()]).toEqual([1, 1]);
      await run({ out, reply, own, context });
      expect([session.underWay.size, vi.getTimerCount()]).toEqual([0, 0]);
    } finally {
      vi.useRealTimers();
    }
    await own.close();
  }

  test('nobody answers is taken back after its time, and leaves neither timer nor request behind', () =>
    asking(async ({ out, reply }) => {
      vi.advanceTimersByTime(60_000);
      expect(await reply).toMatchObject({
        result: {
          isError: true,
          content: [
            { text: expect.stringMatching(/^Not done: Nobody answered within 60 s\.\nDELETE .*repeat the same/s) },
          ],
        },
      });
      expect(out.map(({ method }) => method)).toEqual(['elicitation/create', 'notifications/cancelled']);
    }));

  test('that was answered, or whose call was cancelled, leaves nothing behind either', async () => {
    await asking(async ({ out, reply, own, context }) => {
      await own.handle(JSON.stringify(answering(out[0]!, { action: 'decline' })), context);
      expect(await reply).toMatchObject({ result: { isError: true } });
    });
    await asking(async ({ reply, own, context }) => {
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
      await own.handle(JSON.stringify(cancel), context);
      expect(await reply).toBeNull();
    });
  });

  test('does not keep others from being served: those who wait for a person are no load', async () => {
    const client = openStdio(gateway.protocol, { maxLineBytes: 100_000, maxConcurrent: 2 });
    await client.ask(initialize(ELICITATION));
    for (let id = 0; id < 5; id++) client.send(removing(id, 7));
    await until(() => client.received.filter(isQuestion).length === 5);
    expect(await client.ask(legacy('list', 'tools/call', { name: 'pets_list' }))).toMatchObject({ result: {} });
    for (const question of client.received.filter(isQuestion)) client.send(answering(question, { action: 'decline' }));
    for (let id = 0; id < 5; id++) await client.find((message) => message.id === id);
    expect(sent()).toEqual(['GET /pets']);
    await client.close();
  });
});

describe('a legacy client over HTTP', () => {
  const open = async (capabilities: object) => {
    const { headers } = await post(http.url, JSON.stringify(initialize(capabilities)));
    const id = headers['mcp-session-id'];
    return {
      id,
      headers: { 'mcp-protocol-version': '2025-11-25', ...(id !== undefined && { 'mcp-session-id': String(id) }) },
    };
  };

  test.each([{}, { elicitation: 7, roots: null }, ELICITATION])(
    'gets a session whatever it declares, so that it can cancel: %j',
    async (capabilities) => {
      expect((await open(capabilities)).id).toMatch(/^[\w-]+\.[\w-]{43}$/);
    },
  );

  test('is asked on the POST’s own stream and answers on another POST', async () => {
    const { headers } = await open(ELICITATION);
    const call = await stream(http.url, removing(1, 7), headers);
    const question = await call.find(isQuestion);
    expect(question.params?.message).toContain(`DELETE ${upstream.url}/pets/7`);
    expect((await post(http.url, JSON.stringify(answering(question, yes.confirm)), headers)).status).toBe(202);
    expect((await call.ended).map(({ id, method }) => method ?? id)).toEqual(['elicitation/create', 1]);
    expect(sent()).toEqual(['DELETE /pets/7']);
  });

  const huge = 'x'.repeat(1024 * 1024 + 1);
  test.each<[string, string, Record<string, string>]>([
    ['a body too large to be taken', huge, {}],
    ['a body that grows too large on its way', huge, { 'transfer-encoding': 'chunked' }],
  ])('whose answer is %s is refused at once with a token; no other session is', async (_name, body, more) => {
    const [mine, others] = [await open(ELICITATION), await open(ELICITATION)];
    const [call, other] = [
      await stream(http.url, removing(1, 7), mine.headers),
      await stream(http.url, removing(2, 8), others.headers),
    ];
    const question = await other.find(isQuestion);
    await call.find(isQuestion);
    // The server hangs up on the rest of the body; whether its 413 is read before that is a matter of luck.
    await post(http.url, body, { ...mine.headers, ...more }).catch(() => undefined);
    const refusal = (await call.ended).at(-1)!;
    expect(refusal).toMatchObject({ id: 1, result: { isError: true } });
    expect(textOf(refusal)).toContain('Not done: A message from the client could not be read');
    expect(tokenOf(refusal)).not.toBe('undefined');
    await post(http.url, JSON.stringify(answering(question, yes.confirm)), others.headers);
    expect((await other.ended).at(-1)?.result).not.toHaveProperty('isError');
    expect(sent()).toEqual(['DELETE /pets/8']);
  });

  test('cannot be answered for by another session, a forged one, or none', async () => {
    const [mine, others] = [await open(ELICITATION), await open(ELICITATION)];
    const call = await stream(http.url, removing(1, 7), mine.headers);
    const question = await call.find(isQuestion);
    const forged = { ...mine.headers, 'mcp-session-id': `${mine.id}.x` };
    for (const headers of [others.headers, {}, forged]) {
      expect((await post(http.url, JSON.stringify(answering(question, yes.confirm)), headers)).status).toBe(202);
    }
    expect(sent()).toEqual([]);
    await post(http.url, JSON.stringify(answering(question, { action: 'decline' })), mine.headers);
    expect((await call.ended).at(-1)).toMatchObject({ id: 1, result: { isError: true } });
    expect(sent()).toEqual([]);
  });

  test.each<[string, object, Record<string, string>]>([
    ['without a session', {}, {}],
    ['without elicitation', { sampling: {} }, {}],
    ['with url mode only', { elicitation: { url: {} } }, {}],
    ['that takes only JSON', ELICITATION, { accept: 'application/json' }],
    ['with a session that was made up', {}, { 'mcp-session-id': 'eyJ.abc' }],
  ])('%s gets a token', async (_, capabilities, more) => {
    const { headers } = await open(capabilities);
    const { body } = await post(http.url, JSON.stringify(removing(1, 7)), { ...headers, ...more });
    expect(textOf(JSON.parse(body) as Rpc)).toContain('confirmation_token: "');
    expect(sent()).toEqual([]);
  });

  test('keeps its session to itself: another principal cannot use it', async () => {
    const { id } = await open(ELICITATION);
    const out: string[] = [];
    const reply = await gateway.handle(JSON.stringify(removing(1, 7)), {
      transport: 'http',
      principal: { id: 'somebody else' },
      headers: { 'mcp-session-id': String(id) },
      send: (message) => void out.push(message),
    });
    expect(out).toEqual([]);
    expect([reply?.status, reply?.refused, sent()]).toEqual([404, 'session', []]);
    expect(reply?.body).toContain('Session not found');
  });
});
