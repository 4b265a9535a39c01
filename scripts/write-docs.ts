// npm run docs: writes the reference, the JSON Schemas, the pictures and the collected pages to docs/, and the Helm chart's copies of
// other files of deploy/.
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHART_FILES } from './chart-files.ts';
import { renderCollectedPages } from './collected-pages.ts';
import { renderPictures } from './pictures.ts';
import { buildReferenceFiles } from './reference-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const write = (files: Readonly<Record<string, string>>) => {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
};
write(buildReferenceFiles());
write(await renderPictures());
// Last, because it collects the pages that were just written.
write(renderCollectedPages(new URL('..', import.meta.url)));
for (const [from, to] of Object.entries(CHART_FILES)) {
  if (!existsSync(join(root, from))) continue;
  mkdirSync(dirname(join(root, to)), { recursive: true });
  copyFileSync(join(root, from), join(root, to));
}
