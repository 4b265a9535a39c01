#!/usr/bin/env node
// The program's first file. It imports nothing, so that a Node.js that is too old gets one clear sentence instead of a syntax error
// of some dependency.

// In a container this is process 1, to which the kernel delivers no signal without a listener. Until a gateway handles signals
// itself, they end the program at once, as they do for any other process.
if (process.pid === 1)
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)
    process.once(signal, () => process.listenerCount(signal) === 0 && process.exit(code));

// SIGHUP asks a gateway to read its certificate again and to reopen its audit file. By default it would kill one that is still
// starting, so it is remembered and delivered once the gateway listens for it.
if (process.argv[2] === 'serve') {
  let isPending = false;
  process.on('SIGHUP', () => {
    isPending = true;
  });
  process.on('newListener', function deliver(event) {
    if (event !== 'SIGHUP') return;
    process.off('newListener', deliver);
    if (isPending) setImmediate(() => process.emit('SIGHUP', 'SIGHUP'));
  });
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 18)) {
  if (major >= 22) (await import('./compile-cache.ts')).keepCompiledCode(process.env);
  const { run } = await import('./run.ts');
  // A reader such as `head` may close the pipe early: that is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  const { code, atOnce } = await run(process.argv.slice(2));
  process.exitCode = code;
  if (atOnce) process.exit();
} else {
  process.stderr.write(
    `landbridge: Node.js 20.18 or later is needed, but this is ${process.versions.node}. Install a newer version from https://nodejs.org.\n`,
  );
  process.exitCode = 1;
}
