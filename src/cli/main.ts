#!/usr/bin/env node
// The program's first file, and the only one that a Node.js too old for the others has to read: it says so in one
// sentence, where the rest would end in a syntax error of some dependency.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 18)) {
  await import('./program.ts');
} else {
  process.stderr.write(
    `landbridge: Node.js 20.18 or later is needed, and this is ${process.versions.node}: install a newer one from https://nodejs.org.\n`,
  );
  process.exitCode = 1;
}
