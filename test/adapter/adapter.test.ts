import { describe, expect, test, vi } from 'vitest';
import type { CallTable } from '../../src/adapter/adapter.ts';
import { createAdapter } from '../../src/adapter/adapter.ts';
import { buildDigest } from '../../src/call/digest.ts';
import { ExecutionContext } from '../../src/call/execution-context.ts';
import type { Handler } from '../../src/call/handler.ts';
import type { Outcome } from '../../src/call/outcome.ts';
import { GatewayError, ToolTimeoutError } from '../../src/errors.ts';
import { createRedaction } from '../../src/orchestration/redaction.ts';
import { FACTS } from '../support/context.ts';

const DONE: Outcome = { content: [{ type: 'text', text: 'done' }], isError: false };

const call = { ...FACTS, requestId: 'r-1', principal: { id: 'ann', scopes: ['read'] }, transport: 'tcp' } as const;

function setUp(run: Handler, redact = (text: string) => text) {
  const audited: ExecutionContext[] = [];
  const handlerErrors: unknown[] = [];
  const tools: CallTable<Outcome> = {
    find: (name) => (name === 'pets_list' ? run : undefined),
    missing: (name) => new GatewayError('UNKNOWN_TOOL', `Unknown tool: ${name}`),
  };
  const adapter = createAdapter({
    tools,
    redaction: createRedaction(redact),
    audit: (record) => audited.push(record),
    onHandlerError: (error) => handlerErrors.push(error),
  });
  return { adapter, audited, handlerErrors };
}

describe('the golden path', () => {
  test('runs the operation it finds and leaves one sealed record of it', async () => {
    const run = vi.fn(async (context: ExecutionContext) => {
      context.noteUpstream({ method: 'GET', url: 'http://a/pets', status: 200, bytes: 4 });
      return DONE;
    });
    const { adapter, audited } = setUp(run);
    expect(await adapter.callTool(call, 'pets_list', { limit: 3 })).toBe(DONE);
    expect(run.mock.calls).toEqual([[expect.any(ExecutionContext), { limit: 3 }]]);
    expect(audited).toHaveLength(1);
    expect(audited[0]).toMatchObject({
      requestId: 'r-1',
      principal: { id: 'ann' },
      request: { method: 'tools/call', transport: 'tcp' },
      tool: 'pets_list',
      argumentsDigest: buildDigest({ limit: 3 }),
      sealed: true,
      results: [
        {
          outcome: 'ok',
          upstream: { method: 'GET', url: 'http://a/pets', status: 200, bytes: 4 },
          durationMs: expect.any(Number),
        },
      ],
    });
    expect(Object.isFrozen(audited[0])).toBe(true);
  });

  test('keeps no argument, only a digest', async () => {
    const { adapter, audited } = setUp(async () => DONE);
    await adapter.callTool(call, 'pets_list', { password: 'hunter2' });
    expect(JSON.stringify(audited)).not.toContain('hunter2');
  });

  test.each<[string, Outcome, object]>([
    ['a failure', { content: [], isError: true }, { outcome: 'failed' }],
    [
      'a question',
      { content: [], isError: false, inputRequired: { requestState: 's' } },
      { outcome: 'input_required' },
    ],
  ])('records %s as what it is', async (_, outcome, want) => {
    const { adapter, audited } = setUp(async () => outcome);
    expect(await adapter.callTool(call, 'pets_list', {})).toBe(outcome);
    expect(audited[0]?.results[0]).toMatchObject(want);
  });

  test('turns a typed tool failure into an answer', async () => {
    const { adapter, audited } = setUp(async () => {
      throw new ToolTimeoutError('pets_list', 5);
    });
    const outcome = await adapter.callTool(call, 'pets_list', {});
    expect(outcome).toMatchObject({ isError: true, structured: { failure_mode: 'timeout' } });
    expect(audited[0]?.results[0]).toMatchObject({ outcome: 'failed', failureMode: 'timeout' });
  });

  test('does the same for a handler that throws before it returns a promise', async () => {
    const { adapter } = setUp((() => {
      throw new GatewayError('DENIED', 'No.');
    }) as Handler);
    expect(await adapter.callTool(call, 'pets_list', {})).toMatchObject({
      isError: true,
      structured: { failure_mode: 'denied' },
    });
  });

  test('passes protocol errors and bugs on, and records them', async () => {
    const bug = new TypeError('bug');
    const { adapter, audited } = setUp(async () => {
      throw bug;
    });
    await expect(adapter.callTool(call, 'pets_list', {})).rejects.toBe(bug);
    await expect(adapter.callTool(call, 'nope', {})).rejects.toMatchObject({ code: 'UNKNOWN_TOOL' });
    expect(audited.map(({ tool, results }) => [tool, results[0]])).toEqual([
      ['pets_list', expect.objectContaining({ outcome: 'error', errorCode: -32603 })],
      ['nope', expect.objectContaining({ outcome: 'error', errorCode: -32602 })],
    ]);
  });

  test.each([
    ['modern', -32602],
    ['legacy', -32002],
  ] as const)('records the code that a %s client gets for a resource that does not exist', async (era, errorCode) => {
    const { adapter, audited } = setUp(async () => DONE);
    const table = { find: () => undefined, missing: () => new GatewayError('RESOURCE_NOT_FOUND', 'no') };
    const request = { ...call, client: { ...call.client, era } };
    await expect(adapter.perform(request, 'pets://nowhere', {}, table)).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    });
    expect(audited[0]?.results[0]).toMatchObject({ outcome: 'error', errorCode });
  });

  test('is the same for resources and prompts, with another table', async () => {
    const { adapter, audited } = setUp(async () => DONE);
    const table = {
      find: () => async () => ({ contents: [] }),
      missing: () => new GatewayError('RESOURCE_NOT_FOUND', 'no'),
    };
    expect(await adapter.perform({ ...call, method: 'resources/read' }, 'a://b', {}, table)).toEqual({ contents: [] });
    expect(audited[0]).toMatchObject({
      request: { method: 'resources/read' },
      tool: 'a://b',
      results: [{ outcome: 'ok' }],
    });
  });

  test('removes secrets from every answer, once', async () => {
    const redact = vi.fn((text: string) => text.replaceAll('hunter2', '***'));
    const { adapter } = setUp(
      async () => ({
        content: [{ type: 'text', text: 'it is hunter2' }],
        isError: false,
        structured: { deep: ['hunter2'] },
      }),
      redact,
    );
    expect(await adapter.callTool(call, 'pets_list', {})).toEqual({
      content: [{ type: 'text', text: 'it is ***' }],
      isError: false,
      structured: { deep: ['***'] },
    });
    expect(redact.mock.calls.filter(([text]) => text === 'it is hunter2')).toHaveLength(1);
  });

  test('gives the operator the error of a handler, and the caller only its message', async () => {
    const bug = new TypeError('no such column');
    const { adapter, handlerErrors } = setUp(async () => {
      throw new GatewayError('HANDLER_FAILED', bug.message, {}, bug);
    });
    expect(await adapter.callTool(call, 'pets_list', {})).toMatchObject({ isError: true });
    expect(handlerErrors).toEqual([bug]);
  });
});
