// `npm start`, on every system: runs the built program with `serve`. npm sends signals to the shell between itself and this process,
// and some shells end without passing them on. Then this process has another parent, and shuts down as for SIGTERM.
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
