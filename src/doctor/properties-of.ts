// The arguments of an endpoint by name, as its schema has them.
import { isObject } from '../endpoint/is-object.ts';
import type { Endpoint } from '../endpoint/model.ts';
import { deref, ownSchema, type SchemaObject } from '../schema/references.ts';

interface Property {
  readonly description?: unknown;
  readonly readOnly?: unknown;
}

export function propertiesOf({ inputSchema }: Endpoint): Readonly<Record<string, Property | undefined>> {
  const properties = isObject(inputSchema) ? inputSchema.properties : undefined;
  return isObject(properties) ? (properties as Record<string, Property>) : {};
}

/** One of them, with its references followed. */
export function propertyOf(endpoint: Endpoint, key: string): SchemaObject | undefined {
  const schema = deref(endpoint.inputSchema, ownSchema(propertiesOf(endpoint), key) ?? true);
  return isObject(schema) ? schema : undefined;
}
