// The lock files of the project: its own, and those of what is installed apart, for the conformance suite and `npm run real`.
import { fileURLToPath } from 'node:url';

export const LOCKS: readonly string[] = [
  '../package-lock.json',
  '../lab/conformance/suite/package-lock.json',
  '../lab/real/packages/frameworks/package-lock.json',
  '../lab/real/packages/prism/package-lock.json',
  '../lab/real/packages/directus/package-lock.json',
].map((path) => fileURLToPath(new URL(path, import.meta.url)));
