// landbridge schema: the JSON Schema of domain files or profiles, on standard output.
import { readEditorSchema, SCHEMA_KINDS, type SchemaKind } from '../editor-schemas.ts';
import { hint } from '../endpoint/suggest.ts';
import { usageError } from '../errors.ts';
import type { Io } from './io.ts';

export async function runSchema({ stdout }: Io, kind = 'domain'): Promise<number> {
  if (!SCHEMA_KINDS.includes(kind as SchemaKind)) {
    throw usageError(`There is no schema "${kind}"; ${hint(kind, SCHEMA_KINDS)}`);
  }
  stdout.write(readEditorSchema(kind as SchemaKind));
  return 0;
}
