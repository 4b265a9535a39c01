// Generated inputs against createGateway().handle, in process. Each is judged by its answer (valid for its era, no internal
// error) and by the longest time it held the event loop without a pause.
import { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { createGateway, type Gateway, importDocument } from 'landbridge';
import { MockAgent } from 'undici';
import { api, createInput, createRandom, type Input, value } from './fuzz-inputs.ts';

export interface FuzzOptions {
  readonly runs: number;
  readonly seed: number;
  /** First index, to begin in the middle or to repeat one. */
  readonly from?: number;
  readonly limitMs: number;
  /** Ends the process when one input holds the loop this long; a stuck thread cannot end itself. */
  readonly watchdogMs?: number;
  readonly onProgress?: (done: number, perSecond: number) => void;
}

export interface Finding {
  readonly index: number;
  readonly reason: string;
  readonly input: string;
}

export interface FuzzReport {
  readonly runs: number;
  readonly perSecond: number;
  readonly findings: readonly Finding[];
  readonly slowest: readonly { readonly index: number; readonly holdMs: number; readonly input: string }[];
}

/** Inputs that share one generated API. */
export const BLOCK = 500;
const SERVER = 'http://127.0.0.1:9';
const MAX_FINDINGS = 50;

/** An upstream without sockets that answers with whatever comes to mind. */
function createUpstream(seed: number): MockAgent {
  const agent = new MockAgent();
  agent.disableNetConnect();
  let count = 0;
  const pool = agent.get(SERVER);
  pool
    .intercept({ path: () => true, method: () => true })
    .reply(() => {
      const random = createRandom(seed, ++count);
      const statusCode = random.pick([200, 200, 200, 201, 204, 400, 404, 500]);
      const data =
        statusCode === 204 ? '' : random.chance(0.8) ? (JSON.stringify(value(random, 3)) ?? '') : '<html>no</html>';
      return {
        statusCode,
        data,
        responseOptions: {
          headers: {
            'content-type': random.pick([
              'application/json',
              'application/json',
              'text/plain',
              'text/html',
              'application/octet-stream',
            ]),
          },
        },
      };
    })
    .persist();
  return agent;
}

async function openBlock(
  seed: number,
  block: number,
): Promise<{ gateway: Gateway; search: boolean; agent: MockAgent }> {
  const random = createRandom(seed ^ 0x5bd1e995, block);
  const text = JSON.stringify(api(random, SERVER));
  const domain = await importDocument('-', { env: {}, prefix: '', stdin: Readable.from([Buffer.from(text)]) });
  const agent = createUpstream(seed + block);
  const search = random.chance(0.3);
  const gateway = createGateway({ domains: [domain], exposure: search ? 'search' : 'tools', dispatcher: () => agent });
  return { gateway, search, agent };
}

/** Why an answer is none, or undefined. */
function judge({ era, id }: Input, body: string | undefined, status: number | undefined): string | undefined {
  if (body === undefined) return era === 'either' ? undefined : 'no answer';
  if (body === '') return era === 'either' || status === 202 ? undefined : 'an empty answer';
  let message: {
    jsonrpc?: unknown;
    id?: unknown;
    result?: Record<string, unknown>;
    error?: { code?: unknown; message?: unknown; data?: unknown };
  };
  try {
    message = JSON.parse(body);
  } catch {
    return 'the answer is not JSON';
  }
  if (Array.isArray(message)) return era === 'either' ? undefined : 'a batch for a single request';
  const { result, error } = message;
  if (message.jsonrpc !== '2.0') return 'no jsonrpc 2.0';
  if ((result === undefined) === (error === undefined)) return 'neither result nor error, or both';
  if (error) {
    if (!Number.isInteger(error.code) || typeof error.message !== 'string') return 'an error without code or message';
    // The read of a resource has no other code for an upstream that failed; that one says how.
    if (error.code === -32603 && !JSON.stringify(error.data ?? '').includes('failure_mode'))
      return `internal error: ${error.message}`;
    if (era === 'modern' && (error.code === -32002 || message.id === null))
      return `not an error of ${era}: ${body.slice(0, 100)}`;
  }
  if (id !== undefined && message.id !== id && !(error && message.id === undefined))
    return `answers ${JSON.stringify(message.id)} instead of ${JSON.stringify(id)}`;
  if (result && era === 'modern' && result.resultType !== 'complete' && result.resultType !== 'input_required')
    return 'a modern result without resultType';
  if (result && era === 'legacy' && 'resultType' in result) return 'a legacy result with resultType';
  if (body.length > 4 * 1024 * 1024) return `an answer of ${body.length} characters`;
  return undefined;
}

/** The longest time between two turns of the event loop, in processor time so that a busy machine does not count. */
async function measureHold(act: () => Promise<unknown>): Promise<number> {
  let worst = 0;
  let running = true;
  let last = { wall: performance.now(), cpu: process.cpuUsage() };
  const lap = () => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(last.cpu);
    worst = Math.max(worst, Math.min(now - last.wall, (user + system) / 1_000));
    last = { wall: now, cpu: process.cpuUsage() };
  };
  const tick = () => {
    lap();
    if (running) setImmediate(tick);
  };
  setImmediate(tick);
  await new Promise<void>((resolve) => setImmediate(resolve));
  lap();
  worst = 0;
  await act();
  lap();
  running = false;
  return worst;
}

/** Ends the process when an input works too long. Counted in processor time of this thread where Linux tells it. */
function startWatchdog(limitMs: number, seed: number) {
  const beat = new Float64Array(new SharedArrayBuffer(8));
  const source = `
    const { workerData: { beat, limitMs, seed } } = require('node:worker_threads');
    const { readFileSync, writeSync } = require('node:fs');
    const clock = () => {
      try {
        return Number(readFileSync('/proc/self/task/' + process.pid + '/schedstat', 'utf8').split(' ')[0]) / 1e6;
      } catch {
        return Date.now();
      }
    };
    let index = -1;
    let since = 0;
    setInterval(() => {
      if (beat[0] !== index) {
        index = beat[0];
        since = clock();
      } else if (index >= 0 && clock() - since > limitMs) {
        writeSync(2, 'input ' + index + ' of seed ' + seed + ' holds the event loop for more than ' + limitMs + ' ms; repeat it with --seed ' + seed + ' --from ' + index + ' --runs 1\\n');
        process.kill(process.pid, 'SIGKILL');
      }
    }, 250);`;
  const worker = new Worker(source, { eval: true, workerData: { beat, limitMs, seed } });
  worker.unref();
  return {
    enter: (index: number) => {
      beat[0] = index;
    },
    leave: () => {
      beat[0] = -1;
    },
    stop: () => worker.terminate(),
  };
}

export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { runs, seed, from = 0, limitMs } = options;
  const findings: Finding[] = [];
  let slowest: { index: number; holdMs: number; input: string }[] = [];
  const uncaught = (error: unknown) =>
    findings.push({ index: current, reason: `uncaught: ${(error as Error)?.stack ?? error}`, input: '' });
  process.on('uncaughtException', uncaught);
  process.on('unhandledRejection', uncaught);
  const watchdog = options.watchdogMs === undefined ? undefined : startWatchdog(options.watchdogMs, seed);
  let current = from;
  let block: Awaited<ReturnType<typeof openBlock>> | undefined;
  const begun = performance.now();
  const close = async () => {
    await block?.gateway.close();
    await block?.agent.close();
  };
  for (let index = from; index < from + runs && findings.length < MAX_FINDINGS; index++) {
    current = index;
    if (block === undefined || index % BLOCK === 0) {
      await close();
      block = await openBlock(seed, Math.floor(index / BLOCK));
    }
    const { gateway, search } = block;
    const input = createInput(seed, index, search);
    const act = async () => {
      const context = input.headers ? { transport: 'http' as const, headers: input.headers } : {};
      return gateway.handle(input.text, context);
    };
    watchdog?.enter(index);
    const start = performance.now();
    let reason: string | undefined;
    try {
      const reply = await act();
      reason = judge(input, reply?.body, reply?.status);
    } catch (error) {
      reason = `threw: ${(error as Error).stack ?? error}`;
    }
    const totalMs = performance.now() - start;
    watchdog?.leave();
    // Only what took long in all can have held the loop for long; the lower of two measurements leaves out a collection.
    if (totalMs > limitMs / 4 || totalMs > (slowest.at(-1)?.holdMs ?? 0) || slowest.length < 10) {
      const holdMs =
        totalMs > limitMs / 4 ? Math.min(totalMs, await measureHold(act), await measureHold(act)) : totalMs;
      slowest.push({ index, holdMs, input: input.text.slice(0, 160) });
      slowest = slowest.sort((left, right) => right.holdMs - left.holdMs).slice(0, 10);
      if (holdMs > limitMs) reason ??= `held the event loop for ${Math.round(holdMs)} ms`;
    }
    if (reason !== undefined) findings.push({ index, reason, input: input.text.slice(0, 300) });
    if ((index - from + 1) % 1_000 === 0) {
      options.onProgress?.(index - from + 1, (index - from + 1) / ((performance.now() - begun) / 1_000));
      // Timers and other clients get their turn.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }
  await close();
  await watchdog?.stop();
  process.off('uncaughtException', uncaught);
  process.off('unhandledRejection', uncaught);
  const done = current - from + 1;
  return { runs: done, perSecond: Math.round(done / ((performance.now() - begun) / 1_000)), findings, slowest };
}
