import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Middleware } from '../../src/call/handler.ts';
import { compileChains } from '../../src/catalog/grouped/strategies.ts';
import { requiredFields } from '../../src/schema/required-fields.ts';
import { aCall } from './support.ts';

describe('compileChains()', () => {
  test('runs global middleware first, then that of the group, that of the action, and the handler', async () => {
    const seen: string[] = [];
    const step =
      (name: string): Middleware =>
      async (_call, _args, next) => {
        seen.push(`${name} in`);
        const outcome = await next();
        seen.push(`${name} out`);
        return outcome;
      };
    const chains = compileChains(
      [
        {
          key: 'a',
          middleware: [step('group'), step('action')],
          recheck: (_context, changed) => changed,
          handler: async (_call, args) => {
            seen.push(`handler ${JSON.stringify(args)}`);
            return { content: [], isError: false };
          },
        },
      ],
      [step('first'), step('second')],
    );
    await chains.get('a')!(aCall('t/a'), { x: 1 });
    expect(seen).toEqual([
      'first in',
      'second in',
      'group in',
      'action in',
      'handler {"x":1}',
      'action out',
      'group out',
      'second out',
      'first out',
    ]);
  });
});

describe('requiredFields()', () => {
  test('finds the required fields of zod schemas', () => {
    const schema = z.object({
      must: z.string(),
      may: z.string().optional(),
      defaulted: z.number().default(1),
      nullable: z.string().nullable(),
      nullish: z.string().nullish(),
    });
    expect(requiredFields(schema)).toEqual(['must', 'nullable']);
  });

  test('finds the required fields of JSON Schema', () => {
    expect(requiredFields({ type: 'object', required: ['a', 'b'] })).toEqual(['a', 'b']);
    expect(requiredFields({ type: 'object' })).toEqual([]);
    expect(requiredFields(undefined)).toEqual([]);
    expect(requiredFields(true)).toEqual([]);
  });
});
