// How things look on a terminal: tables, colour, progress.
import { coloursFor } from '../../colours.ts';
import { escapeHiddenCharacters } from '../../endpoint/hidden.ts';
import type { Output } from '../io.ts';
import { colours as pc } from './palette.ts';

const ANSI = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** Text and control sequences by turns. */
const ANSI_PARTS = new RegExp(`(${String.fromCharCode(27)}\\[[0-9;]*m)`);

/**
 * Text of a document or a caller on one line, without control sequences: those could act on the terminal or imitate our output.
 */
export function shown(text: string): string {
  return escapeHiddenCharacters(text).replace(/\s+/g, ' ');
}

/** Characters that take a place; colours do not. */
export function visibleWidth(text: string): number {
  return text.replace(ANSI, '').length;
}

/** Columns padded to fit, except for the last one. Without a head, only rows. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = Math.max(head.length, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(head[column]?.length ?? 0, ...rows.map((row) => visibleWidth(row[column] ?? ''))),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === cells.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - visibleWidth(cell)),
      )
      .join('  ')
      .trimEnd();
  return [...(head.length > 0 ? [pc.bold(line(head))] : []), ...rows.map(line)].join('\n');
}

/** Every line cut to the width of the terminal, which would break it anywhere; colours end where the line does. */
export function cropLines(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => {
      if (visibleWidth(line) <= columns) return line;
      let space = columns - 1;
      const pieces = line.split(ANSI_PARTS).map((part, index) => {
        if (index % 2 === 1) return part;
        const piece = part.slice(0, space);
        space -= piece.length;
        return piece;
      });
      return `${pieces.join('')}…`;
    })
    .join('\n');
}

/** Wraps every line between words at the width of the terminal. Words are never split: half a URL is useless. */
export function wrapLines(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (visibleWidth(line) <= columns ? line : wrapLine(line, columns)))
    .join('\n');
}

function wrapLine(line: string, columns: number): string {
  const indent = ' '.repeat(line.length - line.trimStart().length);
  const lines: string[] = [];
  let current = indent;
  let width = indent.length;
  let gap = '';
  for (const piece of line.trim().split(/( +)/)) {
    if (piece.trim() === '') {
      gap = piece;
      continue;
    }
    if (width + gap.length + visibleWidth(piece) > columns && current.trim() !== '') {
      lines.push(current);
      current = `${indent}  `;
      width = current.length;
      gap = '';
    }
    current += gap + piece;
    width += gap.length + visibleWidth(piece);
    gap = '';
  }
  return [...lines, current].join('\n');
}

export function colourEffect(effect: string): string {
  if (effect === 'destructive') return pc.red(effect);
  return effect === 'read' ? pc.green(effect) : pc.yellow(effect);
}

/** 12,345. `toLocaleString()` gives the same, but takes 15 ms to load its language data. */
export function withCommas(whole: number): string {
  let digits = String(whole);
  let groups = '';
  for (; digits.length > 3; digits = digits.slice(0, -3)) groups = `,${digits.slice(-3)}${groups}`;
  return digits + groups;
}

export function count(n: number, noun: string): string {
  return `${withCommas(n)} ${noun}${n === 1 ? '' : 's'}`;
}

export interface ProgressLine {
  show(text: string): void;
  done(): void;
}

/** One line on stderr that overwrites itself; nothing at all when stderr is not a terminal. */
export function createProgressLine(stream: Output): ProgressLine {
  if (!stream.isTTY) return { show: () => {}, done: () => {} };
  const { dim } = coloursFor(stream);
  let isDrawn = false;
  return {
    show(text) {
      isDrawn = true;
      stream.write(`\r\u001b[2K${dim(`… ${shown(text).slice(0, (stream.columns || 80) - 4)}`)}`);
    },
    done() {
      if (isDrawn) stream.write('\r\u001b[2K');
      isDrawn = false;
    },
  };
}
