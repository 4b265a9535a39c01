// One start in its own process: `parse <document>` reads and parses a file and no more, JSON by JSON.parse, YAML by the
// reader that the gateway uses; `gateway <document> <exposure>` goes on until tools/list is answered, with the compiler set as the
// program sets it. The programs are loaded before the clock starts. Prints one line of JSON.
import { readFileSync } from 'node:fs';

const [what, file, exposure] = process.argv.slice(2);
const isYaml = /\.ya?ml$/.test(file);
const yaml = isYaml ? await import('js-yaml') : undefined;
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
  const text = readFileSync(file, 'utf8');
  return Object.keys(isYaml ? yaml.load(text, { schema: yaml.CORE_SCHEMA }) : JSON.parse(text)).length;
}

async function prepareGateway() {
  const { optimizeLate } = await import('../../dist/cli/v8-flags.js');
  const { loadDomains } = await import('../../dist/domain/load.js');
  const { createGateway } = await import('../../dist/gateway.js');
  await import('../../dist/openapi/import-document.js');
  return async () => {
    optimizeLate();
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
