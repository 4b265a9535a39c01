// Copies endpoints. Imported endpoints build schemas and texts on first use, and a copy must not trigger that.
import type { Endpoint, JsonSchema } from '../../endpoint/model.ts';
import { once } from '../../endpoint/untrusted.ts';

/**
 * A frozen copy with some fields changed. Getters stay getters, in the endpoint and in the changes. `buildSchema` makes the
 * `inputSchema` on first use.
 */
export function withFields(endpoint: Endpoint, changes: Partial<Endpoint>, buildSchema?: () => JsonSchema): Endpoint {
  const fields: PropertyDescriptorMap = {
    ...Object.getOwnPropertyDescriptors(endpoint),
    ...Object.getOwnPropertyDescriptors(changes),
    ...(buildSchema && { inputSchema: { get: once(buildSchema), enumerable: true } }),
  };
  for (const field of Object.values(fields)) field.configurable = true;
  return Object.freeze(Object.defineProperties({}, fields) as Endpoint);
}
