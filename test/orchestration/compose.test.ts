import { describe, expect, test } from 'vitest';
import type { Call, Middleware } from '../../src/call/handler.ts';
import type { Outcome } from '../../src/call/outcome.ts';
import { compose } from '../../src/orchestration/compose.ts';

const call = {} as Call;
const text = (value: string): Outcome => ({ content: [{ type: 'text', text: value }], isError: false });
const read = (outcome: Outcome) => (outcome.content[0]?.type === 'text' ? outcome.content[0].text : '');

describe('compose()', () => {
  test('runs the first outermost: in order on the way down, in reverse on the way up', async () => {
    const trail: string[] = [];
    const named =
      (name: string): Middleware =>
      async (_call, _args, next) => {
        trail.push(`${name} in`);
        const outcome = await next();
        trail.push(`${name} out`);
        return outcome;
      };
    const run = compose([named('a'), named('b')], async () => {
      trail.push('handler');
      return text('done');
    });
    expect(read(await run(call, {}))).toBe('done');
    expect(trail).toEqual(['a in', 'b in', 'handler', 'b out', 'a out']);
  });

  test('goes on with the same arguments, or with those a middleware gives', async () => {
    const run = compose(
      [(_call, _args, next) => next(), (_call, args, next) => next({ ...args, added: true })],
      async (_call, args) => text(JSON.stringify(args)),
    );
    expect(read(await run(call, { id: 7 }))).toBe('{"id":7,"added":true}');
  });

  test('does not run what a middleware keeps from running, and lets errors through', async () => {
    const stopped = compose([async () => text('no')], async () => text('never'));
    expect(read(await stopped(call, {}))).toBe('no');
    const failing = compose([(_call, _args, next) => next()], async () => {
      throw new Error('upstream');
    });
    await expect(failing(call, {})).rejects.toThrow('upstream');
  });

  test('is the handler itself where there is no middleware', () => {
    const handler = async () => text('x');
    expect(compose([], handler)).toBe(handler);
  });
});
