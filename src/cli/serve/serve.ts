// landbridge serve: in this process, or in several that this one starts. Only the code that is needed is loaded: a primary only
// manages its workers and needs no gateway.
import { envFilesOf, type Flags, readConfig } from '../../config/read-config.ts';
import { countWorkers } from '../../workers/worker-launch.ts';
import { SLOT_VARIABLE } from '../../workers/worker-messages.ts';
import type { Io } from '../io.ts';
import type { Invocation } from '../terminal/invocation.ts';

type ServeFlags = Flags & { readonly verbose?: boolean };

/** Resolves when it listens; signals end it. */
export async function runServe(io: Io, files: readonly string[], flags: ServeFlags): Promise<number> {
  const json = flags.json ?? false;
  if (io.env[SLOT_VARIABLE] !== undefined) {
    const { joinPrimary } = await import('../../workers/in-worker.ts');
    const primary = await joinPrimary();
    if (primary) {
      await primary.start(async () => {
        const { serveAsWorker } = await import('./serve-process.ts');
        await serveAsWorker(io, readInvocation(io, files, flags), json, primary);
      });
      return 0;
    }
  }
  const invocation = readInvocation(io, files, flags);
  const workers = countWorkers(invocation.config.workers);
  if (workers > 1) await (await import('../workers/run-primary.ts')).runPrimary(io, invocation.config, workers);
  else await (await import('./serve-process.ts')).serveAlone(io, invocation, json);
  return 0;
}

function readInvocation(io: Io, files: readonly string[], flags: ServeFlags): Invocation {
  const config = readConfig({ ...flags, paths: files }, io.env);
  return { config, envFiles: envFilesOf(flags), verbose: flags.verbose ?? false, script: io.script };
}
