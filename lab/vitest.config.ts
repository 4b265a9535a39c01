// The tests of our own tools and the long suites: npm run lab. They start dozens of processes, so npm test leaves them out.
import { fileURLToPath } from 'node:url';
import { defineConfig, mergeConfig } from 'vitest/config';
import shared from '../vitest.config.ts';

const config = mergeConfig(shared, defineConfig({ root: fileURLToPath(new URL('..', import.meta.url)) }));

export default { ...config, test: { ...config.test, include: ['lab/**/*.test.ts'] } };
