// What changes in a file, line by line, as people know it from patches.

import { escapeHiddenCharacters } from '../../endpoint/hidden.ts';
import { colours as pc } from './palette.ts';

const CONTEXT = 2;
/** More lines than this on each side are not compared one by one. */
const MAX_LINES = 2_000;

/** Removed and added lines, with a few around them; empty when nothing changes. */
export function diffLines(before: string, after: string): string[] {
  const [old, fresh] = [toLines(before), toLines(after)];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const [removals, additions] = [old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)];
  if (removals.length === 0 && additions.length === 0) return [];
  const middle =
    removals.length > MAX_LINES || additions.length > MAX_LINES
      ? [...removals.map(minus), ...additions.map(plus)]
      : align(removals, additions);
  return [
    ...old.slice(Math.max(0, start - CONTEXT), start).map(same),
    ...middle,
    ...old.slice(old.length - end, old.length - end + CONTEXT).map(same),
  ];
}

function toLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

const minus = (line: string) => pc.red(`- ${escapeHiddenCharacters(line)}`);
const plus = (line: string) => pc.green(`+ ${escapeHiddenCharacters(line)}`);
const same = (line: string) => pc.dim(`  ${escapeHiddenCharacters(line)}`);

/** Longest common subsequence; runs of lines that stay are cut to their ends. */
function align(removals: readonly string[], additions: readonly string[]): string[] {
  const lengths = Array.from({ length: removals.length + 1 }, () => new Uint16Array(additions.length + 1));
  for (let i = removals.length - 1; i >= 0; i--) {
    for (let j = additions.length - 1; j >= 0; j--) {
      const below = lengths[i + 1]!;
      lengths[i]![j] = removals[i] === additions[j] ? below[j + 1]! + 1 : Math.max(below[j]!, lengths[i]![j + 1]!);
    }
  }
  const lines: string[] = [];
  let run: string[] = [];
  const flush = () => {
    const long = run.length > 2 * CONTEXT + 1;
    lines.push(...(long ? [...run.slice(0, CONTEXT), '…', ...run.slice(-CONTEXT)] : run).map(same));
    run = [];
  };
  let [i, j] = [0, 0];
  while (i < removals.length || j < additions.length) {
    if (i < removals.length && j < additions.length && removals[i] === additions[j]) {
      run.push(removals[i]!);
      i++;
      j++;
      continue;
    }
    flush();
    if (j >= additions.length || (i < removals.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!))
      lines.push(minus(removals[i++]!));
    else lines.push(plus(additions[j++]!));
  }
  flush();
  return lines;
}
