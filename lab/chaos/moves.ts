// What several scenarios do.
import type { Launch, Replica } from './replica.ts';

export const wait = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1_000));

/** Resolves with the exit code of the one before. */
export async function restart(replica: Replica, launch: Launch = {}): Promise<number | null> {
  const code = await replica.stop();
  await replica.start(launch);
  return code;
}
