// Calls that come before the compiler is there: decided as ever, and nobody waits for it.
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { expectCompilerLater, prepareCompiler } from '../../src/schema/check/compile-schema.ts';
import { createSchemaValidator } from '../../src/schema/check/validator.ts';

const isLoaded = () => {
  const { cache, resolve } = createRequire(import.meta.url);
  return cache[resolve('ajv/dist/2020.js')] !== undefined;
};

test('until the compiler is loaded in steps, arguments are checked without it', () => {
  expectCompilerLater();
  const validate = createSchemaValidator({
    type: 'object',
    properties: { count: { type: 'integer', minimum: 1 } },
    additionalProperties: false,
  });
  const decide = () => {
    expect(validate('pets_list', { count: 3 })).toEqual({ count: 3 });
    expect(() => validate('pets_list', { count: 0 })).toThrow(/`count` must be/);
    expect(() => validate('pets_list', { other: 1 })).toThrow(/`other`/);
  };
  decide();
  expect(isLoaded()).toBe(false);
  const loading = prepareCompiler();
  while (!loading.next().done);
  expect(isLoaded()).toBe(true);
  decide();
});
