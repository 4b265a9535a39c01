// Load with a call in one step or in two: where the first is refused until it is confirmed, the second repeats it with the
// token of the refusal. Both count as one request. Its own process, as load-client.mjs is. Prints one line of JSON.
import { Pool } from 'undici';

const { port, headers, body, isGuarded, seconds, connections } = JSON.parse(process.argv[2]);
const pool = new Pool(`http://127.0.0.1:${port}`, { connections, pipelining: 1 });
const latencies = [];
let sent = 0;
let errors = 0;
const startedAt = performance.now();
const endsAt = startedAt + seconds * 1_000;

async function post(message) {
  const response = await pool.request({ path: '/mcp', method: 'POST', headers, body: JSON.stringify(message) });
  return response.body.text();
}

async function call() {
  sent++;
  const message = JSON.parse(body);
  message.id = 1_000_000_000 + sent;
  message.params.arguments.id = 1_000 + (sent % 9_000);
  const text = await post(message);
  if (!isGuarded) return !text.includes('"isError":true') && text.includes('"result"');
  const token = /"confirmation_token":"([^"]+)"/.exec(text)?.[1];
  message.params.arguments.confirmation_token = token;
  return token !== undefined && !(await post(message)).includes('"isError":true');
}

async function lane() {
  while (performance.now() < endsAt || sent === 0) {
    const began = performance.now();
    if (!(await call())) errors++;
    latencies.push(performance.now() - began);
  }
}

await Promise.all(Array.from({ length: connections }, lane));
latencies.sort((a, b) => a - b);
const at = (share) => latencies[Math.floor(latencies.length * share)] ?? 0;
const took = (performance.now() - startedAt) / 1_000;
console.log(JSON.stringify({ requests: latencies.length, seconds: took, errors, p50: at(0.5), p99: at(0.99) }));
await pool.close();
