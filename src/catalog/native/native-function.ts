// A function with zod arguments as part of a tool: how it is advertised, checked and run.
import { z } from 'zod';
import type { Args, JsonSchema, Parsed } from '../../endpoint/model.ts';
import { formatFieldPath, toProblems } from '../../endpoint/problems.ts';
import { createSchemaValidator, type Validator } from '../../schema/check/validator.ts';
import { toPortableSchema } from '../../schema/portable/portable-schema.ts';
import { requiredFields } from '../../schema/required-fields.ts';
import type { SharedFields } from '../grouped/grouped-schema.ts';

/** A zod object's fields as they are advertised. */
export function advertiseZod(schema: z.ZodObject | undefined): SharedFields {
  if (schema === undefined) return { fields: {}, required: [] };
  const portable = toPortableSchema(toJsonSchema(schema)) as { properties?: Readonly<Record<string, JsonSchema>> };
  return { fields: portable.properties ?? {}, required: requiredFields(schema) };
}

/**
 * Strict validation against common and own schema together: unknown arguments are refused, and the refinements of both schemas
 * apply. An action's field replaces a common one of the same name.
 */
export function validateZod(common: z.ZodObject | undefined, own: z.ZodObject | undefined): Validator {
  const parts = [withoutKeys(common, Object.keys(own?.shape ?? {})), own].filter((part) => part !== undefined);
  // One object for the JSON Schema, so that definitions both parts share are numbered once.
  const whole = z.object(Object.assign({}, ...parts.map((part) => part.shape)));
  const schema: JsonSchema = { ...toJsonSchema(whole), required: requiredFields(whole), additionalProperties: false };
  return createSchemaValidator(schema, { parse: (args) => parseParts(parts, args) });
}

function parseParts(parts: readonly z.ZodObject[], args: Args): Parsed {
  const results = parts.map((part) => part.safeParse(pick(args, Object.keys(part.shape)), { reportInput: true }));
  const issues = results.flatMap((result) => (result.success ? [] : result.error.issues));
  if (issues.length === 0) return { ok: true, args: Object.assign({}, ...results.map((result) => result.data)) };
  const problems = toProblems(issues).map(({ path, message }) =>
    path.length === 0 ? message : `\`${formatFieldPath(path)}\` ${message}`,
  );
  return { ok: false, problems };
}

/** What zod cannot express in JSON Schema (dates, functions) is left open there and checked by zod itself. */
export function toJsonSchema(schema: z.ZodObject): { readonly properties?: object } {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as { properties?: object };
}

function withoutKeys(schema: z.ZodObject | undefined, keys: readonly string[]): z.ZodObject | undefined {
  const overlap = keys.filter((key) => schema !== undefined && Object.hasOwn(schema.shape, key));
  if (schema === undefined || overlap.length === 0) return schema;
  const mask: Record<string, true> = Object.fromEntries(overlap.map((key) => [key, true]));
  return schema.omit(mask as Parameters<typeof schema.omit>[0]);
}

function pick(args: Args, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(args, key)).map((key) => [key, args[key]]));
}
