// How the import of large documents is shown and compared.
import { fixed, renderTable, whole } from './table.mjs';

/** Starts of whole processes, on a machine that does other things as well. */
const SPREAD = 0.1;

export function renderImport(rows, { rounds }) {
  if (rows === undefined) return '\nImport: no ../shared/specs here, nothing to measure.';
  const title = `
Start-up with a large document, until tools/list is ready, to parsing it alone (memory: aim <= 3) and to JSON.parse of it
median of ${rounds} alternating pairs of processes; less is better\n`;
  const ratios = ['CPU', 'to JSON', 'whole process', 'peak memory'];
  const head = ['', 'time', 'aim', ...ratios, 'ms', 'parse', 'JSON', 'MB', 'parse', 'tools'];
  const body = rows.map((row) => [
    row.label,
    `${fixed(row.time)}x`,
    row.aim === undefined ? '' : `${row.aim}x`,
    ...[row.cpu, row.json, row.process, row.memory].map((ratio) => `${fixed(ratio)}x`),
    ...[row.ms, row.parseMs, row.jsonMs, row.peakMb, row.parsePeakMb, row.tools].map(whole),
  ]);
  return title + renderTable(head, body);
}

export function figuresOfImport(rows) {
  return rows.flatMap(({ label, cpu, memory }) => [
    { label, what: 'CPU to parsing', value: cpu, spread: SPREAD, better: 'less' },
    { label, what: 'memory to parsing', value: memory, spread: SPREAD, better: 'less' },
  ]);
}
