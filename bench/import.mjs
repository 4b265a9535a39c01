// Start-up with a large OpenAPI document, until tools/list is ready, beside JSON.parse of the same document alone: time
// and peak memory, each start in its own process, in alternating order.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { CACHE, SPECS } from './cache.mjs';
import { median } from './pairs.mjs';
import { pinned } from './processes.mjs';

const CHILD = fileURLToPath(new URL('import-child.mjs', import.meta.url));
const DOCUMENTS = ['github-3.0.json', 'stripe-3.0.yaml'];
const EXPOSURES = ['auto', 'tools'];

/** Rows of ratios to parsing, or undefined where the documents are not present. */
export async function measureImport({ rounds, onRound }) {
  const present = DOCUMENTS.filter((name) => existsSync(join(SPECS, name)));
  if (present.length === 0) return undefined;
  const cases = present.flatMap((name) => {
    const document = join(SPECS, name);
    const json = toJsonFile(document, name);
    return EXPOSURES.map((exposure) => ({ name, document, json, exposure, taken: [] }));
  });
  for (let round = 0; round < rounds; round++) {
    for (const { document, json, exposure, taken } of cases) {
      const parse = () => run(['parse', json]);
      const ours = () => run(['gateway', document, exposure]);
      if (round % 2 === 0) taken.push({ parse: await parse(), ours: await ours() });
      else taken.push({ ours: await ours(), parse: await parse() });
    }
    onRound?.(round + 1);
  }
  return cases.map(({ name, exposure, taken }) => {
    const middle = (of) => median(taken.map(of));
    return {
      label: `${name}, exposure ${exposure}`,
      time: middle(({ ours, parse }) => ours.ms / parse.ms),
      cpu: middle(({ ours, parse }) => ours.cpuMs / parse.cpuMs),
      process: middle(({ ours, parse }) => ours.processMs / parse.processMs),
      memory: middle(({ ours, parse }) => ours.peakMb / parse.peakMb),
      ms: middle(({ ours }) => ours.ms),
      parseMs: middle(({ parse }) => parse.ms),
      peakMb: middle(({ ours }) => ours.peakMb),
      parsePeakMb: middle(({ parse }) => parse.peakMb),
      tools: taken[0].ours.tools,
    };
  });
}

/** JSON.parse needs JSON: a YAML document is converted once. */
function toJsonFile(document, name) {
  if (name.endsWith('.json')) return document;
  const json = join(CACHE, `${name}.json`);
  if (!existsSync(json) || statSync(json).mtimeMs < statSync(document).mtimeMs) {
    writeFileSync(json, JSON.stringify(load(readFileSync(document, 'utf8'))));
  }
  return json;
}

function run(args) {
  const [program, ...rest] = pinned('gateway', [process.execPath, CHILD, ...args]);
  return new Promise((resolve, reject) => {
    execFile(program, rest, (error, stdout) => (error ? reject(error) : resolve(JSON.parse(stdout))));
  });
}
