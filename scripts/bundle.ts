// The last step of npm run build: what tsc checks and describes (*.d.ts), rolldown puts into few files. A start then opens a dozen of ours
// instead of 470, which is a third of its time. The packages of node_modules stay where they are, and so do their updates.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const src = (file: string) => join(root, 'src', `${file}.ts`);

/** What package.json names, and below it rooms that benchmarks and tests look into; each a line that leads to the same modules. */
const ENTRIES = [
  ...['cli/main', 'index', 'executor/answer/answer-worker'],
  ...['catalog/tokens', 'domain/load', 'gateway', 'log', 'log-writer', 'executor/answer/answer-threads'],
  ...['openapi/import-document', 'workers/in-worker', 'workers/supervise'],
];

/**
 * What is loaded together lies together: files with all that they import and none before them has. None of them may do anything when
 * it is loaded, as the program and the worker do.
 */
const CHUNKS = {
  common: ['errors', 'product'],
  answers: ['executor/answer/build-answer', 'endpoint/redaction/redact'],
  settings: ['cli/serve/serve'],
  gateway: ['cli/serve/serve-process'],
};

// What an earlier build left there would be packed along. The sample API is tsc's.
for (const file of readdirSync(dist, { recursive: true }) as string[])
  if (/^(?!sample\b).*\.js$/.test(file)) rmSync(join(dist, file));

await build({
  input: Object.fromEntries(ENTRIES.map((name) => [name, src(name)])),
  platform: 'node',
  // Whatever is no path, on Windows neither.
  external: /^(?![./]|[a-z]:\\)/i,
  output: {
    dir: dist,
    chunkFileNames: 'chunks/[name].js',
    // Names and lines stay readable in traces; comments are for whoever has the sources.
    comments: false,
    codeSplitting: {
      groups: Object.entries(CHUNKS).map(([name, roots], index, { length }) => {
        const ids = roots.map(src);
        return { name, test: (id) => ids.includes(id), priority: length - index };
      }),
    },
  },
});
