// A second signal means: end at once. But npm passes on a Ctrl-C that the terminal has already sent to this process, so signals
// within half a second count as one.

const SAME_MOMENT_MS = 500;

/** Create it at the first signal. It returns whether a later one counts as a second. */
export function createSecondSignal(): () => boolean {
  const firstAt = performance.now();
  return () => performance.now() - firstAt >= SAME_MOMENT_MS;
}
