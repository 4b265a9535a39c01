import { describe, expect, test } from 'vitest';
import { describeBriefly, describeEndpoint } from '../../src/catalog/endpoint-text.ts';
import type { JsonSchema } from '../../src/endpoint/model.ts';
import { Description } from '../../src/schema/portable/description.ts';
import { type SlimOptions, slimField } from '../../src/schema/slim.ts';
import { anEndpoint } from '../catalog/support.ts';

type Slim = { description: string };

const brief = { maxText: 60, oneSentence: true, examples: false, limits: false } as const;
const whole = { maxText: 200, oneSentence: false, examples: true, limits: true } as const;

/** A field whose name says nothing: only its schema is slimmed. */
const slimmed = (schema: JsonSchema, options: SlimOptions) => slimField('zz', schema, options);

describe('a slim schema', () => {
  test('keeps the first sentence, or all of them, and cuts at words', () => {
    const schema = { type: 'string', title: 'T', description: 'First thing. Second thing.', maxLength: 50 };
    expect(slimmed(schema, brief)).toEqual({ type: 'string', description: 'First thing' });
    expect(slimmed(schema, whole)).toEqual({
      type: 'string',
      description: 'First thing. Second thing',
      maxLength: 50,
    });
    const long = slimmed({ type: 'string', description: 'word '.repeat(50) }, brief) as { description: string };
    expect(long.description.length).toBeLessThanOrEqual(60);
  });

  test('shows an example only if it shows a form', () => {
    const text = (example: string) =>
      (slimmed({ type: 'string', description: new Description('The customer.', { example }) }, whole) as Slim)
        .description;
    expect(text('"U024BE7LH"')).toBe('The customer e.g. "U024BE7LH"');
    expect(text('"doggie"')).toBe('The customer');
    expect(text('10')).toBe('The customer');
    const said = { type: 'string', description: 'The id. Example: "U024BE7LH".' };
    expect((slimmed(said, whole) as Slim).description).toBe('The id. Example: "U024BE7LH"');
  });

  test('keeps the names of fields that are not shown', () => {
    const fields = 'Fields: login (required), team';
    const schema = {
      type: 'object',
      description: new Description(`The owner of it. ${fields}. Shortened.`, { fields }),
    };
    expect(slimmed(schema, brief)).toEqual({
      type: 'object',
      description: 'The owner of it. Fields: login (required), team',
    });
  });

  test('leaves out limits that are hardly ever reached', () => {
    expect(slimmed({ type: 'string', minLength: 0, maxLength: 5000, pattern: '^a' }, whole)).toEqual({
      type: 'string',
      pattern: '^a',
    });
  });

  test('works at every depth', () => {
    const schema = {
      type: 'array',
      items: {
        anyOf: [
          { type: 'object', properties: { a: { type: 'string', title: 'A', description: 'One. Two.' } } },
          { type: 'string' },
        ],
      },
    };
    expect(slimmed(schema, brief)).toEqual({
      type: 'array',
      items: {
        anyOf: [{ type: 'object', properties: { a: { type: 'string', description: 'One' } } }, { type: 'string' }],
      },
    });
  });
});

describe('slimField()', () => {
  test.each([
    ['petId', 'ID of pet that needs to be updated', true],
    ['userStatus', 'User Status', true],
    ['username', 'The name that needs to be fetched', false],
    ['state', 'Either open or closed', false],
  ])('%s: "%s" only repeats the name: %s', (name, description, empty) => {
    const slim = slimField(name, { type: 'string', description }, whole, 'update_pet') as { description?: string };
    expect(slim.description === undefined).toBe(empty);
  });
});

describe('describeEndpoint()', () => {
  const text = (summary: string, description?: string, more = {}) =>
    describeEndpoint(anEndpoint('d', 'a', { summary, ...(description !== undefined && { description }), ...more }));

  test.each([
    ['Create an issue', undefined, 'Create an issue.'],
    ['Create an issue', 'Create an issue.', 'Create an issue.'],
    ['Update an existing pet', 'Update an existing pet by Id.', 'Update an existing pet by Id.'],
    [
      'Create an issue',
      'Any user with pull access can create an issue.',
      'Create an issue. Any user with pull access can create an issue.',
    ],
    [
      'Get it',
      'Gets it. For more information, see "Things." Limited to 10 per hour.',
      'Gets it. Limited to 10 per hour.',
    ],
    ['**Bold** [link](https://x.test)', undefined, 'Bold link.'],
  ])('joins %s and %s', (summary, description, want) => {
    expect(text(summary, description)).toBe(want);
  });

  test('is never empty, never too long, and mentions deprecation', () => {
    expect(text('')).toBe('GET /a.');
    const long = text('Do it', 'Sentence of words. '.repeat(300), { deprecated: true });
    expect(long.length).toBeLessThanOrEqual(1_024);
    expect(long).toMatch(/ Deprecated\.$/);
  });

  test('is one line in lists', () => {
    expect(describeBriefly(anEndpoint('d', 'a', { summary: 'List them. And more.' }), 50)).toBe('List them');
    expect(describeBriefly(anEndpoint('d', 'a', { summary: 'word '.repeat(40) }), 50).length).toBeLessThanOrEqual(50);
  });
});
