// The part of npm run build that assembles WebAssembly: each *.wat of src becomes a *.wasm in the same folder of dist.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import createWabt from 'wabt';

const root = fileURLToPath(new URL('..', import.meta.url));
const { parseWat } = await createWabt();

for (const file of readdirSync(join(root, 'src'), { recursive: true }) as string[]) {
  if (!file.endsWith('.wat')) continue;
  const module = parseWat(file, readFileSync(join(root, 'src', file)));
  module.validate();
  writeFileSync(join(root, 'dist', file.replace(/\.wat$/, '.wasm')), module.toBinary({}).buffer);
}
