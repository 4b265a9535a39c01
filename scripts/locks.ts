// The lock files of the project: its own, and that of the conformance suite, which is installed apart.
import { fileURLToPath } from 'node:url';

export const LOCKS: readonly string[] = ['../package-lock.json', '../test/conformance/suite/package-lock.json'].map(
  (path) => fileURLToPath(new URL(path, import.meta.url)),
);
