// One process, one core, no sockets: the public gateway with and without its log line, and what the raw limit does in between
// two sockets, on a dispatcher that answers from memory. `time` measures CPU per call; `memory` (to be started with
// --expose-gc and a young generation nothing is collected from) what a call allocates. Prints one line of JSON.
import { PerformanceObserver } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { ARGUMENT, ID } from './load.mjs';
import { buildRequest, findTool, OPERATIONS } from './messages.mjs';
import { answerOf } from './upstream-answers.mjs';

const { what, dist, document, rounds, seconds, underWay } = JSON.parse(process.argv[2]);
const load = (file) => import(new URL(file, pathToFileURL(`${dist}/`)));
const [{ createGateway, loadDomains }, { createLog }] = [await load('index.js'), await load('log.js')];

/** Answers in the next turn of the event loop, all that were asked in this one together, as sockets do. */
class Memory {
  #waiting = [];
  #controller = { abort() {}, pause() {}, resume() {} };
  dispatch(request, handler) {
    if (this.#waiting.push(request, handler) === 2) setImmediate(() => this.#answer());
    return true;
  }
  #answer() {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < waiting.length; at += 2) {
      const { path, body } = waiting[at];
      const handler = waiting[at + 1];
      const reply = answerOf(path, body ?? undefined);
      const bytes = Buffer.from(reply.body);
      handler.onRequestStart(this.#controller, {});
      handler.onResponseStart(this.#controller, reply.status, {
        'content-type': 'application/json',
        'content-length': String(bytes.length),
      });
      handler.onResponseData(this.#controller, bytes);
      handler.onResponseEnd(this.#controller, {});
    }
  }
}

const memory = new Memory();
const domains = await loadDomains({ paths: [document], env: {}, baseUrl: 'http://127.0.0.1:1' });
/** Who calls over one connection: each has a signal of its own, so that no list of listeners grows with the load. */
const openSender = (headers) => ({
  transport: 'http',
  principal: Object.freeze({ id: 'anonymous' }),
  remote: '127.0.0.1',
  headers,
  signal: new AbortController().signal,
});

/** A function from a request to the text of its answer. */
function openGateway(level) {
  const gateway = createGateway({
    domains,
    exposure: 'tools',
    dispatcher: () => memory,
    log: createLog({ level }),
    // One caller makes all the calls.
    limits: { perPrincipal: { rate: '100000000/s', concurrent: 10_000 } },
  });
  const names = [...gateway.registry.tools.keys()];
  return {
    nameOf: (operationId) => findTool(names, operationId),
    call: async (text, sender) => (await gateway.handle(text, sender)).body,
  };
}

const END =
  ',"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"limit","version":"1.0.0"}}}}';
const ROUTES = {
  getUser: ({ id }) => ({ method: 'GET', path: `/users/${encodeURIComponent(id)}`, body: null }),
  createUser: (args) => ({ method: 'POST', path: '/users', body: JSON.stringify(args) }),
  listUsers: ({ limit, active }) => ({ method: 'GET', path: `/users?limit=${limit}&active=${active}`, body: null }),
};

/** As limit.mjs: parsed once, the answer's text escaped once; nothing is checked, guarded or logged. */
function openLimit(list) {
  const call = (text) =>
    new Promise((resolve) => {
      const { id, method, params } = JSON.parse(text);
      if (method === 'tools/list') return resolve(`{"jsonrpc":"2.0","id":${id}${list}`);
      let bytes;
      memory.dispatch(ROUTES[params.name](params.arguments), {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData(_controller, chunk) {
          bytes = chunk;
        },
        onResponseEnd() {
          const content = `{"content":[{"type":"text","text":${JSON.stringify(bytes.toString())}}]`;
          resolve(`{"jsonrpc":"2.0","id":${id},"result":${content}${END}`);
        },
      });
    });
  return { nameOf: (operationId) => operationId, call };
}

const quiet = openGateway('silent');
const LIST = buildRequest(1, 'modern', {});
const listed = await quiet.call(LIST.body, openSender(LIST.headers));
const sides = { log: openGateway('info'), quiet, limit: openLimit(listed.slice(listed.indexOf(',"result"'))) };

/** One kind of call to one side: `run(count)` makes so many, `underWay` at a time. */
function prepare(side, key) {
  const { tool, arguments: args, expect } = OPERATIONS[key];
  const { body, headers } = buildRequest(1, 'modern', { tool: tool && side.nameOf(tool), arguments: args });
  const [before, between, after] = body.split(new RegExp(`${ID}|${ARGUMENT}`));
  const senders = Array.from({ length: underWay }, () => openSender(headers));
  let sent = 0;
  const next = () => {
    sent++;
    const text = `${before}${1_000_000_000 + sent}${between}`;
    return after === undefined ? text : `${text}${1_000 + (sent % 9_000)}${after}`;
  };
  const run = async (count) => {
    let left = count;
    const lane = async (sender) => {
      while (left-- > 0) await side.call(next(), sender);
    };
    await Promise.all(senders.map(lane));
  };
  const check = async () => {
    const text = await side.call(body.replace(ID, 77).replace(ARGUMENT, 4_321), senders[0]);
    const { id, result } = JSON.parse(text);
    const good = tool === undefined ? result?.tools?.length > 0 : expect.test(result?.content?.[0]?.text ?? '');
    if (id !== 77 || !good || result.isError === true) throw new Error(`${key} gave ${text.slice(0, 300)}`);
  };
  return { run, check };
}

const cases = [];
for (const [name, side] of Object.entries(sides)) {
  for (const key of Object.keys(OPERATIONS)) {
    const one = { name, key, samples: [], ...prepare(side, key) };
    await one.check();
    cases.push(one);
  }
}

let gcMs = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) gcMs += duration;
}).observe({ entryTypes: ['gc'] });
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

/** CPU of the whole process, the helpers of the collector included. */
async function time({ run, samples }) {
  await settle();
  const gc = gcMs;
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  let calls = 0;
  do {
    await run(underWay * 4);
    calls += underWay * 4;
  } while (performance.now() - startedAt < seconds * 1_000);
  const { user, system } = process.cpuUsage(cpu);
  const ms = performance.now() - startedAt;
  await settle();
  samples.push({ us: (user + system) / calls, wallUs: (ms * 1e3) / calls, gcUs: ((gcMs - gc) * 1e3) / calls, calls });
}

/** Nothing is collected meanwhile: what is there afterwards and was not before is what the calls made. */
async function weigh({ run, samples }) {
  const calls = underWay * 4;
  globalThis.gc();
  await settle();
  const before = process.memoryUsage();
  await run(calls);
  const after = process.memoryUsage();
  const grown = (key) => (after[key] - before[key]) / calls;
  samples.push({ heapBytes: grown('heapUsed'), bufferBytes: grown('arrayBuffers'), calls });
}

const measure = what === 'time' ? time : weigh;
for (const { run } of cases) await run(2_000);
for (let round = 0; round < rounds; round++) for (const one of cases) await measure(one);
process.stdout.write(JSON.stringify(cases.map(({ name, key, samples }) => ({ name, key, samples }))), () =>
  process.exit(0),
);
