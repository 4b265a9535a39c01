// How many processes can really run at once: what `workers: auto` means.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** What the setting means on this machine. */
export function countWorkers(workers: number | 'auto'): number {
  return workers === 'auto' ? countCores() : workers;
}

function countCores(): number {
  const quota = readQuota();
  const cores = availableParallelism();
  return Math.max(1, quota === undefined ? cores : Math.min(cores, Math.ceil(quota)));
}

/** Cores that a container may use, however many its machine has; Node.js 20 does not look at it. Version 2 of cgroups, then 1. */
function readQuota(): number | undefined {
  const [quota, period] = readText('/sys/fs/cgroup/cpu.max')?.split(/\s+/) ?? [
    readText('/sys/fs/cgroup/cpu/cpu.cfs_quota_us'),
    readText('/sys/fs/cgroup/cpu/cpu.cfs_period_us'),
  ];
  const cores = Number(quota) / Number(period);
  // "max" and -1 mean: as many as there are.
  return cores > 0 && Number.isFinite(cores) ? cores : undefined;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}
