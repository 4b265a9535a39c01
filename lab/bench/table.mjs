// Plain text tables: the first column to the left, numbers to the right.
export function renderTable(head, rows) {
  const cells = [head, ...rows].map((row) => row.map(String));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const render = (row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  ');
  return [render(cells[0]), ...cells.slice(1).map(render)].map((line) => `  ${line.trimEnd()}`).join('\n');
}

/** A number with so many decimals, `-` where it is not known. */
export const fixed = (value, digits = 2) => (Number.isFinite(value) ? value.toFixed(digits) : '-');

export const whole = (value) => (Number.isFinite(value) ? Math.round(value).toLocaleString('en') : '-');

/** A share as `5 %`. */
export const percent = (share) => (Number.isFinite(share) ? `${Math.round(share * 100)} %` : '-');
