// A path in words, as names are made of them.
import { EDITION, toSingular } from '../endpoint/conventions/short-name.ts';
import { toSnakeCase } from '../endpoint/names.ts';

/** A stretch of a path: words as they stand, or a variable. */
export interface PathPiece {
  readonly words: readonly string[];
  readonly variable: boolean;
  /** `api`, `v1` … at the front. */
  readonly edition: boolean;
}

/** Nobody writes longer paths; what is behind is not looked at. */
const MAX_PATH = 1_000;

/** Reads the paths of one document, which share most of their segments. */
export function createPathReader(): (path: string) => readonly PathPiece[] {
  const segments = new Map<string, readonly PathPiece[]>();
  const read = (segment: string) => {
    const pieces = segments.get(segment) ?? readSegment(segment);
    segments.set(segment, pieces);
    return pieces;
  };
  let before: { path: string; pieces: readonly PathPiece[] } | undefined;
  return (path) => {
    // The methods of a path come one after the other.
    if (before?.path === path) return before.pieces;
    const pieces: PathPiece[] = [];
    let atFront = true;
    for (const segment of path.slice(0, MAX_PATH).split(/[?#]/, 1)[0]!.split('/')) {
      if (segment === '') continue;
      const own = read(segment);
      atFront &&= own.every(({ edition }) => edition);
      // Further on the same words may name a thing.
      for (const piece of own) pieces.push(piece.edition && !atFront ? { ...piece, edition: false } : piece);
    }
    before = { path, pieces };
    return pieces;
  };
}

function readSegment(segment: string): PathPiece[] {
  const edition = EDITION.test(segment);
  return segment.split(/[{}]/).flatMap((text, place) => {
    const variable = place % 2 === 1;
    const words = wordsIn(variable ? text : text.replace(/\.(?:json|xml)$/i, ''));
    return words.length === 0 ? [] : [{ words, variable, edition }];
  });
}

export function wordsIn(text: string): string[] {
  const snake = toSnakeCase(text);
  return snake === '' ? [] : snake.split('_');
}

/** `order items` → `order item`. */
export function toOne(words: readonly string[]): string[] {
  return words.map((word, place) => (place === words.length - 1 ? toSingular(word) : word));
}
