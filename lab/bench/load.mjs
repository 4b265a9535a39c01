// Load on one HTTP address for some seconds: by wrk where it is installed, else by load-client.mjs.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CACHE } from './cache.mjs';
import { hasTool, pinned } from './processes.mjs';

const CLIENT = fileURLToPath(new URL('load-client.mjs', import.meta.url));
const hasWrk = hasTool('wrk');

/** Who makes the load of samples of this length: wrk counts in whole seconds. */
export const generatorOf = (seconds) => (hasWrk && seconds >= 1 ? 'wrk' : 'the built-in load generator');

/** Place holders in a message: replaced by counters of the same width, so that its length never changes. */
export const ID = 1_111_111_111;
export const ARGUMENT = 2_222;

/**
 * `requests` (see messages.mjs) are sent in turn over `connections` keep-alive connections.
 * Resolves with { requests, seconds, errors, p50, p99 }, latencies in ms.
 */
export async function load(port, requests, { seconds, connections }) {
  const parts = requests.map(({ head, body }) => ({ head, pieces: split(body) }));
  return generatorOf(seconds) === 'wrk'
    ? runWrk(port, parts, seconds, connections)
    : JSON.parse(await run([process.execPath, CLIENT, JSON.stringify({ port, parts, seconds, connections })]));
}

/** [before the id, after it] or [before the id, between, after the argument]. */
export function split(body) {
  const at = body.indexOf(String(ID));
  const rest = body.slice(at + 10);
  const second = rest.indexOf(String(ARGUMENT));
  return second < 0 ? [body.slice(0, at), rest] : [body.slice(0, at), rest.slice(0, second), rest.slice(second + 4)];
}

async function runWrk(port, parts, seconds, connections) {
  const script = join(CACHE, `load-${process.pid}.lua`);
  const quote = (text) => `"${text.replace(/[\\"]/g, '\\$&').replace(/\r/g, '\\r').replace(/\n/g, '\\n')}"`;
  const rows = parts.map(
    ({ head, pieces: [a, b, c] }) => `{${[head + a, b, ...(c === undefined ? [] : [c])].map(quote)}}`,
  );
  writeFileSync(
    script,
    `local parts = {${rows.join(',\n')}}
local n = 0
request = function()
  n = n + 1
  local p = parts[n % #parts + 1]
  if p[3] then return p[1] .. (1000000000 + n) .. p[2] .. (1000 + n % 9000) .. p[3] end
  return p[1] .. (1000000000 + n) .. p[2]
end
done = function(s, latency)
  local e = s.errors
  io.write(string.format('\\n@{"requests":%d,"seconds":%f,"errors":%d,"p50":%f,"p99":%f}\\n', s.requests, s.duration / 1e6,
    e.connect + e.read + e.write + e.status + e.timeout, latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
`,
  );
  const url = `http://127.0.0.1:${port}/mcp`;
  const output = await run(['wrk', '-t1', `-c${connections}`, `-d${Math.round(seconds)}s`, '-s', script, url]);
  return JSON.parse(/^@(.*)$/m.exec(output)[1]);
}

function run(command) {
  const [program, ...args] = pinned('load', command);
  return new Promise((resolve, reject) => {
    execFile(program, args, { maxBuffer: 1e7 }, (error, stdout) => (error ? reject(error) : resolve(stdout)));
  });
}
