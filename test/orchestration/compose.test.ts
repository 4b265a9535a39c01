import { describe, expect, test } from 'vitest';
import type { Middleware } from '../../src/call/handler.ts';
import type { Outcome } from '../../src/call/outcome.ts';
import { GatewayError } from '../../src/errors.ts';
import { compose, type RecheckArguments } from '../../src/orchestration/compose.ts';
import { contextOf } from '../support/context.ts';

const call = contextOf({ tool: 'pets_get' });
const asTheyAre: RecheckArguments = (_context, changed) => changed;
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
    const run = compose(
      [named('a'), named('b')],
      async () => {
        trail.push('handler');
        return text('done');
      },
      asTheyAre,
    );
    expect(read(await run(call, {}))).toBe('done');
    expect(trail).toEqual(['a in', 'b in', 'handler', 'b out', 'a out']);
  });

  test('goes on with the same arguments, or with those that middleware passes to next()', async () => {
    const run = compose(
      [(_call, _args, next) => next(), (_call, args, next) => next({ ...args, added: true })],
      async (_call, args) => text(JSON.stringify(args)),
      asTheyAre,
    );
    expect(read(await run(call, { id: 7 }))).toBe('{"id":7,"added":true}');
  });

  test('does not run the handler if middleware does not call next(), and passes errors on', async () => {
    const stopped = compose([async () => text('no')], async () => text('never'), asTheyAre);
    expect(read(await stopped(call, {}))).toBe('no');
    const failing = compose(
      [(_call, _args, next) => next()],
      async () => {
        throw new Error('upstream');
      },
      asTheyAre,
    );
    await expect(failing(call, {})).rejects.toThrow('upstream');
  });

  test('returns the handler itself if there is no middleware', () => {
    const handler = async () => text('x');
    expect(compose([], handler, asTheyAre)).toBe(handler);
  });

  test('runs the handler once: a second next() fails and sends nothing', async () => {
    let runs = 0;
    const twice: Middleware = async (_context, _args, next) => {
      await next();
      return next();
    };
    const run = compose([twice], async () => text(String(++runs)), asTheyAre);
    await expect(run(call, {})).rejects.toMatchObject({ code: 'HANDLER_FAILED', details: { tool: 'pets_get' } });
    const racing = compose(
      [async (_c, _a, next) => (await Promise.all([next(), next()]))[0]],
      async () => text(String(++runs)),
      asTheyAre,
    );
    await expect(racing(call, {})).rejects.toMatchObject({ code: 'HANDLER_FAILED' });
    expect(runs).toBe(2);
  });

  test('checks arguments that middleware changed, and goes on with what the check returns', async () => {
    const recheck: RecheckArguments = (_context, changed, before) => ({ ...changed, before });
    const run = compose([(_c, _a, next) => next({ id: 8 })], async (_c, args) => text(JSON.stringify(args)), recheck);
    expect(read(await run(call, { id: 7 }))).toBe('{"id":8,"before":{"id":7}}');
    const refused = compose(
      [(_c, _a, next) => next({ id: 8 })],
      async () => text('never'),
      () => {
        throw new GatewayError('VALIDATION', 'no');
      },
    );
    await expect(refused(call, { id: 7 })).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  test('wraps an error of the middleware itself, and not one that it passes on', async () => {
    const mine = compose([async () => Promise.reject(new Error('mine'))], async () => text('never'), asTheyAre);
    await expect(mine(call, {})).rejects.toMatchObject({ code: 'HANDLER_FAILED', message: 'mine' });
    const bug = new TypeError('below');
    const below = compose([(_c, _a, next) => next()], () => Promise.reject(bug), asTheyAre);
    await expect(below(call, {})).rejects.toBe(bug);
  });
});
