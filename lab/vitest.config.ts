// The tests of our own tools and the long suites: npm run lab. They start dozens of processes, so npm test leaves them out.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import shared from '../vitest.config.ts';

const { projects: _, ...test } = shared.test!;

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: { ...test, include: ['lab/**/*.test.ts'] },
});
