// stdio and TCP: calls through one connection, as many under way as HTTP has connections, beside HTTP of the same gateway.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { prepareLab } from './cache.mjs';
import { ARGUMENT, split } from './load.mjs';
import { buildRequest, findTool, listTools, OPERATIONS } from './messages.mjs';
import { measurePairs } from './pairs.mjs';
import { CORES, freePort, pinned } from './processes.mjs';
import { sideOf, startLandbridge, startUpstream } from './servers.mjs';
import { fixed, percent, renderTable, whole } from './table.mjs';

const CLIENT = fileURLToPath(new URL('line-client.mjs', import.meta.url));
const MEASURED = ['list', 'get'];

export async function measureLines(options) {
  const lab = prepareLab(options.own);
  const upstream = await startUpstream(lab);
  const tcpPort = await freePort();
  const gateway = await startLandbridge(options, lab.document, upstream, { args: ['--tcp', String(tcpPort)] });
  const names = await listTools(gateway.port);
  const serve = [options.cli, 'serve', lab.document, '--base-url', `http://127.0.0.1:${upstream.port}`];
  const command = [process.execPath, ...options.nodeFlags, ...serve, '--exposure', 'tools', '--stdio'];
  const clients = {
    TCP: await openClient({ port: tcpPort }),
    stdio: await openClient({ command: pinned('gateway', command) }),
  };
  try {
    const pairs = [];
    for (const key of MEASURED.filter((name) => options.operations.includes(name))) {
      const operation = OPERATIONS[key];
      const named = { ...operation, ...(operation.tool && { tool: findTool(names, operation.tool) }) };
      const base = await sideOf(gateway, 'modern', [named]);
      const { body } = buildRequest(0, 'modern', named);
      for (const [name, client] of Object.entries(clients)) {
        await client.check(body, named);
        const load = ({ seconds, connections }) => client.sample(body, seconds, connections);
        const side = { pid: client.pid ?? gateway.pid, load, reachesUpstream: operation.tool !== undefined };
        pairs.push({ label: `${name}, ${operation.label}`, ours: side, base });
      }
    }
    return await measurePairs(pairs, upstream, options);
  } finally {
    for (const client of Object.values(clients)) client.close();
  }
}

/** A process with one connection to a gateway; it stays, so that samples of others fit in between. */
async function openClient(settings) {
  const [program, ...args] = pinned('load', [process.execPath, CLIENT, JSON.stringify(settings)]);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = [];
  const lost = () => new Error(`line-client.mjs ended with ${child.exitCode}`);
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.resolve(JSON.parse(line)));
  child.once('exit', () => {
    for (const { reject } of waiting) reject(lost());
  });
  const next = () =>
    new Promise((resolve, reject) => (child.exitCode === null ? waiting.push({ resolve, reject }) : reject(lost())));
  const { pid } = await next();
  const sample = (body, seconds, underWay) => {
    child.stdin.write(`${JSON.stringify({ parts: [split(body)], seconds, underWay })}\n`);
    return next();
  };
  return {
    pid,
    sample,
    async check(body, { tool, expect }) {
      const { errors, text } = await sample(body.replace(String(ARGUMENT), '4321'), 0, 1);
      const isGood = (tool === undefined ? /"tools":\[\{/ : expect).test(text);
      if (errors > 0 || !isGood) throw new Error(`unexpected answer: ${text.slice(0, 300)}`);
    },
    close: () => child.stdin.end(),
  };
}

export function renderLines(rows, options) {
  const where = CORES === undefined ? '' : ', pinned as above';
  const title = `\nstdio and TCP through one connection with ${options.connections} requests under way, beside HTTP of the same gateway with as many connections (HTTP = 1.00${where})\n`;
  const head = ['', 'throughput', 'CPU/request', '+-', 'calls/s', 'HTTP', 'us CPU', 'HTTP', 'p99 ms', 'HTTP', 'noise'];
  const body = rows.map((row) => [
    row.label,
    ...[row.throughput, row.cpu].map((ratio) => fixed(ratio)),
    percent(row.spread.cpu),
    ...[row.rps, row.baseRps].map(whole),
    ...[row.cpuUs, row.baseCpuUs, row.p99, row.baseP99].map((value) => fixed(value, 1)),
    `${fixed(row.noise)}${row.errors > 0 ? ` ${row.errors} ERRORS` : ''}`,
  ]);
  return title + renderTable(head, body);
}
