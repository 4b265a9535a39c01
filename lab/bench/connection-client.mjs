// Holds connections to a gateway open: `idle` (a request each, then silence) or `streams` (an open subscription each). Its own
// process. Says { open, failed, why } in a line of JSON when all are there, and closes them when its stdin ends.
import { connect } from 'node:net';

const { what, port, count, request } = JSON.parse(process.argv[2]);
/** So many are opened at once: a listener has only so much room for those who wait. */
const AT_ONCE = 200;
const ENOUGH = { idle: /\r\n\r\n.*\}$/s, streams: /subscriptions\/acknowledged/ };
const PATIENCE_MS = 30_000;
const sockets = [];
/** How many were not to be had, by reason. */
const why = {};

function connectOne() {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    let text = '';
    const end = (isGood, reason) => {
      clearTimeout(timer);
      if (!isGood) why[reason] = (why[reason] ?? 0) + 1;
      resolve();
    };
    const timer = setTimeout(() => end(false, 'no answer'), PATIENCE_MS);
    sockets.push(socket);
    socket.on('error', (error) => end(false, error.code));
    socket.once('connect', () => socket.write(request));
    socket.on('data', (chunk) => {
      text += chunk.latin1Slice();
      if (!ENOUGH[what].test(text)) return;
      if (!text.startsWith('HTTP/1.1 200')) return end(false, text.slice(0, 40));
      text = '';
      end(true);
    });
  });
}

for (let left = count; left > 0; left -= AT_ONCE) {
  await Promise.all(Array.from({ length: Math.min(left, AT_ONCE) }, connectOne));
}
// Also those count as failed that were let in and then had to leave.
const open = sockets.filter(({ readyState }) => readyState === 'open').length;
process.stdout.write(`${JSON.stringify({ open, failed: count - open, why })}\n`);
process.stdin.resume().once('end', () => {
  for (const socket of sockets) socket.destroy();
  process.exit(0);
});
