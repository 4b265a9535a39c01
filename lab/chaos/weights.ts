// Memory after a collection and descriptors of the gateways' processes, before and after.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { countDescriptors, isAlive, listConnections } from './processes.ts';
import type { Check } from './scenario.ts';

const PRELOAD = fileURLToPath(new URL('./weigh.cjs', import.meta.url));
const WAIT_MS = 5_000;

/**
 * Why these: after a collection the heap of a gateway that has served ten thousand calls is as large as before, give or take compiled code,
 * session ids and token buckets (a few MB); what leaks a kilobyte a call shows. The resident set counts without the young generation, which
 * V8 lets grow to 2 × 64 MB in a worker under load and keeps; what is left of it also has what the allocator once needed, such as the
 * buffers of slow readers. Descriptors count without connections that are kept to be used again, which have bounds of their own.
 */
const BOUNDS: Bounds = { heapMb: 12, rssMb: 80, descriptors: 16 };
/** Of a process that has seen it all before. */
export const STEADY: Bounds = { heapMb: 4, rssMb: 24, descriptors: 4 };
/** Of one process: sockets to one API (src/executor/pools.ts), and connections that nginx keeps (nginx.ts). */
const MOST_TO_API = 64;
const MOST_FROM_NGINX = 16;

export interface Bounds {
  readonly heapMb: number;
  readonly rssMb: number;
  readonly descriptors: number;
}

export interface Weight {
  readonly pid: number;
  /** Without the young generation. */
  readonly rssMb: number;
  readonly heapMb: number;
  /** Without connections that are kept. */
  readonly descriptors: number;
  readonly fromNginx: number;
  readonly toApis: readonly number[];
}

/** What its kept connections are known by. */
export interface Ports {
  readonly port: number;
  readonly apis: readonly number[];
}

export function weighingEnv(folder: string): Record<string, string> {
  mkdirSync(folder, { recursive: true });
  return { CHAOS_WEIGHTS: folder, NODE_OPTIONS: `--require ${PRELOAD}` };
}

/** Of those that answer in time; the load must stand still. */
export async function weigh(folder: string, pids: readonly number[], ports: Ports): Promise<Weight[]> {
  return (await Promise.all(pids.map((pid) => weighOne(folder, pid, ports)))).flat();
}

async function weighOne(folder: string, pid: number, { port, apis }: Ports): Promise<Weight[]> {
  const file = join(folder, `${pid}.json`);
  rmSync(file, { force: true });
  if (!isAlive(pid)) return [];
  process.kill(pid, 'SIGUSR2');
  for (const endsAt = performance.now() + WAIT_MS; performance.now() < endsAt; ) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    try {
      const { rss, young, heapUsed, arrayBuffers } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
      const sockets = listConnections(pid);
      const fromNginx = sockets.filter(({ localPort }) => localPort === port).length;
      const toApis = apis.map((api) => sockets.filter(({ remotePort }) => remotePort === api).length);
      return [
        {
          pid,
          rssMb: (rss! - young!) / 2 ** 20,
          heapMb: (heapUsed! + arrayBuffers!) / 2 ** 20,
          descriptors: countDescriptors(pid) - fromNginx - toApis.reduce((sum, count) => sum + count, 0),
          fromNginx,
          toApis,
        },
      ];
    } catch {
      // Not written yet.
    }
  }
  return [];
}

/** Of the processes that are in both. */
export function compareWeights(before: readonly Weight[], after: readonly Weight[], bounds: Bounds = BOUNDS): Check[] {
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
  const fromNginx = Math.max(...after.map((one) => one.fromNginx));
  const toApi = Math.max(...after.flatMap(({ toApis }) => toApis));
  const text = `heap ${signed(grown.heapMb)} MB, RSS ${signed(grown.rssMb)} MB, descriptors ${signed(grown.descriptors)}`;
  const areFlat =
    grown.heapMb <= bounds.heapMb && grown.rssMb <= bounds.rssMb && grown.descriptors <= bounds.descriptors;
  return [
    {
      what: 'memory and descriptors are flat',
      ok: areFlat && fromNginx <= MOST_FROM_NGINX && toApi <= MOST_TO_API,
      detail: `${text} at most, of ${pairs.length} processes; at most ${fromNginx} connections are kept by nginx, ${toApi} for an API`,
    },
  ];
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${Number.isInteger(value) ? value : value.toFixed(1)}`;
}
