// tools/list and tools/call of `landbridge serve` beside the raw limit, and a call at 10 and at 5,000 tools.
import { openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE, LIMIT_SETTINGS, prepareLab } from './cache.mjs';
import { buildManyDocument } from './documents.mjs';
import { ARGUMENT } from './load.mjs';
import { buildRequest, check, findTool, listTools, OPERATIONS } from './messages.mjs';
import { measurePairs } from './pairs.mjs';
import { fetchText, freePort, startNode, stop, waitFor } from './processes.mjs';

const AIM = { list: 0.8, get: 0.7, create: 0.7, biglist: 0.7 };
/** Legacy clients take the same way below the envelope, so two rows tell the difference. */
const MEASURED = { modern: ['list', 'get', 'create', 'biglist'], legacy: ['list', 'get'] };

export async function measureSpeed(options) {
  const lab = prepareLab(options.own);
  const upstream = await startUpstream(lab);
  const landbridge = await startLandbridge(options, lab.document, upstream);
  const names = await listTools(landbridge.port);
  const pairs = [];
  for (const era of Object.keys(MEASURED).filter((name) => options.eras.includes(name))) {
    const limit = await startLimit(lab, era, upstream);
    for (const key of MEASURED[era].filter((name) => options.operations.includes(name))) {
      const operation = OPERATIONS[key];
      const named = { ...operation, ...(operation.tool && { tool: findTool(names, operation.tool) }) };
      pairs.push({
        label: `${era}  ${operation.label}`,
        aim: AIM[key],
        ours: await sideOf(landbridge, era, [named]),
        base: await sideOf(limit, era, [operation]),
      });
    }
  }
  const rows = await measurePairs(pairs, upstream, options);
  await stop(landbridge.child);
  return { limit: lab.name, rows: rows.map((row, index) => ({ ...row, aim: pairs[index].aim })) };
}

/** The same calls on a small and on a large catalog; ten tools of each, spread evenly. */
export async function measureScale(options, [few, many] = [10, 5_000]) {
  const lab = prepareLab(options.own);
  const upstream = await startUpstream(lab);
  const start = async (count) => {
    const document = join(CACHE, `many-${count}.json`);
    writeFileSync(document, JSON.stringify(buildManyDocument(count)));
    const gateway = await startLandbridge(options, document, upstream);
    const names = await listTools(gateway.port);
    if (names.length !== count) throw new Error(`${names.length} tools are listed, not ${count}`);
    const calls = Array.from({ length: 10 }, (_, index) => ({
      tool: findTool(names, `getPart${(index * count) / 10}`),
      arguments: { id: ARGUMENT },
      expect: /4321/,
    }));
    return { gateway, side: await sideOf(gateway, 'modern', calls) };
  };
  const large = await start(many);
  const small = await start(few);
  const label = `a call among ${many.toLocaleString('en')} tools, to one among ${few}`;
  const [row] = await measurePairs([{ label, ours: large.side, base: small.side }], upstream, options);
  return row;
}

/** One side of a pair: checked requests for a gateway, with the caller's key or token where it wants one. */
export async function sideOf({ port, pid }, era, operations, token) {
  const requests = [];
  for (const operation of operations) {
    const request = buildRequest(port, era, operation, token);
    await check(port, request, operation);
    requests.push({ ...request, reachesUpstream: operation.tool !== undefined });
  }
  return { port, pid, requests };
}

export async function startUpstream(lab, delayMs = 0) {
  const port = await freePort();
  const child = startNode([lab.upstream], {
    core: 'load',
    env: { UPSTREAM_PORT: String(port), UPSTREAM_DELAY_MS: String(delayMs) },
  });
  await waitFor(child, 'the upstream', () => fetchText(`http://127.0.0.1:${port}/__count`));
  return { port, pid: child.pid };
}

async function startLimit(lab, era, upstream) {
  const port = await freePort();
  const env = {
    ...LIMIT_SETTINGS,
    PORT: String(port),
    UPSTREAM: `http://127.0.0.1:${upstream.port}`,
    HDR: era === 'modern' ? '1' : '0',
  };
  const child = startNode([lab.limit], { core: 'gateway', env });
  await waitFor(child, 'the raw limit', () => check(port, buildRequest(port, era, {}), {}));
  return { port, pid: child.pid };
}

/** As a user starts it: everything on, one log line per call at level info. */
export async function startLandbridge(options, document, upstream, { args: more = [], token } = {}) {
  const port = await freePort();
  const args = [options.cli, 'serve', document, '--base-url', `http://127.0.0.1:${upstream.port}`];
  const child = startNode([...options.nodeFlags, ...args, ...more, '--port', String(port), '--exposure', 'tools'], {
    core: 'gateway',
    errors: openSync(options.log, 'a'),
  });
  await waitFor(child, 'landbridge serve', () => check(port, buildRequest(port, 'modern', {}, token), {}));
  return { port, pid: child.pid, child };
}
