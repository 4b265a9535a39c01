import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/setup.ts'],
    // The machine may be shared and slow; nothing here asserts on time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A submission must not fail for a hiccup of a shared machine; on a desk every flake shows.
    retry: process.env.CI ? 1 : 0,
  },
});
