// The colours of what this program prints.
import { coloursFor } from '../../colours.ts';

/** For stdout. */
export const colours = coloursFor(process.stdout);

/** For stderr, which may be a terminal where stdout is none, or the other way round. */
export const errorColours = coloursFor(process.stderr);
