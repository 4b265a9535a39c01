// The one message of docs/guides/troubleshoot.md that no command can show here: a Node.js too old for the program.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './blocks.ts';

test('the sentence about an old Node.js is that of the program', () => {
  const guide = readFileSync(join(ROOT, 'docs/guides/troubleshoot.md'), 'utf8');
  const quoted = /^### `(Node\.js .*) \d+\.…`$/m.exec(guide)?.[1];
  expect(quoted).toBeDefined();
  expect(readFileSync(join(ROOT, 'src/cli/main.ts'), 'utf8')).toContain(
    `landbridge: ${quoted} \${process.versions.node}`,
  );
});
