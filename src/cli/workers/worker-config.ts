// The settings of one worker: limits of the whole gateway are divided by the number of workers, and what only one process can use
// (the audit file) gets the number of the slot.
import { createHash } from 'node:crypto';
import { defaultKeyFile, workerTrailFile } from '../../audit/trail-names.ts';
import type { Config } from '../../config/read-config.ts';
import type { Gateway } from '../../gateway.ts';
import type { WorkerStart } from '../../workers/worker-messages.ts';

export function toWorkerConfig(config: Config, { slot, workers, ports }: WorkerStart): Config {
  const { audit, tcp } = config;
  return {
    ...config,
    port: ports.http ?? config.port,
    ...(tcp !== undefined && { tcp: ports.tcp ?? tcp }),
    maxConnections: shareOf(config.maxConnections, slot, workers),
    maxHttpConnections: shareOf(config.maxHttpConnections, slot, workers),
    ...(audit && {
      audit: {
        ...audit,
        file: workerTrailFile(audit.file, slot),
        keyFile: audit.keyFile ?? defaultKeyFile(audit.file),
      },
    }),
  };
}

/** All shares add up to the whole, but each is at least 1. */
function shareOf(whole: number, slot: number, workers: number): number {
  return Math.max(1, Math.floor(whole / workers) + (slot <= whole % workers ? 1 : 0));
}

/** Equal for workers that serve the same operations. */
export function digestCatalog({ registry, profiles }: Gateway): string {
  const operations = registry.operations.map(({ name, endpoint: { method, baseUrl, path, effect } }) => [
    name,
    method,
    baseUrl,
    path,
    effect,
  ]);
  const text = JSON.stringify([operations, [...registry.tools.keys()], [...profiles.keys()]]);
  return createHash('sha256').update(text).digest('base64url');
}
