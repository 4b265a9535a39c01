import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../src/endpoint/model.ts';
import { ERRORS, type ErrorCode, GatewayError, ToolTimeoutError } from '../../src/errors.ts';
import type { Answer } from '../../src/executor/answer/build-answer.ts';
import { toFailure, toUpstreamFailure } from '../../src/orchestration/failure.ts';
import { contextOf } from '../support/context.ts';

const context = contextOf({ tool: 'pets_list' });

describe('toFailure()', () => {
  test('gives a timeout its wire shape and says that it may have taken effect', () => {
    const text =
      'pets_list did not answer within 5 s.\nThe request may still have taken effect. Check, in this order:\n1. whether it did, before repeating anything but a read\n2. a smaller question: fewer items, a narrower filter\n3. with the user, whether the API is slow or down, and timeoutMs in its domain file';
    expect(toFailure(context, new ToolTimeoutError('pets_list', 5))).toEqual({
      content: [{ type: 'text', text }],
      isError: true,
      structured: { tool: 'pets_list', timeout_seconds: 5, failure_mode: 'timeout', message: text },
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
  test.each(otherCodes)('throws %s on: it is no tool’s failure', (code) => {
    const error = new GatewayError(code, 'no');
    expect(() => toFailure(context, error)).toThrow(error);
  });

  test('throws on what nobody foresaw, unchanged', () => {
    const bug = new TypeError('bug');
    expect(() => toFailure(context, bug)).toThrow(bug);
  });

  test('cannot be overridden by an error’s details', () => {
    const error = new GatewayError('DENIED', 'No.', { failure_mode: 'ok', message: 'fine' });
    expect(toFailure(context, error).structured).toEqual({ failure_mode: 'denied', message: 'No.' });
  });

  test('cuts a text nobody could read', () => {
    const outcome = toFailure(context, new GatewayError('DENIED', 'x'.repeat(10_000)));
    const { message } = outcome.structured as { message: string };
    expect([message.length, message.endsWith('… [cut]')]).toEqual([4_007, true]);
  });
});

describe('toUpstreamFailure()', () => {
  const read = { effect: 'read', idempotent: true } as Endpoint;
  const write = { effect: 'write', idempotent: false } as Endpoint;
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
      'pets_list failed: the API answered 404 (Not Found: No pet 7).\nCheck the identifiers in the arguments: what they name does not exist.';
    expect(toUpstreamFailure(context, read, answer(404, { problem }))).toEqual({
      content: [{ type: 'text', text }],
      isError: true,
      structured: { tool: 'pets_list', status: 404, ...problem, failure_mode: 'upstream_error', message: text },
    });
  });

  test('says when to come back after too many requests', () => {
    const outcome = toUpstreamFailure(context, read, answer(429, { retryAfterSeconds: 30 }));
    expect(outcome).toMatchObject({
      structured: { retry_after_seconds: 30, failure_mode: 'rate_limited' },
    });
    expect(textOf(429, read, { retryAfterSeconds: 30 })).toContain('wait 30 seconds, then call again');
    expect(textOf(429, read)).toContain('wait a few seconds');
  });

  test.each<[number, Endpoint, string]>([
    [400, write, 'Fix the arguments as the answer says and call again.'],
    [401, read, 'Not fixable by changing arguments'],
    [403, read, 'credentials for this API are missing, wrong or not allowed'],
    [404, read, 'Check the identifiers'],
    [409, write, 'read it again, then decide'],
    [500, read, 'It is safe to try again later.'],
    [503, write, 'The call may have taken effect: look before you repeat it.'],
    [304, read, 'The API did not answer with a result.'],
  ])('says what to do after %i', (status, endpoint, advice) => {
    expect(textOf(status, endpoint)).toContain(advice);
  });

  test('passes on what the API said, where it said nothing structured', () => {
    expect(textOf(500, read, { problem: { body: '<h1>Oops</h1>' } })).toContain('It said: <h1>Oops</h1>');
    expect(textOf(422, write, { problem: { errors: { name: ['too short'] } } })).toContain(
      'errors: {"name":["too short"]}',
    );
    expect(textOf(503, read, { retryAfterSeconds: 9 })).toContain('It is safe to try again in 9 seconds.');
  });
});
