// npm run docs: writes the reference and the JSON Schemas to docs/, and the copies that the Helm chart has of other files.
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHART_FILES } from './chart-files.ts';
import { buildReferenceFiles } from './reference-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
for (const [file, text] of Object.entries(buildReferenceFiles())) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}
for (const [from, to] of Object.entries(CHART_FILES)) {
  if (!existsSync(join(root, from))) continue;
  mkdirSync(dirname(join(root, to)), { recursive: true });
  copyFileSync(join(root, from), join(root, to));
}
