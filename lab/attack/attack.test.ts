// The cases of `npm run attack` as tests. They are judged as there, except for time: a machine that runs tests is busy, so
// only a stall nobody could overlook counts; the table of `npm run attack` has the true figures.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useRealHttp } from '../../test/support/real-http.ts';
import { CASES } from './cases/all.ts';
import { createRunner, type Runner } from './runner.ts';

useRealHttp();

const PARTS = {
  A: 'no input holds the event loop',
  B: 'the operator decides, not the document, not the caller',
  C: 'doors',
  D: 'who calls, and what they may do',
} as const;

let runner: Runner;
beforeAll(async () => {
  runner = await createRunner({ stallMs: 2_000, growthMb: 300 });
});
afterAll(() => runner.close());

describe.each(Object.entries(PARTS))('%s: %s', (part) => {
  test.each(CASES.filter((one) => one.part === part).map((one) => [one.id, one] as const))('%s', async (_id, one) => {
    const { ok, reason } = await runner.run(one);
    expect({ ok, reason }).toEqual({ ok: true, reason: '' });
  });
});
