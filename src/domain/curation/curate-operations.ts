// `operations:` of a domain file: finds each operation by any of its names and applies what is said about it.

import type { Endpoint } from '../../endpoint/model.ts';
import { hint } from '../../endpoint/suggest.ts';
import { argumentsOf } from '../definition/caller-plan.ts';
import type { DomainDefinition } from '../definition/definition-types.ts';
import { type CurationContext, curate } from './curate.ts';
import { curateArguments } from './curate-arguments.ts';

export function curateAll(
  endpoints: readonly Endpoint[],
  definition: DomainDefinition,
  context: CurationContext,
): readonly Endpoint[] {
  const curations = Object.entries(definition.operations ?? {});
  if (curations.length === 0) return endpoints.map((endpoint) => hideCallerArguments(endpoint, context));
  const index = new Map<string, number>();
  for (const [position, endpoint] of endpoints.entries()) {
    for (const key of keysOf(endpoint)) if (!index.has(key)) index.set(key, position);
  }
  const out = [...endpoints];
  const byPosition = new Map<number, string>();
  for (const [key, curation] of curations) {
    const path = ['operations', key];
    const position = index.get(key) ?? index.get(toOperationKey(key));
    if (position === undefined) {
      const ids = endpoints.map((endpoint) => keysOf(endpoint)[0]!);
      const message = `there is no such operation (or include and exclude leave it out); ${hint(key, ids)}`;
      context.problems.push({ path, message });
      continue;
    }
    const other = byPosition.get(position);
    if (other !== undefined)
      context.problems.push({ path, message: `is the same operation as "${other}"; merge the two entries` });
    byPosition.set(position, key);
    out[position] = curate(out[position]!, curation, path, context);
  }
  return out.map((endpoint) => hideCallerArguments(endpoint, context));
}

/** Hides arguments for headers that the file itself writes, so that callers cannot set them. */
function hideCallerArguments(endpoint: Endpoint, { problems }: CurationContext): Endpoint {
  const keys = argumentsOf(endpoint);
  if (keys.length === 0) return endpoint;
  const hidden = Object.fromEntries(keys.map((key) => [key, { hide: true, required: false }]));
  return curateArguments(endpoint, hidden, ['headers'], problems);
}

/** `get /tasks` is `GET /tasks`. */
export function toOperationKey(key: string): string {
  return key.replace(/^[a-z]+ /, (method) => method.toUpperCase());
}

/** Every name a file may use for an operation, the least ambiguous first. */
export function keysOf({ source, method, path, action, toolName }: Endpoint): string[] {
  return [...(source.operationId === undefined ? [] : [source.operationId]), `${method} ${path}`, action, toolName];
}
