// A second signal means: now. But npm passes on a Ctrl-C that the terminal has sent to this process already: what comes within
// the same moment is one wish of one person.

const SAME_MOMENT_MS = 500;

/** Whether a signal that came while stopping is one more wish; to be made when the first one came. */
export function createSecondSignal(): () => boolean {
  const firstAt = performance.now();
  return () => performance.now() - firstAt >= SAME_MOMENT_MS;
}
