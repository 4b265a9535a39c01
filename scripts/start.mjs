// `npm start`, on every system: the built program with `serve`. npm passes a signal to the shell between itself and this process,
// and some shells end without passing it on. Then the gateway has lost its parent, and shuts down as for SIGTERM.
import { fileURLToPath } from 'node:url';

const parent = process.ppid;
const watch = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(watch);
  process.kill(process.pid, 'SIGTERM');
}, 250);
watch.unref();

const program = new URL('../dist/cli/main.js', import.meta.url);
process.argv.splice(1, 1, fileURLToPath(program), 'serve');
await import(program.href);
