// The JSON Schemas of domain files, profiles.yaml and landbridge.yaml that editors check with while people write. The package has them in
// docs/schemas; a file names the one beside it in its first line, which works wherever the file is, with npx too.
import { readFileSync } from 'node:fs';
import { PACKAGE_FOLDER } from './product.ts';

export const SCHEMA_KINDS = ['domain', 'profiles', 'config'] as const;
export type SchemaKind = (typeof SCHEMA_KINDS)[number];

export function readEditorSchema(kind: SchemaKind): string {
  return readFileSync(new URL(`docs/schemas/${kind}.schema.json`, PACKAGE_FOLDER), 'utf8');
}

/** Its name beside the file; a dot, so that a folder of domain files does not take it for one. */
export function schemaFileName(kind: SchemaKind): string {
  return `.${kind}.schema.json`;
}

/** The first line of a file whose schema stands beside it. */
export function schemaLine(kind: SchemaKind): string {
  return `# yaml-language-server: $schema=${schemaFileName(kind)}`;
}
