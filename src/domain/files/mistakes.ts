// Mistakes in files that people write, each on one line and with its place:
// `domains/shop.yaml:12:5 credentials.key.kind: what is wrong, and what to write instead`.
import { formatFieldPath, type Problem } from '../../endpoint/problems.ts';
import { type ErrorCode, GatewayError } from '../../errors.ts';

/** Counted from 1. */
export interface FilePosition {
  readonly line: number;
  readonly column?: number;
}

/** The position of a field in its file, or of the nearest field around it. */
export type PositionOf = (path: Problem['path']) => FilePosition | undefined;

/** A mistake as `--json` prints it. */
export interface Mistake {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** `credentials.key.kind`; left out if the mistake is about the whole file. */
  readonly field?: string;
  readonly message: string;
}

/** At most this many are shown at once. */
const MAX_MISTAKES = 50;

/** Thrown for files that cannot be used as they are. */
export class MistakesError extends GatewayError {
  readonly mistakes: readonly Mistake[];

  constructor(code: ErrorCode, mistakes: readonly Mistake[], cause?: unknown) {
    const some = mistakes.slice(0, MAX_MISTAKES);
    const more = mistakes.length - some.length;
    const lines = [...some.map(toLine), ...(more > 0 ? [`… and ${more} more.`] : [])];
    super(code, lines.join('\n'), { file: mistakes[0]?.file, problems: some }, cause);
    this.mistakes = mistakes;
  }
}

/** In the order of the file, without repetitions. */
export function toMistakes(file: string, problems: readonly Problem[], positionOf?: PositionOf): Mistake[] {
  const mistakes = problems.map(({ path, message, other }): Mistake => {
    const field = formatFieldPath(path);
    const beside = other === undefined ? '' : ` (see ${pointTo(file, other, positionOf)})`;
    return { file, ...positionOf?.(path), ...(field !== '' && { field }), message: `${message}${beside}` };
  });
  const unique = [...new Map(mistakes.map((mistake) => [toLine(mistake), mistake])).values()];
  return unique.sort((a, b) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0));
}

/** `shop.yaml:12:5 include.tags`, as far as it is known. */
export function pointTo(file: string, path: Problem['path'], positionOf?: PositionOf): string {
  return [withPosition({ file, ...positionOf?.(path) }), formatFieldPath(path)].filter((part) => part !== '').join(' ');
}

function toLine(mistake: Mistake): string {
  const { field, message } = mistake;
  return `${withPosition(mistake)}${field === undefined ? '' : ` ${field}`}: ${message}`;
}

function withPosition({ file, line, column }: { readonly file: string } & Partial<FilePosition>): string {
  return [file, line, column].filter((part) => part !== undefined).join(':');
}
