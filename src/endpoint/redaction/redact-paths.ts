// Paths of arguments that must not be recorded: `password` is a key at any depth, `card.number` two nested keys at any depth,
// `$.card.number` (or `$.cards[*].number`) one place. List items do not count as a level. `*` inside a key matches any
// characters; case is ignored.
import { compileGlob } from '../glob.ts';

/** Whether the value at these keys, outermost first, is one of the places. */
export type IsRedacted = (keys: readonly string[]) => boolean;

/** A path may name a few keys; longer ones are a mistake. */
export const REDACT_PATH = /^(?:\$\.)?[^.$[\]\s]+(?:\[\*\])*(?:\.[^.$[\]\s]+(?:\[\*\])*){0,15}$/;

export function compileRedactPaths(paths: readonly string[]): IsRedacted {
  const places = paths.map((path) => {
    const isRooted = path.startsWith('$.');
    const steps = (isRooted ? path.slice(2) : path).replaceAll('[*]', '').toLowerCase().split('.');
    return { isRooted, steps: steps.map((step) => compileGlob(step)) };
  });
  return (keys) =>
    places.some(({ isRooted, steps }) => {
      const offset = keys.length - steps.length;
      if (offset < 0 || (isRooted && offset > 0)) return false;
      return steps.every((matches, index) => matches(keys[offset + index]!.toLowerCase()));
    });
}
