// Measures what the capacity model is made of. How quick a virtual machine is changes from second to second with what runs beside it on the same
// silicon (the same work took 8.5 to 15 ms on one that was idle otherwise), so figures that are to be compared must not be taken one after the
// other: what belongs together is started first, and all its loads are sampled in turn, round by round. Each meets quick and slow seconds alike.
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { prepareLab } from '../bench/cache.mjs';
import { stopAll } from '../bench/processes.mjs';
import { startUpstream } from '../bench/servers.mjs';
import { SERIES } from './capacity-model.mjs';
import { GROUPS, MEASURED_PARTS, preparePart } from './capacity-parts.mjs';

/** `only`: the parts that are measured; of the others `before` has the figures. */
export async function measureCapacity({ seconds, rounds, say, only = MEASURED_PARTS, before = {}, save }) {
  const strange = only.find((part) => !MEASURED_PARTS.includes(part));
  if (strange !== undefined) throw new Error(`There is no "${strange}": there are ${MEASURED_PARTS.join(', ')}.`);
  let figures = before;
  for (const group of GROUPS.map((parts) => parts.filter((part) => only.includes(part)))) {
    if (group.length === 0) continue;
    figures = await measureGroup(group, figures, { seconds, rounds, say });
    save(figures);
  }
}

async function measureGroup(group, before, { seconds, rounds, say }) {
  const folder = mkdtempSync(join(tmpdir(), 'landbridge-capacity-'));
  const lab = prepareLab(true);
  const bench = { folder, lab, upstream: await startUpstream(lab), seconds };
  try {
    const parts = [];
    for (const part of group) {
      say(`warming up: ${part}`);
      parts.push({ part, ...(await preparePart(bench, part)) });
    }
    // Several parts may compare with the same load.
    const loads = new Set(parts.flatMap((one) => one.loads));
    for (let round = 1; round <= rounds && loads.size > 0; round++) {
      say(`round ${round} of ${rounds}: ${loads.size} samples`);
      for (const load of loads) await load.add();
    }
    return parts.reduce((figures, { part, finish }) => merge(figures, part, finish()), before);
  } finally {
    await stopAll();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Points of a series take the place of those it had; all of them stand in the order of SERIES. Prices are fitted anew. */
function merge({ price: _, ...figures }, part, { features = {}, points = [], ...more }) {
  const names = [...new Set([...Object.keys(figures.features ?? {}), ...Object.keys(features)])];
  const others = (figures.points ?? []).filter(({ series }) => series !== part);
  const order = Object.keys(SERIES);
  return {
    ...figures,
    ...more,
    machine: describeMachine(),
    features: Object.fromEntries(names.map((name) => [name, { ...figures.features?.[name], ...features[name] }])),
    points: [...others, ...points].sort((a, b) => order.indexOf(a.series) - order.indexOf(b.series)),
  };
}

function describeMachine() {
  const [{ model }, ...others] = cpus();
  return {
    cpu: model.trim(),
    cores: others.length + 1,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
}
