// The built-in load generator: raw sockets, keep-alive, one request under way per connection. Its own process, so that
// it can be pinned to another core than the gateway. Prints one line of JSON.
import { connect } from 'node:net';

const { port, parts, seconds, connections } = JSON.parse(process.argv[2]);
const latencies = [];
let sent = 0;
let errors = 0;
const startedAt = performance.now();
const endsAt = startedAt + seconds * 1_000;

function nextRequest() {
  const { head, pieces } = parts[++sent % parts.length];
  const [a, b, c] = pieces;
  const text = `${head}${a}${1_000_000_000 + sent}${b}`;
  return c === undefined ? text : `${text}${1_000 + (sent % 9_000)}${c}`;
}

/** One connection: writes a request, waits for the whole answer, and again until the time is up. */
function open(done) {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  let startedAtMs = 0;
  let missing = 0;
  let pending = '';
  const send = () => {
    startedAtMs = performance.now();
    if (startedAtMs >= endsAt) socket.end();
    else socket.write(nextRequest());
  };
  const finish = () => {
    latencies.push(performance.now() - startedAtMs);
    send();
  };
  socket.on('connect', send);
  socket.on('data', (chunk) => {
    if (missing > 0) {
      missing -= chunk.length;
      if (missing === 0) finish();
      return;
    }
    pending += chunk.latin1Slice();
    const end = pending.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = pending.slice(0, end);
    const length = Number(/content-length: *(\d+)/i.exec(head)?.[1]);
    if (!/^HTTP\/1.1 2/.test(head) || Number.isNaN(length)) errors++;
    missing = end + 4 + length - pending.length;
    pending = '';
    if (missing === 0) finish();
  });
  socket.on('error', () => errors++);
  socket.on('close', done);
}

await Promise.all(Array.from({ length: connections }, () => new Promise(open)));
latencies.sort((a, b) => a - b);
const at = (share) => latencies[Math.floor(latencies.length * share)] ?? 0;
const took = (performance.now() - startedAt) / 1_000;
console.log(JSON.stringify({ requests: latencies.length, seconds: took, errors, p50: at(0.5), p99: at(0.99) }));
