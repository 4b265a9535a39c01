import { describe, expect, test } from 'vitest';
import type { Effect } from '../../src/endpoint/model.ts';
import { GatewayError } from '../../src/errors.ts';
import { buildControls } from '../../src/orchestration/controls.ts';

const controlsOf = (effect: Effect, confirmable: boolean, ...own: string[]) =>
  buildControls(effect, new Set(own), confirmable);
const keysOf = (effect: Effect, confirmable: boolean, ...own: string[]) =>
  Object.keys(controlsOf(effect, confirmable, ...own).schemas);

describe('what the gateway adds to arguments', () => {
  test('is `fields` on reads, `dry_run` on writes, and a token where a person must agree', () => {
    expect(keysOf('read', false)).toEqual(['fields']);
    expect(keysOf('write', false)).toEqual(['dry_run']);
    expect(keysOf('write', true)).toEqual(['dry_run', 'confirmation_token']);
    expect(keysOf('destructive', true)).toEqual(['dry_run', 'confirmation_token']);
  });

  test('steps aside for arguments of the API', () => {
    expect(keysOf('read', false, 'fields')).toEqual(['landbridge_fields']);
    expect(keysOf('write', true, 'dry_run', 'confirmation_token')).toEqual([
      'landbridge_dry_run',
      'landbridge_confirmation_token',
    ]);
    const plan = controlsOf('destructive', true, 'confirmation_token');
    expect(plan.token).toBe('landbridge_confirmation_token');
    expect(plan.take('t', { confirmation_token: 'the API’s own' })).toBeUndefined();
  });

  test('is taken out, and the rest left as it was', () => {
    const { take } = controlsOf('destructive', true, 'id');
    const args = Object.freeze({ id: 7, dry_run: true, confirmation_token: 'abc' });
    expect(take('pets_delete', args)).toEqual({
      args: { id: 7 },
      controls: { dryRun: true, confirmationToken: 'abc' },
    });
    expect(take('pets_delete', { id: 7 })).toBeUndefined();
  });

  test.each([
    ['id, owner.name', ['id', 'owner.name']],
    [
      ['id', ' name '],
      ['id', 'name'],
    ],
    ['', []],
    ['a,,b', ['a', 'b']],
  ])('reads fields %j', (given, want) => {
    expect(controlsOf('read', false).take('t', { fields: given })?.controls).toEqual({ fields: want });
  });

  test.each([
    ['true', true],
    ['false', false],
    [true, true],
    [false, false],
  ])('reads dry_run %j', (given, want) => {
    expect(controlsOf('write', false).take('t', { dry_run: given })?.controls).toEqual({ dryRun: want });
  });

  test('takes null for "not given"', () => {
    const { take } = controlsOf('write', true);
    expect(take('t', { dry_run: null, confirmation_token: null })).toEqual({ args: {}, controls: {} });
  });

  test.each<[Effect, string, unknown, string]>([
    ['read', 'fields', 7, 'a comma-separated list of at most 100 dot paths, for example "id,owner.name"'],
    ['read', 'fields', [1], 'a comma-separated list of at most 100 dot paths, for example "id,owner.name"'],
    [
      'read',
      'fields',
      'a,'.repeat(101),
      'a comma-separated list of at most 100 dot paths, for example "id,owner.name"',
    ],
    ['write', 'dry_run', 'yes', 'true or false'],
    ['write', 'dry_run', 1, 'true or false'],
    ['write', 'confirmation_token', 7, 'the token a refusal handed you, as a string'],
    ['write', 'confirmation_token', 'x'.repeat(513), 'the token a refusal handed you, as a string'],
  ])('on a %s refuses %s %j', (effect, key, given, expected) => {
    const { take } = controlsOf(effect, true);
    try {
      take('pets', { [key]: given });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(GatewayError);
      expect(error).toMatchObject({
        code: 'VALIDATION',
        message: `Invalid arguments for pets; nothing was sent. Fix and call again:\n1. \`${key}\` must be ${expected}.`,
        details: { tool: 'pets', errors: [{ path: key, message: `must be ${expected}` }] },
      });
    }
  });
});
