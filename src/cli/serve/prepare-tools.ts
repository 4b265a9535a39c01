// What first calls would wait for, made once the gateway listens: the search index, the actions of grouped tools.
import type { Parts } from './open-parts.ts';

/** One after the other, each in steps: whoever calls meanwhile is served, and waits at most for what is not there yet. */
export async function prepareTools({ gateway, authorities, log }: Parts): Promise<void> {
  const names = ['', ...gateway.profiles.keys()];
  // Parts that only callers of fewer permissions see come last.
  const callers = [{}, ...(authorities?.classes ?? [])];
  const services = callers.flatMap(({ profiles = names, effects }) =>
    profiles.map((profile) => gateway.serviceOf(profile, effects)),
  );
  try {
    for (const service of new Set(services))
      for (const { prepare } of service?.registry.tools.values() ?? []) await prepare?.();
  } catch (error) {
    log.error({ err: error }, 'internal error');
  }
}
