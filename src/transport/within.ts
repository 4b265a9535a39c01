// Waiting with an end: shutdown must not depend on anybody's good will.

/** Resolves when `done` does, or after `ms`, whichever is first; leaves no timer behind. */
export async function within(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}
