import { describe, expect, test } from 'vitest';
import type { KnownCredential } from '../../src/credentials/kind-table.ts';
import { fillLogin } from '../../src/credentials/login/login-request.ts';
import type { Endpoint } from '../../src/endpoint/model.ts';
import { ERRORS, type ErrorCode, GatewayError, ToolTimeoutError } from '../../src/errors.ts';
import type { Answer } from '../../src/executor/answer/build-answer.ts';
import { toFailure, toUpstreamFailure } from '../../src/orchestration/failure.ts';
import { arg, endpoint, inBody, inHeader, inPath, inQuery } from '../executor/support.ts';
import { contextOf } from '../support/context.ts';

const context = contextOf({ tool: 'pets_list' });

describe('toFailure()', () => {
  test('writes a timeout and says that it may have taken effect', () => {
    const text =
      'pets_list did not answer within 5 s.\nThe request may still have taken effect. Check, in this order:\n1. whether it did, before repeating anything but a read\n2. whether a smaller request works: fewer items, a narrower filter\n3. with the user, whether the API is slow or down, and whether timeoutMs in its domain file is too low';
    expect(toFailure(context, new ToolTimeoutError('pets_list', 5))).toEqual({
      content: [{ type: 'text', text }],
      isError: true,
      structured: { tool: 'pets_list', timeout_seconds: 5, failure_mode: 'timeout', message: text },
    });
  });

  test('says that a read that timed out changed nothing', () => {
    const [block] = toFailure(context, new ToolTimeoutError('pets_list', 5, 'nothing')).content;
    expect(block).toMatchObject({
      text: 'pets_list did not answer within 5 s.\nNothing was changed, so it is safe to call again. Try, in this order:\n1. a smaller request: fewer items, a narrower filter\n2. to ask the user whether the API is slow or down, and whether timeoutMs in its domain file is too low',
    });
  });

  const toolCodes = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => ERRORS[code].wire === 'tool');
  test.each(toolCodes)('names the mode of %s and keeps its message and details', (code) => {
    const { mode } = ERRORS[code] as { mode: string };
    const outcome = toFailure(context, new GatewayError(code, 'What went wrong.', { tool: 'pets_list' }));
    expect(outcome).toMatchObject({
      isError: true,
      structured: { tool: 'pets_list', failure_mode: mode },
    });
    const [block] = outcome.content;
    expect(block?.type === 'text' && block.text.startsWith('What went wrong.')).toBe(true);
    expect((outcome.structured as { message: string }).message).toBe(block?.type === 'text' && block.text);
  });

  const otherCodes = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => ERRORS[code].wire !== 'tool');
  test.each(otherCodes)('throws %s, which is not a failure of a tool', (code) => {
    const error = new GatewayError(code, 'no');
    expect(() => toFailure(context, error)).toThrow(error);
  });

  test('throws unknown errors unchanged', () => {
    const bug = new TypeError('bug');
    expect(() => toFailure(context, bug)).toThrow(bug);
  });

  test('cannot be overridden by an error’s details', () => {
    const error = new GatewayError('DENIED', 'No.', { failure_mode: 'ok', message: 'fine' });
    expect(toFailure(context, error).structured).toEqual({ failure_mode: 'denied', message: 'No.' });
  });

  test('cuts a text that is too long', () => {
    const outcome = toFailure(context, new GatewayError('DENIED', 'x'.repeat(10_000)));
    const { message } = outcome.structured as { message: string };
    expect([message.length, message.endsWith('… [cut]')]).toEqual([4_007, true]);
  });
});

describe('toUpstreamFailure()', () => {
  const key = (value: string | undefined): KnownCredential => ({
    kind: 'bearer',
    name: 'key',
    secret: { variable: 'PETS_KEY', value },
  });
  const loginOf = (env: Record<string, string>): KnownCredential => ({
    kind: 'login',
    name: 'session',
    ...fillLogin(
      {
        url: 'http://127.0.0.1:1/login',
        body: { user: '$'.concat('{PETS_USER}'), password: '$'.concat('{PETS_PASSWORD}') },
      },
      env,
    ),
    send: { in: 'header', field: 'Authorization', prefix: 'Bearer ' },
    renewOn: [401],
  });
  const item = { path: '/pets/{petId}', args: [arg('petId', inPath('petId'), true)] };
  const read = endpoint('http://127.0.0.1:1', { ...item, security: [[key('s3cret')]] });
  const all = endpoint('http://127.0.0.1:1', { path: '/pets' });
  const search = endpoint('http://127.0.0.1:1', { path: '/search', args: [arg('owner', inQuery('owner'))] });
  const write = endpoint('http://127.0.0.1:1', {
    method: 'POST',
    effect: 'write',
    idempotent: false,
    path: '/pets',
    args: [arg('name', inBody('name'), true), arg('if_match', inHeader('If-Match'))],
    body: { mediaType: 'application/json', required: true, kind: 'json' },
    security: [[key(undefined)], []],
  });
  const listing = endpoint('http://127.0.0.1:1', { path: '/pets', security: [[key('s3cret')]] });
  const login = endpoint('http://127.0.0.1:1', {
    method: 'POST',
    effect: 'write',
    path: '/auth/login',
    args: [arg('username', inBody('username'), true), arg('password', inBody('password'), true)],
  });
  const session = endpoint('http://127.0.0.1:1', {
    path: '/pets',
    security: [[loginOf({ PETS_USER: 'a', PETS_PASSWORD: 'b' })]],
  });
  const either = endpoint('http://127.0.0.1:1', { path: '/pets', security: [[loginOf({})], [key(undefined)], []] });
  const upload = {
    ...write,
    body: { mediaType: 'multipart/form-data', required: true, kind: 'multipart' },
  } as Endpoint;
  const put = { ...write, method: 'PUT', idempotent: true } as Endpoint;
  const answer = (status: number, more: object = {}) =>
    ({
      ok: false,
      status,
      ...more,
    }) as unknown as Answer;
  const textOf = (status: number, endpoint: Endpoint, more?: object) => {
    const [block] = toUpstreamFailure(context, endpoint, answer(status, more)).content;
    return block?.type === 'text' ? block.text : '';
  };

  test('carries status, problem details and trace', () => {
    const problem = { title: 'Not Found', detail: 'No pet 7', type: 'https://a/problems/1' };
    const text =
      'pets_list failed: the API answered 404 (Not Found: No pet 7).\nCheck petId: what it names does not exist, or is not visible to the credential in PETS_KEY.';
    expect(toUpstreamFailure(context, read, answer(404, { problem }))).toEqual({
      content: [{ type: 'text', text }],
      isError: true,
      structured: { tool: 'pets_list', status: 404, ...problem, failure_mode: 'upstream_error', message: text },
    });
  });

  test('says when to call again after too many requests', () => {
    const outcome = toUpstreamFailure(context, read, answer(429, { retryAfterSeconds: 30 }));
    expect(outcome).toMatchObject({
      structured: { retry_after_seconds: 30, failure_mode: 'rate_limited' },
    });
    expect(textOf(429, read, { retryAfterSeconds: 30 })).toContain('wait 30 seconds, then call again');
    expect(textOf(429, read)).toContain('wait a few seconds');
  });

  test.each<[number, Endpoint, string, object?]>([
    [300, read, 'redirects without an address, so nothing was followed. Tell the user.'],
    [302, write, 'The call may have taken effect: look before you repeat it.'],
    [400, write, 'Fix the arguments as the answer says and call again.', { problem: { detail: 'name is too long' } }],
    [400, write, 'The API does not say what is wrong. Compare name and if_match with their descriptions'],
    [400, write, 'does not say what is wrong', { problem: { title: 'Bad Request' } }],
    [400, all, 'The call has no arguments to fix; tell the user what the API answered.'],
    [
      401,
      read,
      'does not accept the credential in PETS_KEY: it is wrong or has expired, or may not do this with petId. If other calls to this API work, check the arguments; if none does, tell the user.',
    ],
    [
      401,
      read,
      '(it says: Bearer error="expired"): it is wrong or has expired. Changing the arguments will not help.',
      { challenge: 'Bearer error="expired"' },
    ],
    [401, listing, 'PETS_KEY: it is wrong or has expired. Changing the arguments will not help.'],
    [401, login, 'The API does not accept this login: check username and password, or ask the user for them.'],
    [403, login, 'The API does not accept this login: check username and password'],
    [
      401,
      session,
      'does not accept the token from POST http://127.0.0.1:1/login (PETS_USER and PETS_PASSWORD): it is wrong',
    ],
    [
      404,
      session,
      'or it is not visible to the token from POST http://127.0.0.1:1/login (PETS_USER and PETS_PASSWORD).',
    ],
    [401, either, 'none was sent: set PETS_USER and PETS_PASSWORD, or PETS_KEY in the environment of the gateway'],
    [403, either, 'A credential can be set: PETS_USER and PETS_PASSWORD, or PETS_KEY.'],
    [403, read, 'is not open to it or does not exist (check petId). The same call again will not help.'],
    [403, write, 'is not open to it, or a field is not allowed.'],
    [401, write, 'none was sent: set PETS_KEY in the environment of the gateway'],
    [401, all, 'the document names none for this operation; one can be given in its domain file'],
    [402, write, 'wants a payment, or one was declined'],
    [
      403,
      read,
      'does not allow this to the credential in PETS_KEY: a permission, scope or role is missing, or what the',
    ],
    [403, read, 'wait 60 seconds, then call again', { retryAfterSeconds: 60 }],
    [404, read, 'Check petId: what it names does not exist'],
    [404, all, 'The API has nothing at /pets. If the arguments are right, the base URL'],
    [
      404,
      { ...all, baseUrl: 'http://127.0.0.1:1/api/v1' },
      'The API has nothing at /api/v1/pets. /api/v1 is the path of the base URL. A base URL without a path takes it from the document; one that ends in /. has none. If the arguments',
    ],
    [404, search, 'nothing at /search, or something the arguments name does not exist'],
    [405, write, 'does not allow POST here, only GET, HEAD: the document', { allow: 'GET, HEAD' }],
    [406, read, 'cannot answer in a format the gateway asks for (application/json, */*;q=0.5)'],
    [408, read, 'It is safe to try again later.'],
    [409, write, 'it exists already, or was changed meanwhile'],
    [410, read, 'What petId names was there and has been removed for good.'],
    [412, write, 'Read it again and pass its current version (ETag) in if_match.'],
    [412, read, 'A condition of the API is not met'],
    [413, write, 'Send less at a time: fewer items'],
    [413, upload, 'a smaller file'],
    [415, write, 'does not take application/json here. Changing the arguments will not help.'],
    [415, upload, 'Check the type of the file'],
    [418, write, 'Fix the arguments as the answer says', { problem: { body: 'short and stout' } }],
    [421, read, 'the base URL is not right'],
    [422, write, 'well formed, but the API does not accept their values', { problem: { errors: [1] } }],
    [423, write, 'It is locked by somebody.'],
    [424, write, 'Something this depends on failed before.'],
    [425, write, 'has done nothing. Call again.'],
    [426, read, 'mostly https:// or a newer version'],
    [428, write, 'read it first, then pass its version (ETag) in if_match'],
    [428, read, 'has no argument for one'],
    [429, write, 'wait 7200 seconds (about 2 hours), then call again', { retryAfterSeconds: 7_200 }],
    [431, write, 'pass shorter values in arguments that are sent as headers'],
    [451, read, 'withheld for legal reasons'],
    [500, read, 'It is safe to try again later.'],
    [500, put, 'repeating it later leads to the same state'],
    [501, read, 'has not implemented this'],
    [502, write, 'The call may have taken effect: look before you repeat it.'],
    [503, write, 'The call may have taken effect: look before you repeat it.'],
    [503, write, 'look before you repeat it, and not before 9 seconds have passed', { retryAfterSeconds: 9 }],
    [504, read, 'It is safe to try again later. A smaller question may be quicker.'],
    [507, write, 'no room left'],
    [511, read, 'The network between the gateway and the API requires a login.'],
    [409, write, 'The API asks to wait 30 seconds before the next call.', { retryAfterSeconds: 30 }],
    [599, write, 'look before you repeat it', {}],
  ])('says what is true after %i', (status, target, advice, more) => {
    expect(textOf(status, target, more)).toContain(advice);
  });

  test('never calls a write safe to repeat, nor a call hopeless that other arguments may repair', () => {
    for (let status = 300; status < 600; status++) {
      if (status !== 425) expect(textOf(status, write)).not.toMatch(/safe to (?:try|call) again/);
      if ([400, 403, 404, 409, 410, 412, 413, 414, 422, 423].includes(status))
        expect(textOf(status, search)).not.toContain('Changing the arguments will not help');
    }
  });

  test('passes on the text of the API if its answer has no structure', () => {
    expect(textOf(500, read, { problem: { body: '<h1>Oops</h1>' } })).toContain('It said: <h1>Oops</h1>');
    expect(textOf(422, write, { problem: { errors: { name: ['too short'] } } })).toContain(
      'errors: {"name":["too short"]}',
    );
    expect(textOf(503, read, { retryAfterSeconds: 9 })).toContain('It is safe to try again in 9 seconds.');
  });
});
