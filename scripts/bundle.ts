// The step of npm run build after tsc: tsc checks and writes types (*.d.ts), rolldown puts the code into few files. A start then opens
// about 15 of our files instead of hundreds, which saves two thirds of its time. Packages stay in node_modules, where they can be
// updated. The exception is zod, of which every start would open 95 files, most of them translations: what is used of it is in one file
// of ours, and a start takes 70 ms of processor time less.
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const src = (file: string) => join(root, 'src', `${file}.ts`);

/** What package.json names, then what benchmarks and tests import from dist. Each becomes a file that only re-exports chunks. */
const ENTRIES = [
  ...['cli/main', 'index', 'executor/answer/answer-worker'],
  ...['catalog/tokens', 'domain/load', 'gateway', 'log', 'log-writer', 'executor/answer/answer-threads'],
  ...['cli/v8-flags', 'openapi/import-document', 'workers/in-worker', 'workers/supervise'],
];

/**
 * What is loaded together is in one chunk: each of these files, with everything it imports that is in no chunk before. None of them
 * may have side effects when it is loaded, as the program and the worker have.
 */
const CHUNKS = {
  common: ['errors', 'product', 'config/setting-table'],
  terminal: ['cli/terminal/palette'],
  answers: ['executor/answer/build-answer', 'endpoint/redaction/redact'],
  settings: ['cli/serve/serve'],
  gateway: ['cli/serve/serve-process'],
};

/** What stays in node_modules. Domain files in TypeScript get all of zod, from its package. */
const isPackage = (id: string, importer?: string) =>
  // Anything that is not a path, on Windows either.
  /^(?![./]|[a-z]:\\)/i.test(id) && (id !== 'zod' || importer === src('domain/files/load-module'));
const ZOD = /[\\/]node_modules[\\/]zod[\\/]/;
const zodLicense = readFileSync(join(root, 'node_modules/zod/LICENSE'), 'utf8');

// Files of an earlier build would be packed too. Those of the sample API are written by tsc.
for (const file of readdirSync(dist, { recursive: true }) as string[])
  if (/^(?!sample\b).*\.(?:js|wasm)$/.test(file)) rmSync(join(dist, file));

await build({
  input: Object.fromEntries(ENTRIES.map((name) => [name, src(name)])),
  platform: 'node',
  external: isPackage,
  output: {
    dir: dist,
    chunkFileNames: 'chunks/[name].js',
    // Names and lines stay readable in stack traces; comments stay in the sources.
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

// npm makes the file of a command executable once, when it links it. A build must not undo that for an installed command.
chmodSync(join(dist, 'cli/main.js'), 0o755);
