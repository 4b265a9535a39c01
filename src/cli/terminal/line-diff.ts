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
  const [gone, come] = [old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)];
  if (gone.length === 0 && come.length === 0) return [];
  const middle =
    gone.length > MAX_LINES || come.length > MAX_LINES ? [...gone.map(minus), ...come.map(plus)] : align(gone, come);
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
function align(gone: readonly string[], come: readonly string[]): string[] {
  const lengths = Array.from({ length: gone.length + 1 }, () => new Uint16Array(come.length + 1));
  for (let i = gone.length - 1; i >= 0; i--) {
    for (let j = come.length - 1; j >= 0; j--) {
      const below = lengths[i + 1]!;
      lengths[i]![j] = gone[i] === come[j] ? below[j + 1]! + 1 : Math.max(below[j]!, lengths[i]![j + 1]!);
    }
  }
  const lines: string[] = [];
  let kept: string[] = [];
  const flush = () => {
    const long = kept.length > 2 * CONTEXT + 1;
    lines.push(...(long ? [...kept.slice(0, CONTEXT), '…', ...kept.slice(-CONTEXT)] : kept).map(same));
    kept = [];
  };
  let [i, j] = [0, 0];
  while (i < gone.length || j < come.length) {
    if (i < gone.length && j < come.length && gone[i] === come[j]) {
      kept.push(gone[i]!);
      i++;
      j++;
      continue;
    }
    flush();
    if (j >= come.length || (i < gone.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!))
      lines.push(minus(gone[i++]!));
    else lines.push(plus(come[j++]!));
  }
  flush();
  return lines;
}
