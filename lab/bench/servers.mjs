// The servers that are measured: landbridge, the raw limit, and the API behind both; and one side of a comparison.
import { openSync } from 'node:fs';
import { LIMIT_SETTINGS } from './cache.mjs';
import { buildRequest, check } from './messages.mjs';
import { fetchText, freePort, startNode, waitFor } from './processes.mjs';

export async function startUpstream(lab, delayMs = 0) {
  const port = await freePort();
  const child = startNode([lab.upstream], {
    core: 'load',
    env: { UPSTREAM_PORT: String(port), UPSTREAM_DELAY_MS: String(delayMs) },
  });
  await waitFor(child, 'the upstream', () => fetchText(`http://127.0.0.1:${port}/__count`));
  return { port, pid: child.pid, child };
}

/** `flags` are for node; `settings` make of the shared limit one that also validates or logs. */
export async function startLimit(lab, era, upstream, { flags = [], settings = {} } = {}) {
  const port = await freePort();
  const env = {
    ...LIMIT_SETTINGS,
    PORT: String(port),
    UPSTREAM: `http://127.0.0.1:${upstream.port}`,
    HDR: era === 'modern' ? '1' : '0',
    ...settings,
  };
  const child = startNode([...flags, lab.limit], { core: 'gateway', env });
  await waitFor(child, 'the raw limit', () => check(port, buildRequest(port, era, {}), {}));
  return { port, pid: child.pid, child };
}

/** As a user starts it: everything on, one log line per call at level info. */
export async function startLandbridge(
  options,
  document,
  upstream,
  { args: more = [], token, exposure = 'tools', flags = [], env = {} } = {},
) {
  const port = await freePort();
  const args = [options.cli, 'serve', document, '--base-url', `http://127.0.0.1:${upstream.port}`];
  // Nobody is served any more when it is told to end.
  const modes = ['--port', String(port), '--exposure', exposure, '--drain', '0'];
  const child = startNode([...options.nodeFlags, ...flags, ...args, ...more, ...modes], {
    core: 'gateway',
    errors: openSync(options.log, 'a'),
    env,
  });
  await waitFor(child, 'landbridge serve', () => check(port, buildRequest(port, 'modern', {}, token), {}));
  return { port, pid: child.pid, child };
}

/** One side of a comparison: checked requests for a gateway, with the caller's key or token where it wants one. */
export async function sideOf({ port, pid }, era, operations, token) {
  const requests = [];
  for (const operation of operations) {
    const request = buildRequest(port, era, operation, token);
    await check(port, request, operation);
    requests.push(request);
  }
  return { port, pid, requests, reachesUpstream: operations[0].reachesUpstream ?? operations[0].tool !== undefined };
}
