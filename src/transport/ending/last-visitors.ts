// The end of listening: connections that clients have already made are accepted first.
import type { Server } from 'node:net';
import { awaitQuietMoment } from '../../network/quiet-moment.ts';

/** Resolves in the moment in which listening may end. */
export async function letLastOnesIn(server: Server): Promise<void> {
  let cameAt = performance.now();
  const note = () => {
    cameAt = performance.now();
  };
  server.on('connection', note);
  await awaitQuietMoment({ cameAt: () => cameAt });
  server.off('connection', note);
}
