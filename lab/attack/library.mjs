// Somebody's own program with a middleware that gets next() wrong. Used by the library cases: node library.mjs <how> <url>.
import { buildDomain, createGateway } from '../../dist/index.js';

const [, , how, baseUrl] = process.argv;

const MIDDLEWARE = {
  twice: async (_call, _args, next) => {
    await next();
    return next();
  },
  'at-once': async (_call, _args, next) => {
    const [first] = await Promise.all([next(), next()]);
    return first;
  },
  late: async (_call, _args, next) => {
    const outcome = await next();
    setTimeout(() => void next().catch(() => {}), 20);
    return outcome;
  },
};

const domain = buildDomain(
  {
    name: 'lib',
    baseUrl,
    endpoints: { add: { method: 'POST', path: '/add', summary: 'Adds.', effect: 'write' } },
  },
  { env: {} },
);
const gateway = createGateway({ domains: [domain], exposure: 'tools', middleware: [MIDDLEWARE[how]] });
const reply = await gateway.handle(
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'lib_add', arguments: {} } }),
);
console.log(reply?.body);
await new Promise((resolve) => setTimeout(resolve, 200));
await gateway.close();
