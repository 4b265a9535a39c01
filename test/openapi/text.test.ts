// Texts from documents: readable, short, without invisible characters.
import { describe, expect, test } from 'vitest';
import { importOne, openapi, properties } from './support.ts';

describe('in an endpoint', () => {
  test('summary, description, title and the words of schemas are cleaned', async () => {
    const endpoint = await importOne(
      openapi({
        '/x': {
          get: {
            summary: 'Get\u202E [x](https://evil.example).',
            description: '<b>All</b>\u{E0041} of it.',
            parameters: [
              {
                name: 'q',
                in: 'query',
                schema: {
                  type: 'object',
                  properties: { a: { description: 'in\u200Bner [z](https://y.example)', title: 'T\u001b[1m' } },
                },
              },
            ],
          },
        },
      }),
    );
    expect(endpoint).toMatchObject({ summary: 'Get x.', title: 'Get x', description: 'All of it.' });
    expect(properties(endpoint).q).toEqual({
      type: 'object',
      properties: { a: { description: 'inner z', title: 'T' } },
    });
  });

  test('a summary of several sentences is also the description, if there is none', async () => {
    const of = async (words: object) => {
      const { summary, description } = await importOne(openapi({ '/a': { get: { operationId: 'a', ...words } } }));
      return { summary, description };
    };
    const summary = 'Internal. Shows who calls.';
    expect(await of({ summary })).toEqual({ summary: 'Internal.', description: summary });
    expect(await of({ summary, description: 'All of it.' })).toEqual({
      summary: 'Internal.',
      description: 'All of it.',
    });
    expect(await of({ summary: 'Shows who calls' })).toEqual({ summary: 'Shows who calls', description: undefined });
  });

  test('a summary is never empty', async () => {
    expect((await importOne(openapi({ '/a/{b}': { delete: {} } }))).summary).toBe('DELETE /a/{b}');
    expect(
      (await importOne(openapi({ '/a': { get: { operationId: 'listAll', summary: '  ', description: '<br>' } } })))
        .summary,
    ).toBe('List all a (GET /a).');
    expect((await importOne(openapi({ '/a': { get: { description: 'Does it. And more.' } } }))).summary).toBe(
      'Does it.',
    );
    expect((await importOne(openapi({ '/a': { summary: 'From the path.', get: {} } }))).summary).toBe('From the path.');
  });
});
