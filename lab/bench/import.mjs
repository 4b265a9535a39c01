// Start-up with a large OpenAPI document, until tools/list is ready, beside parsing the same document alone, as it is and as
// JSON: time and peak memory, each start in its own process, in alternating order.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { CACHE, SPECS } from './cache.mjs';
import { median } from './pairs.mjs';
import { pinned } from './processes.mjs';

const CHILD = fileURLToPath(new URL('import-child.mjs', import.meta.url));
/** With what each exposure may take, as a multiple of its own parse; none where none was agreed on. */
const DOCUMENTS = {
  'github-3.0.json': { auto: 3, tools: 6 },
  'kubernetes-2.0.json': {},
  'stripe-3.0.yaml': { auto: 1.25, tools: 2 },
};
const EXPOSURES = ['auto', 'tools'];

/** Rows of ratios to parsing, or undefined where the documents are not present. */
export async function measureImport({ rounds, onRound }) {
  const present = Object.keys(DOCUMENTS).filter((name) => existsSync(join(SPECS, name)));
  if (present.length === 0) return undefined;
  const cases = present.flatMap((name) => {
    const document = join(SPECS, name);
    const json = toJsonFile(document, name);
    return EXPOSURES.map((exposure) => ({ name, document, json, exposure, taken: [] }));
  });
  for (let round = 0; round < rounds; round++) {
    for (const { document, json, exposure, taken } of cases) {
      const parse = () => run(['parse', document]);
      const ours = () => run(['gateway', document, exposure]);
      const pair =
        round % 2 === 0 ? { parse: await parse(), ours: await ours() } : { ours: await ours(), parse: await parse() };
      taken.push({ ...pair, json: json === document ? pair.parse : await run(['parse', json]) });
    }
    onRound?.(round + 1);
  }
  return cases.map(({ name, exposure, taken }) => {
    const middle = (of) => median(taken.map(of));
    return {
      label: `${name}, exposure ${exposure}`,
      aim: DOCUMENTS[name][exposure],
      time: middle(({ ours, parse }) => ours.ms / parse.ms),
      cpu: middle(({ ours, parse }) => ours.cpuMs / parse.cpuMs),
      json: middle(({ ours, json }) => ours.ms / json.ms),
      process: middle(({ ours, parse }) => ours.processMs / parse.processMs),
      memory: middle(({ ours, parse }) => ours.peakMb / parse.peakMb),
      ms: middle(({ ours }) => ours.ms),
      parseMs: middle(({ parse }) => parse.ms),
      jsonMs: middle(({ json }) => json.ms),
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
