// Remembers where a part of a file was read from, for mistakes that are found later, together with variables, profiles or other files.
import type { Problem } from '../../endpoint/problems.ts';
import { MistakesError, type PositionOf, toMistakes } from './mistakes.ts';

export interface ReadPlace {
  readonly file: string;
  readonly positionOf: PositionOf;
  /** The path of the part in the file, if paths of mistakes begin at the part. */
  readonly within?: Problem['path'];
}

const places = new WeakMap<object, ReadPlace>();

/** Returns the part. For a copy, pass `placeOf(original)`. */
export function rememberPlace<Part extends object>(part: Part, place: ReadPlace | undefined): Part {
  if (place !== undefined) places.set(part, place);
  return part;
}

export function placeOf(part: object | undefined): ReadPlace | undefined {
  return part && places.get(part);
}

/** The error for a part that cannot be used, with file and line. `name` is shown if it came from no file. */
export function toPlacedError(part: object, problems: readonly Problem[], name = 'landbridge.yaml'): MistakesError {
  const { file = name, positionOf, within = [] } = places.get(part) ?? {};
  const whole = problems.map((problem) => ({ ...problem, path: [...within, ...problem.path] }));
  return new MistakesError('BAD_CONFIG', toMistakes(file, whole, positionOf));
}
