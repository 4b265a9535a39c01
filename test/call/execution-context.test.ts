import { describe, expect, test } from 'vitest';
import { ExecutionContext } from '../../src/call/execution-context.ts';
import { FACTS as facts } from '../support/context.ts';

const result = { outcome: 'ok' as const, durationMs: 3 };
const UPSTREAM = { method: 'GET', url: 'http://127.0.0.1/pets', status: 200, bytes: 2 };

/** Everything reachable from a value, itself included. */
function* reach(value: unknown, visited = new Set<unknown>()): Generator<object> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || visited.has(value)) return;
  visited.add(value);
  yield value;
  for (const inner of Object.values(value)) yield* reach(inner, visited);
}

describe('ExecutionContext', () => {
  test('is made only by fromRequest()', () => {
    expect(() => new ExecutionContext(Symbol('x'), {} as never, {} as never)).toThrow('ExecutionContext.fromRequest()');
  });

  test.each(['', '  '])('refuses the blank request id %j', (requestId) => {
    expect(() => ExecutionContext.fromRequest({ ...facts, requestId })).toThrow('request id that is not blank');
  });

  test.each(['', '  '])('refuses the blank method %j', (method) => {
    expect(() => ExecutionContext.fromRequest({ ...facts, method })).toThrow('method that is not blank');
  });

  test('takes no action, operation or result before a tool is bound', () => {
    const context = ExecutionContext.fromRequest(facts);
    expect(() => context.withResult(result)).toThrow('withToolCall()');
    expect(() => context.withAction('list')).toThrow('withToolCall()');
    expect(() => context.withOperation({ argumentsDigest: 'd' })).toThrow('withToolCall()');
  });

  test('binds a tool once, and not a blank one', () => {
    const bound = ExecutionContext.fromRequest(facts).withToolCall('pets_get');
    expect(() => bound.withToolCall('pets_delete')).toThrow('already bound to pets_get');
    expect(() => ExecutionContext.fromRequest(facts).withToolCall(' ')).toThrow('not blank');
  });

  test('returns a copy at every step and leaves the original as it was', () => {
    const first = ExecutionContext.fromRequest(facts);
    const second = first.withToolCall('pets_get');
    const third = second.withResult(result);
    expect([first.tool, second.tool, third.tool]).toEqual([undefined, 'pets_get', 'pets_get']);
    expect([second.results.length, third.results.length]).toEqual([0, 1]);
  });

  test('cannot be assigned to, not even while it is open', () => {
    const open = ExecutionContext.fromRequest(facts) as unknown as Record<string, unknown>;
    const getters = Object.entries(Object.getOwnPropertyDescriptors(ExecutionContext.prototype))
      .filter(([, { get }]) => get)
      .map(([name]) => name);
    for (const key of [...Object.keys(open), ...getters]) {
      expect(() => {
        open[key] = 'other';
      }, key).toThrow(TypeError);
    }
    expect(() => {
      open.added = true;
    }).toThrow(TypeError);
  });

  test('is labelled with the tool, and with the action of a grouped tool', () => {
    const bound = ExecutionContext.fromRequest(facts).withToolCall('pets');
    expect([bound.label, bound.withAction('list').label]).toEqual(['pets', 'pets/list']);
  });

  test('records what the layers below noted, whichever copy they held', () => {
    const bound = ExecutionContext.fromRequest(facts).withToolCall('pets');
    const below = bound.withAction('list').withOperation({ operation: 'pets.list', argumentsDigest: 'digest' });
    below.withDeadline(1000).noteUpstream({ ...UPSTREAM });
    below.noteFailure('upstream_error');
    expect(bound.withResult({ ...result, outcome: 'failed' }).seal()).toMatchObject({
      tool: 'pets',
      action: 'list',
      operation: 'pets.list',
      argumentsDigest: 'digest',
      results: [{ outcome: 'failed', failureMode: 'upstream_error', upstream: UPSTREAM }],
    });
  });

  test('shows its request and its journal as copies, so that nobody can change the record', () => {
    const bound = ExecutionContext.fromRequest({ ...facts, remote: '192.0.2.7' }).withToolCall('pets');
    bound.noteUpstream({ ...UPSTREAM }, 5);
    Object.assign(bound.request, { remote: 'elsewhere' });
    Object.assign(bound.journal, { upstream: undefined, upstreamMs: 0 });
    expect(bound.request.remote).toBe('192.0.2.7');
    expect(bound.journal).toMatchObject({ upstream: UPSTREAM, upstreamMs: 5, waitedMs: 0 });
    expect(bound.withResult(result).seal().journal).toMatchObject({ upstream: UPSTREAM, upstreamMs: 5 });
  });

  test('does not record a failure that middleware recovered from', () => {
    const bound = ExecutionContext.fromRequest(facts).withToolCall('pets');
    bound.noteFailure('timeout');
    expect(bound.withResult(result).results[0]?.failureMode).toBeUndefined();
  });

  test('is deeply frozen once it is sealed, and refuses every further step', () => {
    const bound = ExecutionContext.fromRequest({ ...facts, progress: () => {}, data: { tenant: 'acme' } }).withToolCall(
      'p',
    );
    bound.noteUpstream({ ...UPSTREAM });
    const sealed = bound.withResult(result).seal();
    const { request, journal } = sealed;
    for (const value of [sealed, request, ...Object.values(journal)].flatMap((part) => [...reach(part)]))
      expect(Object.isFrozen(value)).toBe(true);
    expect([sealed.data, sealed.progress]).toEqual([undefined, undefined]);
    expect(() => sealed.withResult(result)).toThrow('sealed');
    expect(() => sealed.seal()).toThrow('sealed');
    expect(() => sealed.withToolCall('x')).toThrow('sealed');
    expect(() => sealed.withAction('x')).toThrow('sealed');
    expect(() => sealed.withOperation({ argumentsDigest: 'd' })).toThrow('sealed');
    expect(() => sealed.withDeadline(1)).toThrow('sealed');
    expect(() => sealed.noteUpstream(UPSTREAM)).toThrow('sealed');
    expect(() => sealed.noteFailure('timeout')).toThrow('sealed');
  });

  test('once sealed contains no functions and no secrets', () => {
    const sealed = ExecutionContext.fromRequest({
      ...facts,
      data: { token: 'hunter2' },
      requestState: 'hunter2',
      answers: { password: 'hunter2' },
      progress: () => {},
      log: () => {},
    })
      .withToolCall('pets_get')
      .withOperation({ argumentsDigest: 'd', controls: { confirmationToken: 'hunter2' } })
      .withResult(result)
      .seal();
    const parts = [sealed, sealed.request, sealed.journal];
    expect(parts.flatMap((part) => [...reach(part)]).filter((value) => typeof value === 'function')).toEqual([]);
    expect([sealed.requestState, sealed.progress, sealed.log, sealed.controls]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(JSON.stringify([sealed, sealed.request, sealed.journal])).not.toContain('hunter2');
  });
});
