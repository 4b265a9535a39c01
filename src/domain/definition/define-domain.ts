// defineDomain(): defines a domain in a TypeScript or JavaScript file. Checks and freezes the definition; no I/O.

import { freeze } from '../../endpoint/freeze.ts';
import { DefinitionError } from './build-domain.ts';
import { checkDefinition } from './definition-schema.ts';
import type { DomainDefinition } from './definition-types.ts';

const DEFINED = new WeakSet<object>();

/**
 * Describes one API. The environment (base URLs, credentials) is applied later, when the gateway loads the file.
 *
 * ```ts
 * export default defineDomain({
 *   name: 'pets',
 *   baseUrl: { env: 'PETS_BASE_URL', default: 'https://pets.example' },
 *   endpoints: {
 *     get_pet: { path: '/pets/{id}', summary: 'Gets one pet.', args: { id: z.int() } },
 *   },
 * });
 * ```
 */
export function defineDomain(definition: DomainDefinition): DomainDefinition {
  const result = checkDefinition(definition);
  if ('problems' in result)
    throw new DefinitionError(`domain ${String(definition?.name ?? '(unnamed)')}`, result.problems, definition);
  const frozenDefinition = freeze(result.definition);
  DEFINED.add(frozenDefinition);
  return frozenDefinition;
}

/** Whether a value was returned by defineDomain(), and so has been checked. */
export function isDefined(value: unknown): value is DomainDefinition {
  return typeof value === 'object' && value !== null && DEFINED.has(value);
}
