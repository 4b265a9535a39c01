// The parts of `npm run bench`: how each is measured, shown, and compared with a saved run.
import { figuresOfCalls, measureCalls, renderCalls } from './calls.mjs';
import { figuresOfCold, measureCold, renderCold } from './cold.mjs';
import { figuresOfConnections, measureConnections, renderConnections } from './connections.mjs';
import { measureIdentity, renderIdentity } from './identity.mjs';
import { measureImport } from './import.mjs';
import { figuresOfImport, IMPORT_ROUNDS, renderImport } from './import-table.mjs';
import { figuresOfProcess, measureProcess, renderProcess } from './in-process.mjs';
import { measureLines, renderLines } from './lines.mjs';
import { figuresOfScale, measureScale, renderScale } from './scale.mjs';
import { figuresOfSpeed, measureSpeed, renderSpeed } from './speed.mjs';

/** Of rows of pairs: the ratios. */
const figuresOfPairs = (rows) =>
  rows.flatMap(({ label, cpu, throughput, spread }) => [
    { label, what: 'CPU/request', value: cpu, spread: spread.cpu, better: 'more' },
    { label, what: 'throughput', value: throughput, spread: spread.throughput, better: 'more' },
  ]);

export const PARTS = {
  speed: { measure: measureSpeed, render: renderSpeed, figures: figuresOfSpeed },
  scale: { measure: measureScale, render: renderScale, figures: figuresOfScale },
  calls: { measure: measureCalls, render: renderCalls, figures: figuresOfCalls },
  lines: { measure: measureLines, render: renderLines, figures: figuresOfPairs },
  identity: { measure: measureIdentity, render: renderIdentity, figures: figuresOfPairs },
  cold: { measure: measureCold, render: renderCold, figures: figuresOfCold },
  connections: { measure: measureConnections, render: renderConnections, figures: figuresOfConnections },
  process: { measure: measureProcess, render: renderProcess, figures: figuresOfProcess },
  import: {
    measure: (options) => measureImport({ ...options, rounds: Math.min(options.rounds, IMPORT_ROUNDS) }),
    render: renderImport,
    figures: figuresOfImport,
  },
};

/** Everything of a run that can be compared with another. */
export function listFigures(results) {
  return Object.entries(PARTS).flatMap(([part, { figures }]) =>
    results[part] === undefined ? [] : figures(results[part]).map((figure) => ({ part, ...figure })),
  );
}
