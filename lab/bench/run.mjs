// npm run bench: every number is measured in this run, on this machine, beside what it is compared with. bench/README.md says
// how to read it.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { compareFigures, renderComparison } from './compare.mjs';
import { generatorOf } from './load.mjs';
import { HELP, parseOptions } from './options.mjs';
import { listFigures, PARTS } from './parts.mjs';
import { CORES, stopAll } from './processes.mjs';

const progress = (text) => {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
};

async function bench(options) {
  const print = (text) => options.json || console.log(text);
  const saved = options.compare && JSON.parse(readFileSync(options.compare, 'utf8'));
  const results = describeRun(options);
  for (const name of options.parts) {
    const { measure, render, rounds } = PARTS[name];
    const settings = { ...options, rounds: options.rounds ?? rounds };
    const onRound = (what) => progress(`${name}: ${what}`);
    results[name] = await measure({ ...settings, onRound });
    progress('');
    await stopAll();
    print(render(results[name], settings));
    // After each part: whatever ends a long measurement takes only its last one.
    if (options.save) writeFileSync(options.save, `${JSON.stringify(results, null, 2)}\n`);
  }
  if (saved) {
    results.comparison = compareFigures(listFigures(saved), listFigures(results));
    print(renderComparison(results.comparison, saved, results));
  }
  if (options.json) console.log(JSON.stringify(results, null, 2));
}

function describeRun({ seconds }) {
  const all = cpus();
  return {
    at: new Date().toISOString(),
    node: process.version,
    machine: `${all[0]?.model.trim()}, ${all.length} cores`,
    generator: generatorOf(seconds),
    pinned: CORES !== undefined,
  };
}

// Whoever ends it early leaves nothing running behind.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => stopAll().finally(() => process.exit(1)));
}

try {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) console.log(HELP);
  else await bench(options);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await stopAll();
}
