// The sample API of a first run, one for all workers: it keeps its tasks in memory, so with one per worker a task would exist for
// some calls only.

import type { WorkerChannel } from '../../workers/worker-messages.ts';
import type { WorkerSlot } from '../../workers/worker-slot.ts';

const TOPIC = 'sample';

/** In the primary process: starts it when the first worker asks. */
export function createSharedSample(): { serve(slot: WorkerSlot): void } {
  let url: Promise<string> | undefined;
  const start = async () => (await (await import('#sample')).startSampleApi()).url;
  return {
    serve(slot) {
      const channel = slot.channel(TOPIC);
      channel.onMessage(async () => {
        url ??= start();
        channel.send(await url);
      });
    },
  };
}

/** In a worker: resolves with its address. */
export function requestSample({ channel }: { channel(topic: string): WorkerChannel }): Promise<string> {
  const sample = channel(TOPIC);
  return new Promise((resolve) => {
    sample.onMessage((url) => resolve(String(url)));
    sample.send('where');
  });
}
