// Load on a conversation in lines: one connection, so many requests under way, answers in any order. Its own process, which
// connects by TCP or starts the gateway itself and talks to it over stdio. Each line it is sent is a sample to take; it
// answers each with one line of JSON, the first with { pid } of the gateway where it started one.
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const { port, command } = JSON.parse(process.argv[2]);
const answerLine = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const NEWLINE = 0x0a;
const DIGITS = 10;
const ID = Buffer.from('"id":');

const { input, output, pid } = command === undefined ? await dial() : startChild();

async function dial() {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return { input: socket, output: socket };
}

function startChild() {
  const child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'ignore'] });
  child.once('exit', () => process.exit(1));
  return { input: child.stdout, output: child.stdin, pid: child.pid };
}

let sent = 0;
let sample;
/** When each request that is under way was sent. */
const waiting = new Map();

function send() {
  const { parts } = sample;
  const [a, b, c] = parts[++sent % parts.length];
  const id = 1_000_000_000 + sent;
  waiting.set(id, performance.now());
  const text = `${a}${id}${b}`;
  output.write(c === undefined ? `${text}\n` : `${text}${1_000 + (sent % 9_000)}${c}\n`);
}

function take(line) {
  const at = line.indexOf(ID) + ID.length;
  const id = Number(line.latin1Slice(at, at + DIGITS));
  const startedAt = waiting.get(id);
  if (startedAt === undefined) return;
  waiting.delete(id);
  const now = performance.now();
  sample.latencies.push(now - startedAt);
  if (line.includes('"error":{') || line.includes('"isError":true')) sample.errors++;
  sample.last = line;
  if (now < sample.endsAt) send();
  else if (waiting.size === 0) finish();
}

function finish() {
  const { latencies, errors, startedAt, last } = sample;
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.floor(latencies.length * share)] ?? 0;
  const took = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(sample.cpu);
  const summary = { requests: latencies.length, seconds: took, errors, p50: at(0.5), p99: at(0.99) };
  answerLine({
    ...summary,
    clientCpuNs: (user + system) * 1e3,
    ...(latencies.length === 1 && { text: last.toString() }),
  });
}

let rest = Buffer.alloc(0);
input.on('data', (chunk) => {
  const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    take(bytes.subarray(start, end));
    start = end + 1;
  }
  rest = bytes.subarray(start);
});

createInterface({ input: process.stdin }).on('line', (line) => {
  const { parts, seconds, underWay } = JSON.parse(line);
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  sample = { parts, startedAt, endsAt, latencies: [], errors: 0, cpu: process.cpuUsage(), last: Buffer.alloc(0) };
  for (let index = 0; index < underWay; index++) send();
});
process.stdin.once('end', () => {
  output.end();
  input.once('end', () => process.exit(0));
  setTimeout(() => process.exit(0), 2_000).unref();
});
answerLine({ pid: pid ?? null });
