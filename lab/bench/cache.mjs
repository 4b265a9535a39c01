// Scratch files of the benchmarks, and where the raw limit and its upstream come from: the project's shared harness
// where it is present (copied, so that its imports resolve here), else limit.mjs and upstream.mjs of this folder.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildLabDocument } from './documents.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
export const CACHE = here('../../node_modules/.cache/landbridge-bench');
export const SPECS = here('../../../shared/specs');
const SHARED = here('../../../shared/bench');
mkdirSync(CACHE, { recursive: true });

/** { name, limit, upstream, document }: paths of the scripts and of the OpenAPI document. `isShared`: LIMIT_SETTINGS may ask for more. */
export function prepareLab(own = false) {
  if (own || !existsSync(join(SHARED, 'servers/raw.mjs'))) {
    const document = join(CACHE, 'lab.json');
    writeFileSync(document, JSON.stringify(buildLabDocument()));
    return { name: 'lab/bench/limit.mjs', limit: here('limit.mjs'), upstream: here('upstream.mjs'), document };
  }
  const copy = join(CACHE, 'shared');
  for (const file of ['servers/raw.mjs', 'servers/upstream.mjs', 'specs/lab.json', 'specs/lab-tools.json']) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), readFileSync(join(SHARED, file)));
  }
  return {
    name: 'shared/bench/servers/raw.mjs',
    isShared: true,
    limit: join(copy, 'servers/raw.mjs'),
    upstream: join(copy, 'servers/upstream.mjs'),
    document: join(copy, 'specs/lab.json'),
  };
}

/** Both limits read these: node:http in, Pool.dispatch out, the upstream's text spliced into the answer. */
export const LIMIT_SETTINGS = { SRV: 'raw', UP: 'dispatch', DISP: 'pool', CONN: '64', WRAP: 'splice', REPLY: 'string' };
