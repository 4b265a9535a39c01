// Memory after a collection and descriptors of the gateways' processes, before and after.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countDescriptors, isAlive } from './processes.ts';
import type { Check } from './scenario.ts';

const PRELOAD = fileURLToPath(new URL('./weigh.cjs', import.meta.url));
const WAIT_MS = 5_000;

/**
 * Why these: after a collection the heap of a gateway that has served ten thousand calls is as large as before, give or take
 * compiled code, session ids and token buckets (a few MB); what leaks a kilobyte a call shows. The resident set also keeps what
 * the allocator once needed, such as the buffers of slow readers and the two halves of a young
 * generation of 64 MB: it may be larger, and must not follow the number of calls.
 * A process keeps at most 16 idle connections of nginx and, for each of two APIs, a pool of up to 64 sockets that stay when
 * they were once needed; of a thousand slow clients that were not let go, each of four processes would hold 250.
 */
const BOUNDS = { heapMb: 12, rssMb: 80 + 2 * 64, descriptors: 16 + 2 * 64 };

export interface Weight {
  readonly pid: number;
  readonly rssMb: number;
  readonly heapMb: number;
  readonly descriptors: number;
}

export function weighingEnv(folder: string): Record<string, string> {
  mkdirSync(folder, { recursive: true });
  return { CHAOS_WEIGHTS: folder, NODE_OPTIONS: `--require ${PRELOAD}` };
}

/** Of those that answer in time; the load must stand still. */
export async function weigh(folder: string, pids: readonly number[]): Promise<Weight[]> {
  return (await Promise.all(pids.map((pid) => weighOne(folder, pid)))).flat();
}

async function weighOne(folder: string, pid: number): Promise<Weight[]> {
  const file = join(folder, `${pid}.json`);
  rmSync(file, { force: true });
  if (!isAlive(pid)) return [];
  process.kill(pid, 'SIGUSR2');
  for (const endsAt = performance.now() + WAIT_MS; performance.now() < endsAt; ) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    try {
      const { rss, heapUsed, arrayBuffers } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
      return [
        {
          pid,
          rssMb: rss! / 2 ** 20,
          heapMb: (heapUsed! + arrayBuffers!) / 2 ** 20,
          descriptors: countDescriptors(pid),
        },
      ];
    } catch {
      // Not written yet.
    }
  }
  return [];
}

/** Of the processes that are in both. */
export function compareWeights(before: readonly Weight[], after: readonly Weight[]): Check[] {
  const pairs = after.flatMap((one) => {
    const same = before.find(({ pid }) => pid === one.pid);
    return same === undefined ? [] : [{ before: same, after: one }];
  });
  if (pairs.length === 0) return [];
  const most = (of: (weight: Weight) => number) => Math.max(...pairs.map((pair) => of(pair.after) - of(pair.before)));
  const grown = {
    heapMb: most(({ heapMb }) => heapMb),
    rssMb: most(({ rssMb }) => rssMb),
    descriptors: most(({ descriptors }) => descriptors),
  };
  const text = `heap ${signed(grown.heapMb)} MB, RSS ${signed(grown.rssMb)} MB, descriptors ${signed(grown.descriptors)}`;
  const ok = grown.heapMb <= BOUNDS.heapMb && grown.rssMb <= BOUNDS.rssMb && grown.descriptors <= BOUNDS.descriptors;
  return [{ what: 'memory and descriptors are flat', ok, detail: `${text} at most, of ${pairs.length} processes` }];
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${Number.isInteger(value) ? value : value.toFixed(1)}`;
}
