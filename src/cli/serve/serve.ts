// landbridge serve: in this process, or in several that this one starts. What is loaded depends on it: a process that only
// looks after others needs no gateway.
import { envFilesOf, type Flags, readConfig } from '../../config/read-config.ts';
import { countWorkers } from '../../workers/worker-launch.ts';
import { SLOT_VARIABLE } from '../../workers/worker-messages.ts';
import type { Launch } from '../terminal/launch-words.ts';

export async function runServe(files: readonly string[], flags: Flags & { verbose?: boolean }): Promise<void> {
  if (process.env[SLOT_VARIABLE] !== undefined) {
    const { joinPrimary } = await import('../../workers/in-worker.ts');
    const primary = await joinPrimary();
    if (primary)
      return primary.start(async () => {
        const { serveAsWorker } = await import('./serve-process.ts');
        await serveAsWorker(readLaunch(files, flags), flags.json ?? false, primary);
      });
  }
  const launch = readLaunch(files, flags);
  const workers = countWorkers(launch.config.workers);
  if (workers > 1) return (await import('../workers/run-primary.ts')).runPrimary(launch.config, workers);
  return (await import('./serve-process.ts')).serveAlone(launch, flags.json ?? false);
}

function readLaunch(files: readonly string[], flags: Flags & { verbose?: boolean }): Launch {
  const config = readConfig({ ...flags, paths: files }, process.env);
  return { config, envFiles: envFilesOf(flags), verbose: flags.verbose ?? false };
}
