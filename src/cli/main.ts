#!/usr/bin/env node
// The program's first file, and the only one that a Node.js too old for the others has to read: it says so in one
// sentence, where the rest would end in a syntax error of some dependency.

// In a container this is process 1, and the kernel keeps signals from it that nobody listens for: until a gateway drains by itself, they
// end the program at once, as they do anywhere else.
if (process.pid === 1)
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)
    process.once(signal, () => process.listenerCount(signal) === 0 && process.exit(code));

// SIGHUP asks a gateway to read its files again. One that is only starting would die of it; it does so as soon as it listens to it.
if (process.argv[2] === 'serve') {
  let hasCome = false;
  process.on('SIGHUP', () => {
    hasCome = true;
  });
  process.on('newListener', function passOn(event) {
    if (event !== 'SIGHUP') return;
    process.off('newListener', passOn);
    if (hasCome) setImmediate(() => process.emit('SIGHUP', 'SIGHUP'));
  });
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 18)) {
  await import('./program.ts');
} else {
  process.stderr.write(
    `landbridge: Node.js 20.18 or later is needed, and this is ${process.versions.node}: install a newer one from https://nodejs.org.\n`,
  );
  process.exitCode = 1;
}
