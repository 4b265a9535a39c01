// node bench/capacity.mjs: the capacity model of SCALE.md. Without options it writes the tables of SCALE.md from the figures in
// capacity.json; --measure takes these figures anew on this machine (about ten minutes; the quieter the better); --only redis,points measures
// these alone; --check only says whether
// SCALE.md has them. --calls 5000 --features audit,redis --latency 20 asks the model about another deployment.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findBottlenecks, sizeDeployment } from './capacity-model.mjs';
import { buildTables, MIX, replaceTables } from './capacity-tables.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const FIGURES = here('capacity.json');
const SCALE = here('../SCALE.md');

const { values } = parseArgs({
  options: {
    measure: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string' },
    calls: { type: 'string' },
    features: { type: 'string', default: '' },
    latency: { type: 'string', default: '50' },
  },
});

if (values.measure) {
  const { measureCapacity } = await import('./capacity-measure.mjs');
  const { stopAll } = await import('./processes.mjs');
  try {
    await measureCapacity({
      seconds: Number(values.seconds),
      rounds: Number(values.rounds),
      say: (text) => console.error(text),
      only: values.only?.split(','),
      before: existsSync(FIGURES) ? JSON.parse(readFileSync(FIGURES, 'utf8')) : {},
      // After each part: whatever ends a long measurement takes only its last one.
      save: (figures) => writeFileSync(FIGURES, `${JSON.stringify(figures, null, 2)}\n`),
    });
  } finally {
    await stopAll();
  }
}

const figures = JSON.parse(readFileSync(FIGURES, 'utf8'));
if (values.calls !== undefined) {
  const asked = {
    callsPerSecond: Number(values.calls),
    mix: MIX,
    features: values.features.split(',').filter(Boolean),
    latencyMs: Number(values.latency),
  };
  console.log(
    JSON.stringify({ ...sizeDeployment(figures, asked), bottlenecks: findBottlenecks(figures, asked) }, null, 2),
  );
} else {
  const text = readFileSync(SCALE, 'utf8');
  const wanted = replaceTables(text, buildTables(figures));
  if (values.check && text !== wanted) {
    console.error('The tables of SCALE.md are not those of the figures: node bench/capacity.mjs writes them.');
    process.exitCode = 1;
  } else if (!values.check) writeFileSync(SCALE, wanted);
}
