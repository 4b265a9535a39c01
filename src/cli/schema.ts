// landbridge schema: the JSON Schema of domain files or profiles, on standard output.
import { readEditorSchema, SCHEMA_KINDS, type SchemaKind } from '../editor-schemas.ts';
import { hint } from '../endpoint/suggest.ts';
import { GatewayError } from '../errors.ts';

export async function runSchema(kind = 'domain'): Promise<void> {
  if (!SCHEMA_KINDS.includes(kind as SchemaKind)) {
    throw new GatewayError('BAD_CONFIG', `There is no schema "${kind}"; ${hint(kind, SCHEMA_KINDS)}`, { usage: true });
  }
  process.stdout.write(readEditorSchema(kind as SchemaKind));
}
