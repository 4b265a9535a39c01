// node lab/capacity/capacity.mjs: the capacity model of SCALE.md. Without options it writes the tables of SCALE.md from the figures in
// capacity.json.
//   --measure                  takes these figures anew, on a machine that does nothing else (about ten minutes)
//   --measure --only one,two   these parts alone, beside the figures that are there; --parts lists them
//   --check                    only says whether SCALE.md has the tables, and how far the model is off
//   --calls 5000 --features audit,redis --latency 20   asks the model about another deployment
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from '../bench/pairs.mjs';
import { findBottlenecks, findNoisy, MIX, predictPoints, sizeDeployment, withPrice } from './capacity-model.mjs';
import { buildTables, replaceTables } from './capacity-tables.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const FIGURES = here('capacity.json');
const SCALE = here('../../SCALE.md');

const { values } = parseArgs({
  options: {
    measure: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    parts: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '8' },
    only: { type: 'string' },
    calls: { type: 'string' },
    features: { type: 'string', default: '' },
    latency: { type: 'string', default: '50' },
  },
});

if (values.parts || values.measure) {
  const { MEASURED_PARTS } = await import('./capacity-parts.mjs');
  const { measureCapacity } = await import('./capacity-measure.mjs');
  const { stopAll } = await import('../bench/processes.mjs');
  if (values.parts) {
    console.log(MEASURED_PARTS.join('\n'));
    process.exit(0);
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stopAll().then(() => process.exit(1)));
  try {
    await measureCapacity({
      seconds: Number(values.seconds),
      rounds: Number(values.rounds),
      say: (text) => console.error(`${Math.round(performance.now() / 1_000)} s: ${text}`),
      only: values.only?.split(','),
      before: existsSync(FIGURES) ? JSON.parse(readFileSync(FIGURES, 'utf8')) : {},
      // After each group: whatever ends a long measurement only loses its last one.
      save: (figures) => writeFileSync(FIGURES, `${JSON.stringify(figures, null, 2)}\n`),
    });
  } finally {
    await stopAll();
  }
}

const figures = readFigures();
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
    console.error('The tables of SCALE.md are not those of the figures: node lab/capacity/capacity.mjs writes them.');
    process.exitCode = 1;
  } else if (!values.check) writeFileSync(SCALE, wanted);
  judge(figures);
}

/** The prices are fitted to the points where these are new, and kept with them. */
function readFigures() {
  try {
    const figures = JSON.parse(readFileSync(FIGURES, 'utf8'));
    if (figures.price !== undefined) return figures;
    const whole = withPrice(figures);
    writeFileSync(FIGURES, `${JSON.stringify(whole, null, 2)}\n`);
    return whole;
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

/** Whether this was worth measuring. */
function judge({ points }) {
  const errors = predictPoints(figures).map(({ error }) => Math.abs(error));
  const percent = (share) => `${Math.round(share * 100)} %`;
  console.error(
    `The model is off by ${percent(median(errors))} in the middle of ${errors.length} points, by ${percent(Math.max(...errors))} at most.`,
  );
  const noisy = findNoisy(points);
  if (noisy.length === 0) return;
  console.error(
    `Others were in the way, on this machine or beside it: node lab/capacity/capacity.mjs --measure --only ${noisy.join(',')} takes these again.`,
  );
  process.exitCode = 1;
}
