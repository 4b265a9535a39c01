// What first calls would wait for, built as soon as the gateway listens: the validator, the search index, the actions of grouped
// tools.
import { setTimeout as delay } from 'node:timers/promises';
import { inSteps } from '../../event-loop/turns.ts';
import { expectCompilerLater, prepareCompiler } from '../../schema/check/compile-schema.ts';
import type { Components } from './serve-process.ts';

/**
 * One after the other, each in steps, so that calls are served meanwhile; a call waits at most for a part that is not ready yet.
 */
export async function prepareTools({ gateway, authorities, log }: Components): Promise<void> {
  const names = ['', ...gateway.profiles.keys()];
  // The catalogs of callers with fewer permissions come last.
  const callers = [{}, ...(authorities?.classes ?? [])];
  const services = callers.flatMap(({ profiles = names, effects }) =>
    profiles.map((profile) => gateway.serviceOf(profile, effects)),
  );
  try {
    await inSteps(prepareCompiler());
    for (const service of new Set(services))
      for (const { prepare } of service?.registry.tools.values() ?? []) await prepare?.();
  } catch (error) {
    log.error({ err: error }, 'internal error');
  }
}

/** Clients that start a single process call it at once. Answering them first made a start 0.1 s shorter. */
const FIRST_ANSWERS_MS = 250;

export async function prepareToolsLater(components: Components): Promise<void> {
  expectCompilerLater();
  await delay(FIRST_ANSWERS_MS, undefined, { ref: false });
  await prepareTools(components);
}
