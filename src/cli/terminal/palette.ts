// The colours of what this program prints. The streams are looked at when a colour is first used: a program that has the gateway as a
// library loads this file too, and may print nothing.
import { type Colours, coloursFor } from '../../colours.ts';

/** For stdout. */
export const colours = onFirstUse(() => process.stdout);

/** For stderr, which may be a terminal where stdout is none, or the other way round. */
export const errorColours = onFirstUse(() => process.stderr);

function onFirstUse(stream: () => { readonly isTTY?: boolean }): Colours {
  let palette: Colours | undefined;
  return new Proxy({} as Colours, {
    get(_, name: keyof Colours) {
      palette ??= coloursFor(stream());
      return palette[name];
    },
  });
}
