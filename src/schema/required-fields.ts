// Which fields must be given, for a zod object or an object schema. Descriptions, notes and introspection all use this.
import type { z } from 'zod';
import type { JsonSchema } from '../endpoint/model.ts';

/** Required field names in declaration order. A field with a default may be left out, so it is not required. */
export function requiredFields(schema: z.ZodObject | JsonSchema | undefined): string[] {
  if (schema === undefined || typeof schema === 'boolean') return [];
  if (isZodObject(schema)) {
    return Object.entries(schema.shape)
      .filter(([, field]) => !isOptional(field as z.ZodType))
      .map(([name]) => name);
  }
  const { required } = schema;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** True for `.optional()`, `.default()`, `.catch()`: zod marks on the input side what may be left out. */
function isOptional(field: z.ZodType): boolean {
  return field._zod.optin !== undefined;
}

export function isZodObject(value: unknown): value is z.ZodObject {
  return typeof value === 'object' && value !== null && '_zod' in value && 'shape' in value;
}
