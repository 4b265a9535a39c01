import { defineConfig } from 'vitest/config';
import { ClosingReporter } from './test/support/closing-reporter.ts';

/** They change what a process has once (environment, folder, signals, flags), or look at what it loads. */
const ALONE = [
  'test/{workers,documentation,executor,credentials,outbound}/**/*.test.ts',
  'test/{identity/api-keys,schema/compiler-later,state/tokens}.test.ts',
];

export default defineConfig({
  test: {
    setupFiles: ['test/support/setup.ts'],
    // The machine may be shared and slow; nothing here asserts on time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Vitest leaves one core alone; on two that would be half of them.
    maxWorkers: '100%',
    // What was compiled once is kept in node_modules/.experimental-vitest-cache: most of the time of a small run is that.
    experimental: { fsModuleCache: !process.env.CI },
    // CI repeats a failed test once and the reporter names it; on a desk every flake fails at once.
    retry: process.env.CI ? 1 : 0,
    reporters: ['default', new ClosingReporter()],
    projects: [
      // Files that share a process load the modules of src once, which halves the time of most of them.
      { extends: true, test: { name: 'shared', include: ['test/**/*.test.ts'], exclude: ALONE, isolate: false } },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
});
