import { describe, expect, test } from 'vitest';
import { DEFAULT_RESPONSE, type ResponsePlan } from '../../src/endpoint/model.ts';
import { GatewayError } from '../../src/errors.ts';
import { buildControls, type ControlOptions, mayAnswerJson, mergeControls } from '../../src/orchestration/controls.ts';

const OFFERS = {
  read: { fields: 'advertised', token: false },
  write: { fields: 'advertised', token: false },
  guarded: { fields: 'advertised', token: true },
  silent: { fields: 'useless', token: true },
  native: { fields: 'none', token: false },
} as const satisfies Record<string, ControlOptions>;

const controlsOf = (offer: keyof typeof OFFERS, ...own: string[]) => buildControls(new Set(own), OFFERS[offer]);
const keysOf = (offer: keyof typeof OFFERS, ...own: string[]) => Object.keys(controlsOf(offer, ...own).schemas);

describe('the controls that the gateway adds', () => {
  test('are `dry_run` everywhere, `fields` for JSON answers, and a token if one may confirm', () => {
    expect(keysOf('read')).toEqual(['fields', 'dry_run']);
    expect(keysOf('write')).toEqual(['fields', 'dry_run']);
    expect(keysOf('guarded')).toEqual(['fields', 'dry_run', 'confirmation_token']);
    expect(keysOf('silent')).toEqual(['dry_run', 'confirmation_token']);
    expect(keysOf('native')).toEqual(['dry_run']);
  });

  test('get another name if the API has an argument of that name', () => {
    expect(keysOf('read', 'fields')).toEqual(['landbridge_fields', 'dry_run']);
    expect(keysOf('guarded', 'dry_run', 'landbridge_dry_run', 'confirmation_token')).toEqual([
      'fields',
      'landbridge_landbridge_dry_run',
      'landbridge_confirmation_token',
    ]);
    const plan = controlsOf('guarded', 'confirmation_token');
    expect(plan.keys).toEqual({
      fields: 'fields',
      dry_run: 'dry_run',
      confirmation_token: 'landbridge_confirmation_token',
    });
    expect(plan.take('t', { confirmation_token: 'the API’s own' })).toBeUndefined();
    expect(controlsOf('read', 'confirmation_token').take('t', { confirmation_token: 'the API’s own' })).toBeUndefined();
  });

  test('accept `fields` without a JSON answer, because operations share a schema in grouped and search mode', () => {
    expect(controlsOf('silent').take('t', { fields: 'id' })).toEqual({ args: {}, controls: { fields: ['id'] } });
  });

  test('say that an operation takes no token', () => {
    expect(() => controlsOf('read').take('t', { confirmation_token: 'x' })).toThrow(
      '1. `confirmation_token` must be left out: this operation takes no confirmation token.',
    );
    expect(controlsOf('read').take('t', { confirmation_token: null })).toBeUndefined();
  });

  test('are taken out of the arguments, and the others stay as they were', () => {
    const { take } = controlsOf('guarded', 'id');
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
    expect(controlsOf('read').take('t', { fields: given })?.controls).toEqual({ fields: want });
  });

  test.each([
    ['true', true],
    ['false', false],
    [true, true],
    [false, false],
  ])('reads dry_run %j', (given, want) => {
    expect(controlsOf('write').take('t', { dry_run: given })?.controls).toEqual({ dryRun: want });
  });

  test('are not given if they are null', () => {
    const { take } = controlsOf('guarded');
    expect(take('t', { dry_run: null, confirmation_token: null })).toEqual({ args: {}, controls: {} });
  });

  test.each<[string, unknown, string]>([
    ['fields', 7, 'a comma-separated list of at most 100 dot paths, for example "id,owner.name"'],
    ['fields', [1], 'a comma-separated list of at most 100 dot paths, for example "id,owner.name"'],
    ['fields', 'a,'.repeat(101), 'a comma-separated list of at most 100 dot paths, for example "id,owner.name"'],
    ['dry_run', 'yes', 'true or false'],
    ['dry_run', 1, 'true or false'],
    ['confirmation_token', 7, 'the token from the refusal, as a string'],
    ['confirmation_token', 'x'.repeat(513), 'the token from the refusal, as a string'],
  ])('refuses %s %j', (key, given, expected) => {
    const { take } = controlsOf('guarded');
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

describe('an operation answers JSON', () => {
  const endpointWith = (response: Partial<ResponsePlan>, method = 'GET') => ({
    method,
    response: { ...DEFAULT_RESPONSE, ...response },
  });

  test.each<[string, ReturnType<typeof endpointWith>, boolean]>([
    ['where nothing is declared', endpointWith({}), true],
    ['where JSON of a vendor is', endpointWith({ accept: 'application/vnd.api+json, */*;q=0.5' }, 'POST'), true],
    ['where it comes in lines', endpointWith({ accept: 'application/x-ndjson, */*;q=0.5' }), true],
    ['where anything may come', endpointWith({ accept: '*/*' }), true],
    ['not where only a table comes', endpointWith({ accept: 'text/csv, */*;q=0.5' }), false],
    ['not where only files come', endpointWith({ accept: 'application/pdf, image/png, */*;q=0.5' }), false],
    ['not where nothing comes', endpointWith({ empty: true }, 'DELETE'), false],
    ['not where it is wanted as text', endpointWith({ format: 'text' }), false],
    ['not to HEAD', endpointWith({}, 'HEAD'), false],
  ])('%s', (_, endpoint, answersJson) => {
    expect(mayAnswerJson(endpoint)).toBe(answersJson);
  });
});

describe('controls beside the arguments', () => {
  test('are added to the arguments under the name that the operation expects', () => {
    const { keys } = controlsOf('guarded', 'fields');
    const beside = { operation: 'x', fields: 'id', dry_run: true, confirmation_token: null };
    expect(mergeControls('t', { fields: 'the API’s own' }, beside, keys)).toEqual({
      fields: 'the API’s own',
      landbridge_fields: 'id',
      dry_run: true,
    });
    // Beside, nobody needs the other name.
    expect(mergeControls('t', {}, { landbridge_fields: 'id' }, keys)).toEqual({});
  });

  test('never become an argument of the API', () => {
    const { keys } = controlsOf('write', 'confirmation_token');
    expect(() => mergeControls('t', {}, { confirmation_token: 'x' }, keys)).toThrow(
      '`confirmation_token` must be left out: this operation takes no confirmation token.',
    );
  });

  test('may be repeated in the arguments, but only with the same value', () => {
    const { keys } = controlsOf('guarded');
    expect(mergeControls('t', { dry_run: true }, { dry_run: true }, keys)).toEqual({ dry_run: true });
    expect(mergeControls('t', { dry_run: null }, { dry_run: true }, keys)).toEqual({ dry_run: true });
    expect(() => mergeControls('t', { dry_run: true }, { dry_run: false }, keys)).toThrow(
      '`dry_run` must be given once: its value beside `arguments` differs from the one inside.',
    );
  });
});
