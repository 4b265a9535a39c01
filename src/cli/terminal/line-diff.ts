// What changes in a file, line by line, as people know it from patches.
import pc from 'picocolors';
import { visible } from '../../endpoint/hidden.ts';

const CONTEXT = 2;
/** More lines than this on each side are not compared one by one. */
const MAX_LINES = 2_000;

/** Lines taken away and added, with a few around them; empty when nothing changes. */
export function diffLines(before: string, after: string): string[] {
  const [old, fresh] = [toLines(before), toLines(after)];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const [removed, added] = [old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)];
  if (removed.length === 0 && added.length === 0) return [];
  const middle =
    removed.length > MAX_LINES || added.length > MAX_LINES
      ? [...removed.map(minus), ...added.map(plus)]
      : align(removed, added);
  return [
    ...old.slice(Math.max(0, start - CONTEXT), start).map(same),
    ...middle,
    ...old.slice(old.length - end, old.length - end + CONTEXT).map(same),
  ];
}

function toLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

const minus = (line: string) => pc.red(`- ${visible(line)}`);
const plus = (line: string) => pc.green(`+ ${visible(line)}`);
const same = (line: string) => pc.dim(`  ${visible(line)}`);

/** Longest common subsequence; runs of lines that stay are cut to their ends. */
function align(removed: readonly string[], added: readonly string[]): string[] {
  const lengths = Array.from({ length: removed.length + 1 }, () => new Uint16Array(added.length + 1));
  for (let i = removed.length - 1; i >= 0; i--) {
    for (let j = added.length - 1; j >= 0; j--) {
      const below = lengths[i + 1]!;
      lengths[i]![j] = removed[i] === added[j] ? below[j + 1]! + 1 : Math.max(below[j]!, lengths[i]![j + 1]!);
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
  while (i < removed.length || j < added.length) {
    if (i < removed.length && j < added.length && removed[i] === added[j]) {
      run.push(removed[i]!);
      i++;
      j++;
      continue;
    }
    flush();
    if (j >= added.length || (i < removed.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!))
      lines.push(minus(removed[i++]!));
    else lines.push(plus(added[j++]!));
  }
  flush();
  return lines;
}
