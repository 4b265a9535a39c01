// The JSON Schemas of domain files, profiles.yaml and landbridge.yaml, with which editors check files while people write. The package
// has them in docs/schemas. A file names the copy beside it in its first line, which works in every folder, also with npx.
import { readFileSync } from 'node:fs';
import { PACKAGE_FOLDER } from './product.ts';

export const SCHEMA_KINDS = ['domain', 'profiles', 'config'] as const;
export type SchemaKind = (typeof SCHEMA_KINDS)[number];

export function readEditorSchema(kind: SchemaKind): string {
  return readFileSync(new URL(`docs/schemas/${kind}.schema.json`, PACKAGE_FOLDER), 'utf8');
}

/** The name of the copy. It begins with a dot, so that it is not read as a domain file. */
export function schemaFileName(kind: SchemaKind): string {
  return `.${kind}.schema.json`;
}

/** The first line of a file with its schema beside it. */
export function schemaLine(kind: SchemaKind): string {
  return `# yaml-language-server: $schema=${schemaFileName(kind)}`;
}
