// One start in its own process: `parse <json>` reads and parses a file and no more; `gateway <document> <exposure>` goes
// on until tools/list is answered. Prints one line of JSON.
import { readFileSync } from 'node:fs';

const [what, file, exposure] = process.argv.slice(2);
const run = what === 'parse' ? parse : await prepareGateway();

const cpu = process.cpuUsage();
const startedAt = performance.now();
const tools = await run();
const ms = performance.now() - startedAt;
const { user, system } = process.cpuUsage(cpu);
console.log(
  JSON.stringify({
    ms,
    cpuMs: (user + system) / 1e3,
    // From the start of the process, loading our own modules included.
    processMs: performance.now(),
    peakMb: process.resourceUsage().maxRSS / 1024,
    tools,
  }),
);

function parse() {
  return Object.keys(JSON.parse(readFileSync(file, 'utf8'))).length;
}

async function prepareGateway() {
  const { loadDomains } = await import('../dist/domain/load.js');
  const { createGateway } = await import('../dist/gateway.js');
  return async () => {
    const domains = await loadDomains({ paths: [file], env: {}, baseUrl: 'http://127.0.0.1:1' });
    const gateway = createGateway({ domains, exposure });
    const params = {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    };
    const reply = await gateway.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params }));
    if (!reply.body.includes('"tools":[{')) throw new Error(`no tools: ${reply.body.slice(0, 300)}`);
    return gateway.registry.tools.size;
  };
}
