// The step of npm run build after tsc: what tsc checks and describes (*.d.ts), rolldown puts into few files. A start then opens about 15 of
// ours instead of hundreds, which is a third of its time. The packages of node_modules stay where they are, and so do their updates; but for
// zod, of which every start would open 95 files, most of them languages that nobody speaks here: what is used of it lies in one file
// of ours, and a start takes 70 ms of processor time less.
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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
  ...['cli/v8-flags', 'openapi/import-document', 'workers/in-worker', 'workers/supervise'],
];

/**
 * What is loaded together lies together: files with all that they import and none before them has. None of them may do anything when
 * it is loaded, as the program and the worker do.
 */
const CHUNKS = {
  common: ['errors', 'product', 'config/setting-table'],
  terminal: ['cli/terminal/palette'],
  answers: ['executor/answer/build-answer', 'endpoint/redaction/redact'],
  settings: ['cli/serve/serve'],
  gateway: ['cli/serve/serve-process'],
};

/** Domain files in TypeScript get all of zod, from its package. */
const isPackage = (id: string, importer?: string) =>
  // Whatever is no path, on Windows neither.
  /^(?![./]|[a-z]:\\)/i.test(id) && (id !== 'zod' || importer === src('domain/files/load-module'));
const ZOD = /[\\/]node_modules[\\/]zod[\\/]/;
const zodLicense = readFileSync(join(root, 'node_modules/zod/LICENSE'), 'utf8');

// What an earlier build left there would be packed along. The sample API is tsc's.
for (const file of readdirSync(dist, { recursive: true }) as string[])
  if (/^(?!sample\b).*\.(?:js|wasm)$/.test(file)) rmSync(join(dist, file));

await build({
  input: Object.fromEntries(ENTRIES.map((name) => [name, src(name)])),
  platform: 'node',
  external: isPackage,
  output: {
    dir: dist,
    chunkFileNames: 'chunks/[name].js',
    // Names and lines stay readable in traces; comments are for whoever has the sources.
    comments: false,
    postBanner: ({ name }) => (name === 'zod' ? `/*\n${zodLicense}*/` : ''),
    codeSplitting: {
      groups: [
        { name: 'zod', test: ZOD, priority: Object.keys(CHUNKS).length + 1 },
        ...Object.entries(CHUNKS).map(([name, roots], index, { length }) => {
          const ids = roots.map(src);
          return { name, test: (id: string) => ids.includes(id), priority: length - index };
        }),
      ],
    },
  },
});

// npm makes the file of a command executable when it links it, once: a build must not take that away from an installed command.
chmodSync(join(dist, 'cli/main.js'), 0o755);
