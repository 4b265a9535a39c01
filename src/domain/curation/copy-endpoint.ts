// Copies of endpoints. Imported ones build their schemas and texts when somebody asks for them; a copy must not ask.
import type { Endpoint } from '../../endpoint/model.ts';

/** A frozen copy with some fields changed. Getters stay getters, in the endpoint and in the changes. */
export function withFields(endpoint: Endpoint, changes: Partial<Endpoint>): Endpoint {
  const fields = { ...Object.getOwnPropertyDescriptors(endpoint), ...Object.getOwnPropertyDescriptors(changes) };
  for (const field of Object.values(fields)) field.configurable = true;
  return Object.freeze(Object.defineProperties({}, fields) as Endpoint);
}
