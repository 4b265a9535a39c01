// npm run docs: writes the reference and the JSON Schemas to docs/.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildReferenceFiles } from './reference-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
for (const [file, text] of Object.entries(buildReferenceFiles())) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}
