// The parts of `npm run bench`: how each is measured, shown, and compared with a saved run.
import { figuresOfCalls, measureCalls, renderCalls } from './calls.mjs';
import { figuresOfCold, measureCold, renderCold } from './cold.mjs';
import { figuresOfConnections, measureConnections, renderConnections } from './connections.mjs';
import { measureIdentity, renderIdentity } from './identity.mjs';
import { measureImport } from './import.mjs';
import { figuresOfImport, renderImport } from './import-table.mjs';
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

/** `rounds`: how many there are unless somebody says otherwise; no more than it takes to see a quieter half, or a middle. */
export const PARTS = {
  speed: { measure: measureSpeed, render: renderSpeed, figures: figuresOfSpeed, rounds: 4 },
  scale: { measure: measureScale, render: renderScale, figures: figuresOfScale, rounds: 3 },
  calls: { measure: measureCalls, render: renderCalls, figures: figuresOfCalls, rounds: 3 },
  lines: { measure: measureLines, render: renderLines, figures: figuresOfPairs, rounds: 3 },
  identity: { measure: measureIdentity, render: renderIdentity, figures: figuresOfPairs, rounds: 3 },
  cold: { measure: measureCold, render: renderCold, figures: figuresOfCold, rounds: 5 },
  connections: { measure: measureConnections, render: renderConnections, figures: figuresOfConnections, rounds: 1 },
  process: { measure: measureProcess, render: renderProcess, figures: figuresOfProcess, rounds: 6 },
  import: { measure: measureImport, render: renderImport, figures: figuresOfImport, rounds: 3 },
};

/** Everything of a run that can be compared with another. */
export function listFigures(results) {
  return Object.entries(PARTS).flatMap(([part, { figures }]) =>
    results[part] === undefined ? [] : figures(results[part]).map((figure) => ({ part, ...figure })),
  );
}
