// Load on a gateway with sessions that answers tools/call on the session's event stream and everything else in the answer
// to the POST. Its own process, as load-client.mjs is. Prints one line of JSON.
import { Agent, request } from 'node:http';

const settings = JSON.parse(process.argv[2]);
const { port, sessions, headers, body, once = false } = settings;
const { seconds = 10, connections = 1 } = settings;
const agent = new Agent({ keepAlive: true, maxSockets: connections });
const waiting = new Map();
const latencies = [];
let sent = 0;
let errors = 0;
let isOver = false;
let lastText = '';

function settle(id, text) {
  const startedAt = waiting.get(id);
  if (startedAt === undefined) return;
  waiting.delete(id);
  latencies.push(performance.now() - startedAt);
  if (!once) return send();
  lastText = text;
  finish();
}

function openStream(session) {
  const options = { port, host: '127.0.0.1', path: '/mcp', headers: { ...headers, 'mcp-session-id': session } };
  return new Promise((resolve, reject) => {
    const stream = request({ ...options, method: 'GET' }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`GET /mcp gave ${response.statusCode}`));
      let pending = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        pending += chunk;
        for (let end = pending.indexOf('\n\n'); end >= 0; end = pending.indexOf('\n\n')) {
          const text = pending.slice(pending.indexOf('data: ') + 6, end);
          pending = pending.slice(end + 2);
          settle(Number(/"id":(\d+)\}$/.exec(text)?.[1]), text);
        }
      });
    });
    stream.on('error', reject).end();
    // Some servers send the head only with the first event.
    setTimeout(resolve, 30);
  });
}

function send() {
  if (isOver) return;
  sent++;
  const id = 1_000_000_000 + sent;
  const argument = once ? '4321' : String(1_000 + (sent % 9_000));
  const text = body.replace('1111111111', String(id)).replace('2222', argument);
  const options = { port, host: '127.0.0.1', path: '/mcp', method: 'POST', agent };
  const session = sessions[sent % sessions.length];
  waiting.set(id, performance.now());
  const post = request(
    { ...options, headers: { ...headers, 'mcp-session-id': session, 'content-length': Buffer.byteLength(text) } },
    (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        answer += chunk;
      });
      response.on('end', () => {
        if (response.statusCode === 200) settle(id, answer);
        else if (response.statusCode !== 202) fail(id);
      });
    },
  );
  post.on('error', () => fail(id)).end(text);
}

function fail(id) {
  if (isOver || !waiting.delete(id)) return;
  errors++;
  setTimeout(send, 10);
}

const finish = () => {
  isOver = true;
  const took = (performance.now() - startedAt) / 1_000;
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.floor(latencies.length * share)] ?? 0;
  const summary = { requests: latencies.length, seconds: took, errors, p50: at(0.5), p99: at(0.99), text: lastText };
  process.stdout.write(JSON.stringify(summary), () => process.exit(0));
};

for (const session of sessions) await openStream(session);
const startedAt = performance.now();
setTimeout(finish, seconds * 1_000);
for (let index = 0; index < connections; index++) send();
