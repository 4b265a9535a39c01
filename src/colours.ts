// Colours on terminals only: output to a pipe or a file is plain, also in CI and on Windows, where picocolors alone would colour it.
// NO_COLOR and FORCE_COLOR take precedence.
import pc from 'picocolors';

export type Colours = ReturnType<typeof pc.createColors>;
type Environment = Readonly<Record<string, string | undefined>>;

/** The colours for this stream. */
export function coloursFor(stream: { readonly isTTY?: boolean }, env: Environment = process.env): Colours {
  return pc.createColors(!env.NO_COLOR && (isForced(env) ?? (stream.isTTY === true && env.TERM !== 'dumb')));
}

function isForced({ FORCE_COLOR }: Environment): boolean | undefined {
  return FORCE_COLOR ? FORCE_COLOR !== '0' : undefined;
}
