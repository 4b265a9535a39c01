// Two runs, row by row: what has changed, and whether that is more than rows scatter by themselves.
import { fixed, percent, renderTable } from './table.mjs';

/** However still a row was, less than this is nothing. */
const LEAST_NOISE = 0.02;

/**
 * `before`, `now`: figures [{ part, label, what, value, spread, better: 'more' | 'less' }]. One row for each that both have:
 * `change` is now to before, `noise` how far both scatter together, `verdict` 'better', 'worse' or 'noise'.
 */
export function compareFigures(before, now) {
  const keyOf = ({ part, label, what }) => [part, label, what].join('\n');
  const saved = new Map(before.map((figure) => [keyOf(figure), figure]));
  const rows = [];
  for (const figure of now) {
    const old = saved.get(keyOf(figure));
    if (old === undefined || !isPositive(old.value) || !isPositive(figure.value)) continue;
    const change = figure.value / old.value;
    const noise = Math.max(LEAST_NOISE, Math.hypot(old.spread || 0, figure.spread || 0));
    const isBetter = figure.better === 'more' ? change > 1 : change < 1;
    // On both sides alike: twice as much is as far away as half.
    const isMore = Math.abs(Math.log(change)) > Math.log(1 + noise);
    const verdict = isMore ? (isBetter ? 'better' : 'worse') : 'noise';
    rows.push({ ...figure, before: old.value, now: figure.value, change, noise, verdict });
  }
  return rows;
}

const isPositive = (value) => Number.isFinite(value) && value > 0;

const SIGN = { better: '+ better', worse: '- worse', noise: '' };

export function renderComparison(rows, saved, here) {
  const since = saved.at === undefined ? '' : ` of ${saved.at.slice(0, 16).replace('T', ' ')}`;
  const other = ['node', 'machine'].filter((key) => saved[key] !== here[key]);
  const warning =
    other.length === 0 ? '' : `\n  saved on another ${other.join(' and ')}: only ratios to the limit may be compared`;
  const head = ['', 'figure', 'before', 'now', 'change', 'scatter', ''];
  const body = rows.map(({ part, label, what, before, now, change, noise, verdict }) => [
    `${part}: ${label}`,
    what,
    toText(before),
    toText(now),
    `${change >= 1 ? '+' : ''}${fixed((change - 1) * 100, 0)} %`,
    percent(noise),
    SIGN[verdict],
  ]);
  const title = `\nWhat has changed since the saved run${since}; within the scatter of both runs it says nothing\n`;
  const none = rows.length === 0 ? '\n  none of the figures of this run was saved' : '';
  return `${title}${renderTable(head, body)}${none}${warning}`;
}

const toText = (value) => fixed(value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
