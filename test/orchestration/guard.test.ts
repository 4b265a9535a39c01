// The guard by itself: every way to ask, every answer, every forgery. `next` is the REST call; it must run exactly when
// a person agreed.
import { describe, expect, test, vi } from 'vitest';
import type { Client } from '../../src/call/caller.ts';
import type { Outcome } from '../../src/call/outcome.ts';
import type { Args, ConfirmWay } from '../../src/endpoint/model.ts';
import { type GatewayError, UnansweredError } from '../../src/errors.ts';
import { type Confirmations, createConfirmations } from '../../src/orchestration/confirmations.ts';
import { createGuard } from '../../src/orchestration/guard.ts';
import { askModern, canElicit, createLegacyAsk } from '../../src/protocol/questions/asking.ts';
import { type ContextChanges, contextOf } from '../support/context.ts';

const DONE: Outcome = { content: [{ type: 'text', text: 'done' }], isError: false };
const MODERN = { era: 'modern', takesRounds: true, version: '2026-07-28' } as const;
const LEGACY = { era: 'legacy', version: '2025-11-25' } as const;
const ASKING = { ...MODERN, capabilities: { elicitation: {} } };
const MUTE = { ...MODERN, capabilities: {} };

/** The client with the `ask` that protocol hands in. */
function withAsk(client: Client, { answers }: ContextChanges): Client {
  const { era, capabilities, request } = client;
  const isAskable = canElicit(capabilities);
  if (era === 'modern') return isAskable || answers ? { ...client, ask: askModern } : client;
  return isAskable && request ? { ...client, ask: createLegacyAsk(request) } : client;
}

function setUp(
  confirmations: Confirmations = createConfirmations(),
  operation = 'pets.delete',
  way: ConfirmWay = 'either',
) {
  const guard = createGuard(
    operation,
    { policy: 'confirm', because: 'it destroys data' },
    confirmations,
    async (_, args) => `DELETE /pets/${args.id}?`,
    { way },
  );
  const next = vi.fn(async () => DONE);
  const run = (client: Client, changes: ContextChanges = {}, args: Args = { id: 7 }) => {
    const principal = { id: 'ann' };
    return guard!(
      contextOf({ tool: 'pets_delete', principal, client: withAsk(client, changes), ...changes }),
      args,
      next,
    );
  };
  return { run, next, confirmations };
}

const ask = async (run: ReturnType<typeof setUp>['run'], changes: ContextChanges = {}, args: Args = { id: 7 }) => {
  const { inputRequired } = await run(ASKING, changes, args);
  return inputRequired?.requestState ?? '';
};
const tokenOf = async (run: ReturnType<typeof setUp>['run'], changes: ContextChanges = {}, args: Args = { id: 7 }) => {
  const refusal = await run(MUTE, changes, args).catch((error: unknown) => error as GatewayError);
  return String((refusal as GatewayError).details.confirmation_token);
};
const yes = { confirm: { action: 'accept', content: { confirm: true } } };

describe('the policy', () => {
  const guard = (policy: 'allow' | 'deny') =>
    createGuard(
      'pets.delete',
      { policy, because: 'this gateway was started with --read-only' },
      createConfirmations(),
      async () => '',
    );

  test('allow needs no guard at all', () => {
    expect(guard('allow')).toBeUndefined();
  });

  test('deny refuses, says why, and says that repeating is useless', async () => {
    const next = vi.fn();
    await expect(guard('deny')!(contextOf({ tool: 'pets_delete' }), {}, next)).rejects.toMatchObject({
      code: 'DENIED',
      message:
        'pets_delete is not allowed here: this gateway was started with --read-only. Nothing was sent. Repeating the call will not help; tell the user.',
      details: { tool: 'pets_delete' },
    });
    expect(next).not.toHaveBeenCalled();
  });
});

describe('a modern client with elicitation', () => {
  test.each([{}, { form: {} }, { form: {}, url: {} }])(
    'is asked when it declares elicitation: %j',
    async (elicitation) => {
      const { run, next } = setUp();
      expect(await run({ ...MODERN, capabilities: { elicitation } })).toEqual({
        content: [],
        isError: false,
        inputRequired: {
          inputRequests: {
            confirm: {
              method: 'elicitation/create',
              params: {
                mode: 'form',
                message: 'DELETE /pets/7?',
                requestedSchema: {
                  type: 'object',
                  properties: { confirm: { type: 'boolean', title: 'Yes, do it', description: 'Allow this one call' } },
                  required: ['confirm'],
                },
              },
            },
          },
          requestState: expect.stringMatching(/^[\w-]{43}$/),
        },
      });
      expect(next).not.toHaveBeenCalled();
    },
  );

  test('is not asked with a kind of form that it did not declare', async () => {
    const { run } = setUp();
    await expect(run({ ...MODERN, capabilities: { elicitation: { url: {} } } })).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
    });
  });

  test('runs the call after the person agreed', async () => {
    const { run, next } = setUp();
    const requestState = await ask(run);
    expect(await run(ASKING, { requestState, answers: yes })).toBe(DONE);
    expect(next).toHaveBeenCalledTimes(1);
  });

  test('may send the same arguments in another order with the answer', async () => {
    const { run, next } = setUp();
    const requestState = await ask(run, {}, { id: 7, options: { a: 1, b: 2 } });
    expect(await run(ASKING, { requestState, answers: yes }, { options: { b: 2, a: 1 }, id: 7 })).toBe(DONE);
    expect(next).toHaveBeenCalledTimes(1);
  });

  test('may send answers to questions that were not asked: they are ignored', async () => {
    const { run } = setUp();
    const requestState = await ask(run);
    expect(await run(ASKING, { requestState, answers: { ...yes, more: { action: 'accept' } } })).toBe(DONE);
  });

  test.each([
    ['declines', { action: 'decline' }, 'The user declined', 'decline'],
    ['dismisses the question', { action: 'cancel' }, 'The user dismissed the question', 'cancel'],
    ['sends the form off with no', { action: 'accept', content: { confirm: false } }, 'The user declined', 'decline'],
  ])('%s, and nothing runs', async (_, answer, said, action) => {
    const { run, next } = setUp(undefined, undefined, 'ask');
    const requestState = await ask(run);
    await expect(run(ASKING, { requestState, answers: { confirm: answer } })).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
      message: `${said}: pets_delete was not carried out, nothing was sent. Do not repeat it unless the user asks for it.`,
      details: { tool: 'pets_delete', answer: action },
    });
    // A no is final: the state is used up.
    await expect(run(ASKING, { requestState, answers: yes })).rejects.toThrow('requestState was already used');
    expect(next).not.toHaveBeenCalled();
  });

  test.each([
    ['nothing', undefined],
    ['no answers', {}],
    ['answers to something else', { other: { action: 'accept' } }],
    ['an inherited answer', Object.create({ confirm: yes.confirm })],
  ])('coming back with %s is asked again', async (_, answers) => {
    const { run, next } = setUp();
    const requestState = await ask(run);
    const again = await run(ASKING, { requestState, ...(answers && { answers }) });
    expect(again.inputRequired?.requestState).toMatch(/^[\w-]{43}$/);
    expect(again.inputRequired?.requestState).not.toBe(requestState);
    expect(next).not.toHaveBeenCalled();
  });

  test('that comes back without an answer and without elicitation gets a token', async () => {
    const { run } = setUp();
    const requestState = await ask(run);
    await expect(run(MUTE, { requestState })).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
      details: { confirmation_token: expect.any(String) },
    });
  });

  test.each([
    null,
    7,
    'accept',
    [],
    {},
    { action: 'yes' },
    { action: 'accept' },
    { action: 'accept', content: null },
    { action: 'accept', content: { confirm: 'true' } },
    { action: 'accept', content: [true] },
    { action: { toString: 1 } },
  ])('answering %j is told how to answer, and may answer again', async (answer) => {
    const { run, next } = setUp();
    const requestState = await ask(run);
    await expect(run(ASKING, { requestState, answers: { confirm: answer } })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message:
        'The answer to the confirmation must be {"action":"accept","content":{"confirm":true}}, or action "decline" or "cancel".',
    });
    expect(next).not.toHaveBeenCalled();
    expect(await run(ASKING, { requestState, answers: yes })).toBe(DONE);
  });
});

describe('a requestState', () => {
  const foreign =
    'requestState does not belong to this call (it is bound to one tool, its arguments and one caller). Call the tool again without it; the user is then asked again.';

  test('replayed is refused', async () => {
    const { run, next } = setUp();
    const requestState = await ask(run);
    await run(ASKING, { requestState, answers: yes });
    await expect(run(ASKING, { requestState, answers: yes })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: 'requestState was already used. Call the tool again without it; the user is then asked again.',
    });
    expect(next).toHaveBeenCalledTimes(1);
  });

  test('replayed many times at once runs the call once', async () => {
    const { run, next } = setUp();
    const requestState = await ask(run);
    await Promise.allSettled(Array.from({ length: 10 }, () => run(ASKING, { requestState, answers: yes })));
    expect(next).toHaveBeenCalledTimes(1);
  });

  test.each(['', 'x', 'A'.repeat(43), '🦊', ' '])('made up as %j is refused', async (requestState) => {
    const { run, next } = setUp();
    await expect(run(ASKING, { requestState, answers: yes })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: foreign,
    });
    expect(next).not.toHaveBeenCalled();
  });

  test('that is not valid is refused even without an answer', async () => {
    const { run } = setUp();
    const requestState = `${await ask(run)}x`;
    await expect(run(ASKING, { requestState })).rejects.toMatchObject({ code: 'INVALID_PARAMS', message: foreign });
  });

  test('with something appended is refused', async () => {
    const { run } = setUp();
    const requestState = `${await ask(run)}-TAMPERED`;
    await expect(run(ASKING, { requestState, answers: yes })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: foreign,
    });
  });

  test.each<[string, ContextChanges, Args]>([
    ['principal', { principal: { id: 'bob' } }, { id: 7 }],
    ['set of arguments', {}, { id: 8 }],
    ['set of arguments, with one more', {}, { id: 7, force: true }],
  ])('for another %s is refused', async (_, changes, args) => {
    const { run, next } = setUp();
    const requestState = await ask(run);
    await expect(run(ASKING, { ...changes, requestState, answers: yes }, args)).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: foreign,
    });
    expect(next).not.toHaveBeenCalled();
  });

  test('for another tool is refused', async () => {
    const { run, confirmations } = setUp();
    const other = setUp(confirmations, 'pets.purge');
    await expect(other.run(ASKING, { requestState: await ask(run), answers: yes })).rejects.toThrow(foreign);
    expect(other.next).not.toHaveBeenCalled();
  });

  test('that has expired is refused', async () => {
    let now = 1_000_000;
    const { run, next } = setUp(createConfirmations({ ttlSeconds: 10, now: () => now }));
    const requestState = await ask(run);
    now += 11_000;
    await expect(run(ASKING, { requestState, answers: yes })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: 'requestState has expired. Call the tool again without it; the user is then asked again.',
    });
    expect(next).not.toHaveBeenCalled();
  });

  test('is not valid as a token, nor a token as a state', async () => {
    const { run, next } = setUp();
    await expect(run(ASKING, { requestState: await tokenOf(run), answers: yes })).rejects.toThrow(foreign);
    await expect(run(ASKING, { controls: { confirmationToken: await ask(run) } })).rejects.toThrow(
      'does not fit this call',
    );
    expect(next).not.toHaveBeenCalled();
  });

  test('of a legacy client is ignored, because there are no rounds', async () => {
    const { run, next } = setUp();
    const requestState = await ask(run);
    await expect(run({ ...LEGACY, capabilities: {} }, { requestState, answers: yes })).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
    });
    expect(next).not.toHaveBeenCalled();
  });

  test('that cannot be checked is refused', async () => {
    const confirmations = createConfirmations({
      spent: {
        spend: () => {
          throw new Error('store is down');
        },
      },
    });
    const { run, next } = setUp(confirmations);
    const requestState = await ask(run);
    const refusal = {
      code: 'NOT_CONFIRMED',
      message:
        'The confirmation could not be checked, so nothing was sent. Try again in a minute; if it still fails, tell the user.',
    };
    await expect(run(ASKING, { requestState, answers: yes })).rejects.toMatchObject(refusal);
    await expect(run(MUTE, { controls: { confirmationToken: await tokenOf(run) } })).rejects.toMatchObject(refusal);
    expect(next).not.toHaveBeenCalled();
  });
});

describe('a client that cannot ask', () => {
  test('gets a refusal that says what would happen, and a token', async () => {
    const { run, next } = setUp();
    const refusal = (await run(MUTE).catch((error: unknown) => error)) as GatewayError;
    const token = refusal.details.confirmation_token;
    expect(refusal).toMatchObject({
      code: 'NOT_CONFIRMED',
      message: `Not done yet: DELETE /pets/7?\nNothing was sent. Ask the user; if they agree, repeat the same call with confirmation_token: "${token}" (good once, for 300 s, for exactly these arguments).`,
      details: { tool: 'pets_delete', confirmation_token: token, expires_in_seconds: 300 },
    });
    expect(next).not.toHaveBeenCalled();
  });

  test('gets the token under another name if the API has an argument of that name', async () => {
    const guard = createGuard('a.b', { policy: 'confirm', because: '' }, createConfirmations(), async () => '', {
      tokenKey: 'landbridge_confirmation_token',
    });
    const facts = { tool: 'a_b', principal: { id: 'ann' }, client: MUTE };
    await expect(guard!(contextOf(facts), {}, vi.fn())).rejects.toThrow(/with landbridge_confirmation_token: "/);
    await expect(guard!(contextOf({ ...facts, controls: { confirmationToken: 'x' } }), {}, vi.fn())).rejects.toThrow(
      'The landbridge_confirmation_token does not fit',
    );
  });

  test('runs the call with the token, once', async () => {
    const { run, next } = setUp();
    const confirmationToken = await tokenOf(run);
    expect(await run(MUTE, { controls: { confirmationToken } })).toBe(DONE);
    await expect(run(MUTE, { controls: { confirmationToken } })).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
      message:
        'The confirmation_token was already used. Nothing was sent. Call pets_delete again without it to get a new one, and ask the user.',
      details: { tool: 'pets_delete', token: 'used' },
    });
    expect(next).toHaveBeenCalledTimes(1);
  });

  test.each<[string, ContextChanges, Args]>([
    ['principal', { principal: { id: 'bob' } }, { id: 7 }],
    ['set of arguments', {}, { id: 8 }],
  ])('cannot use it for another %s', async (_, changes, args) => {
    const { run, next } = setUp();
    const confirmationToken = await tokenOf(run);
    await expect(run(MUTE, { ...changes, controls: { confirmationToken } }, args)).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
      details: { token: 'tampered' },
    });
    expect(next).not.toHaveBeenCalled();
  });

  test('cannot use an expired token', async () => {
    let now = 1_000_000;
    const { run } = setUp(createConfirmations({ ttlSeconds: 10, now: () => now }));
    const confirmationToken = await tokenOf(run);
    now += 11_000;
    await expect(run(MUTE, { controls: { confirmationToken } })).rejects.toMatchObject({
      details: { token: 'expired' },
    });
  });
});

describe('a legacy client with elicitation', () => {
  const legacy = (answer: unknown): Client & { request: ReturnType<typeof vi.fn> } => ({
    ...LEGACY,
    capabilities: { elicitation: {} },
    request: vi.fn(async () => answer),
  });

  test('is asked in a form that every revision knows, and the call runs if the person agrees', async () => {
    const { run, next } = setUp();
    const client = legacy({ action: 'accept', content: { confirm: true } });
    expect(await run(client)).toBe(DONE);
    expect(client.request.mock.calls).toEqual([
      [
        'elicitation/create',
        {
          message: 'DELETE /pets/7?',
          requestedSchema: {
            type: 'object',
            properties: { confirm: { type: 'boolean', title: 'Yes, do it', description: 'Allow this one call' } },
            required: ['confirm'],
          },
        },
        expect.any(AbortSignal),
        // The span to be asked under: nothing is traced here.
        undefined,
      ],
    ]);
    expect(next).toHaveBeenCalledTimes(1);
  });

  test.each([{ action: 'decline' }, { action: 'cancel' }, { action: 'accept', content: { confirm: false } }])(
    'answering %j keeps the call from running',
    async (answer) => {
      const { run, next } = setUp();
      await expect(run(legacy(answer))).rejects.toMatchObject({ code: 'NOT_CONFIRMED' });
      expect(next).not.toHaveBeenCalled();
    },
  );

  test('that answers nonsense gets an error', async () => {
    const { run, next } = setUp();
    await expect(run(legacy({ action: 'accept' }))).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    expect(next).not.toHaveBeenCalled();
  });

  test('that cannot be asked gets a token', async () => {
    const { run } = setUp();
    expect(await tokenOf((_, ...rest) => run({ ...LEGACY, capabilities: { elicitation: {} } }, ...rest))).toMatch(
      /^[\w-]{43}$/,
    );
  });
});

/** The two eras answer at different moments of the call; what counts as a yes is the same. */
const ERAS = [
  [
    'modern',
    async (run: ReturnType<typeof setUp>['run'], answer: unknown, before = () => {}) => {
      const requestState = await ask(run);
      before();
      return run(ASKING, { requestState, answers: { confirm: answer } });
    },
  ],
  [
    'legacy',
    async (run: ReturnType<typeof setUp>['run'], answer: unknown, before = () => {}) => {
      const request = async () => {
        before();
        return answer;
      };
      return run({ ...LEGACY, capabilities: { elicitation: {} }, request });
    },
  ],
] as const;

describe.each(ERAS)('a %s client that answers without a person', (_, answering) => {
  const failure = (outcome: Promise<unknown>) => outcome.catch((error: unknown) => error) as Promise<GatewayError>;

  test.each([
    ['declines at once', { action: 'decline' }, 'decline'],
    ['dismissed the question', { action: 'cancel' }, 'cancel'],
  ])('%s, and the refusal offers a token, which runs the call once', async (_name, answer, action) => {
    const { run, next } = setUp();
    const refusal = await failure(answering(run, answer));
    const { confirmation_token: confirmationToken, ...details } = refusal.details;
    expect(details).toEqual({ tool: 'pets_delete', answer: action, expires_in_seconds: 300 });
    expect(refusal.message).toBe(
      `Not done: the client ${action === 'cancel' ? 'dismissed the question' : 'declined at once'}.\nDELETE /pets/7?\nNothing was sent. If the user said no, stop here. If the client answered without asking the user, ask the user yourself; if they agree, repeat the same call with confirmation_token: "${confirmationToken}" (good once, for 300 s, for exactly these arguments).`,
    );
    expect(next).not.toHaveBeenCalled();
    const controls = { confirmationToken: String(confirmationToken) };
    await expect(run(ASKING, { controls }, { id: 8 })).rejects.toMatchObject({ details: { token: 'tampered' } });
    expect(await run(ASKING, { controls })).toBe(DONE);
    await expect(run(ASKING, { controls })).rejects.toMatchObject({ details: { token: 'used' } });
    expect(next).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['declines after as long as reading takes', { action: 'decline' }],
    ['sends the form off with no', { action: 'accept', content: { confirm: false } }],
  ])('is taken for a person when it %s: no token overrules that', async (_name, answer) => {
    let now = 1_000_000;
    const { run, next } = setUp(createConfirmations({ now: () => now }));
    const refusal = await failure(
      answering(run, answer, () => {
        now += 2_000;
      }),
    );
    expect(refusal.message).toMatch(/^The user declined: .*Do not repeat it/);
    expect(refusal.details).toEqual({ tool: 'pets_delete', answer: 'decline' });
    expect(next).not.toHaveBeenCalled();
  });

  test('counts as a person if it dismisses the question after the time a person needs to read it', async () => {
    let now = 1_000_000;
    const { run } = setUp(createConfirmations({ now: () => now }));
    const refusal = await failure(
      answering(run, { action: 'cancel' }, () => {
        now += 2_000;
      }),
    );
    expect(refusal.message).toMatch(/^The user dismissed the question/);
    expect(refusal.details).toEqual({ tool: 'pets_delete', answer: 'cancel' });
  });

  test.each([{ action: 'decline' }, { action: 'cancel' }])('gets no token under `ask`: %j', async (answer) => {
    const { run } = setUp(undefined, undefined, 'ask');
    expect((await failure(answering(run, answer))).details).not.toHaveProperty('confirmation_token');
  });
});

describe('what counts as a confirmation', () => {
  test('`token`: nobody is asked, whatever the client declares', async () => {
    const { run, next } = setUp(undefined, undefined, 'token');
    const refusal = (await run(ASKING).catch((error: unknown) => error)) as GatewayError;
    expect(refusal.message).toMatch(
      /^Not done yet: DELETE \/pets\/7\?\nNothing was sent\. Ask the user; if they agree/,
    );
    const controls = { confirmationToken: String(refusal.details.confirmation_token) };
    expect(await run(ASKING, { controls })).toBe(DONE);
    expect(next).toHaveBeenCalledTimes(1);
  });

  test('`ask`: a client that cannot ask is told so, and no token counts', async () => {
    const confirmations = createConfirmations();
    const confirmationToken = await tokenOf(setUp(confirmations).run);
    const { run, next } = setUp(confirmations, undefined, 'ask');
    const refusal = {
      code: 'NOT_CONFIRMED',
      message:
        "Not done: DELETE /pets/7?\nNothing was sent. This call needs the user's own answer (confirm: ask), and this client cannot ask: it declares no elicitation. Repeating the call will not help; tell the user.",
      details: { tool: 'pets_delete' },
    };
    await expect(run(MUTE)).rejects.toMatchObject(refusal);
    await expect(run(MUTE, { controls: { confirmationToken } })).rejects.toMatchObject(refusal);
    expect(next).not.toHaveBeenCalled();
  });

  test.each(['either', 'ask'] as const)('`%s`: a question that reached nobody', async (way) => {
    const { run, next } = setUp(undefined, undefined, way);
    const request = async () => {
      throw new UnansweredError('Nobody answered within 300 s');
    };
    const client = { ...LEGACY, capabilities: { elicitation: {} }, request };
    const refusal = (await run(client).catch((error: unknown) => error)) as GatewayError;
    if (way === 'ask')
      expect(refusal.message).toBe('Nobody answered within 300 s; nothing was sent. Ask the user, then call again.');
    else {
      expect(refusal.message).toMatch(
        /^Not done: Nobody answered within 300 s\.\nDELETE \/pets\/7\?\nNothing was sent\. Ask the user yourself; if they agree, repeat/,
      );
      expect(await run(client, { controls: { confirmationToken: String(refusal.details.confirmation_token) } })).toBe(
        DONE,
      );
    }
    expect(next).toHaveBeenCalledTimes(way === 'ask' ? 0 : 1);
  });
});
