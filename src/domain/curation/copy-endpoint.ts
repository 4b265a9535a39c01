// Copies of endpoints. Imported ones build their schemas and texts when somebody asks for them; a copy must not ask.
import type { Endpoint, JsonSchema } from '../../endpoint/model.ts';
import { once } from '../../endpoint/untrusted.ts';

/**
 * A frozen copy with some fields changed. Getters stay getters, in the endpoint and in the changes. `buildSchema` makes its
 * `inputSchema`, once and when somebody asks for it.
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
