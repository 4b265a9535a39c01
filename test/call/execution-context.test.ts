import { describe, expect, test } from 'vitest';
import { ExecutionContext } from '../../src/call/execution-context.ts';

const facts = { requestId: 'r1', method: 'tools/call', principal: 'local', transport: 'stdio' };
const result = {
  outcome: 'ok' as const,
  durationMs: 3,
  upstream: { method: 'GET', url: 'http://127.0.0.1/pets', status: 200, bytes: 2 },
};

describe('ExecutionContext', () => {
  test('is made only by fromRequest()', () => {
    expect(() => new ExecutionContext(Symbol('x'), {} as never)).toThrow('ExecutionContext.fromRequest()');
  });

  test.each(['', '  '])('refuses the blank request id %j', (requestId) => {
    expect(() => ExecutionContext.fromRequest({ ...facts, requestId })).toThrow('request id that is not blank');
  });

  test.each(['', '  '])('refuses the blank method %j', (method) => {
    expect(() => ExecutionContext.fromRequest({ ...facts, method })).toThrow('method that is not blank');
  });

  test('takes no result before a tool is bound', () => {
    expect(() => ExecutionContext.fromRequest(facts).withResult(result)).toThrow('withToolCall()');
  });

  test('binds a tool once', () => {
    const bound = ExecutionContext.fromRequest(facts).withToolCall('pets_get', 'digest');
    expect(() => bound.withToolCall('pets_delete', 'digest')).toThrow('already bound to pets_get');
  });

  test('returns a copy at every step and leaves the original as it was', () => {
    const first = ExecutionContext.fromRequest(facts);
    const second = first.withToolCall('pets_get', 'digest');
    const third = second.withResult(result);
    expect([first.tool, second.tool, third.tool]).toEqual([undefined, 'pets_get', 'pets_get']);
    expect([second.results.length, third.results.length]).toEqual([0, 1]);
  });

  test('once sealed is frozen to the bottom and refuses every further step', () => {
    const sealed = ExecutionContext.fromRequest(facts)
      .withToolCall('pets_get', 'd')
      .withResult({ ...result })
      .seal();
    const mutable = sealed as unknown as { tool: string; results: { outcome: string; upstream: { status: number } }[] };
    expect(() => {
      mutable.tool = 'other';
    }).toThrow(TypeError);
    expect(() => mutable.results.push({} as never)).toThrow(TypeError);
    expect(() => {
      mutable.results[0]!.outcome = 'failed';
    }).toThrow(TypeError);
    expect(() => {
      mutable.results[0]!.upstream.status = 500;
    }).toThrow(TypeError);
    expect(() => sealed.withResult(result)).toThrow('sealed');
    expect(() => sealed.seal()).toThrow('sealed');
    expect(() => sealed.withToolCall('x', 'd')).toThrow('sealed');
  });
});
