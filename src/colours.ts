// Colour, on terminals alone: what is piped or written to a file is plain, in CI and on Windows as well, where picocolors by itself
// would colour it. NO_COLOR and FORCE_COLOR win.
import pc from 'picocolors';

export type Colours = ReturnType<typeof pc.createColors>;
type Environment = Readonly<Record<string, string | undefined>>;

/** For what is written to this stream. */
export function coloursFor(stream: { readonly isTTY?: boolean }, env: Environment = process.env): Colours {
  return pc.createColors(!env.NO_COLOR && (isForced(env) ?? (stream.isTTY === true && env.TERM !== 'dumb')));
}

function isForced({ FORCE_COLOR }: Environment): boolean | undefined {
  return FORCE_COLOR ? FORCE_COLOR !== '0' : undefined;
}
