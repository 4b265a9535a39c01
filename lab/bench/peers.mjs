// Other gateways of the same kind, where they are installed beside this one: a folder with their packages in its
// node_modules is named by --peers. The fastest one known is measured in the same rounds as everything else.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, pinned, startNode, waitFor } from './processes.mjs';

const CLIENT = fileURLToPath(new URL('peer-client.mjs', import.meta.url));
const PACKAGE = '@ivotoby/openapi-mcp-server';
/** It abbreviates the names of operations. */
const TOOLS = { getUser: 'get-usr', listUsers: 'lst-usrs', createUser: 'crt-usr' };
const SESSIONS = 16;
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-06-18',
};

export const PEER = PACKAGE;

/** { folder, version } of the peer, or undefined where it is not installed. */
export function findPeer(folder) {
  const home = folder && join(resolve(folder), 'node_modules', PACKAGE);
  if (!home || !existsSync(join(home, 'package.json'))) return undefined;
  return { home, version: JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).version };
}

/** Why there is no row of it, in one line. */
export function missingPeer(folder) {
  const where = folder === undefined ? 'no --peers <folder> is given' : `${folder} has no node_modules/${PACKAGE}`;
  return `peers: ${where}; npm install --prefix <folder> ${PACKAGE}, then --peers <folder>, measures it in the same run`;
}

export async function startPeer({ home }, document, upstream, { sessions: count = SESSIONS, lookMs } = {}) {
  const port = await freePort();
  const api = ['--api-base-url', `http://127.0.0.1:${upstream.port}`, '--openapi-spec', document];
  const http = ['--transport', 'http', '--host', '127.0.0.1', '--path', '/mcp', '--port', String(port)];
  const child = startNode([join(home, 'bin/mcp-server.js'), ...api, ...http, '--verbose', 'false'], {
    core: 'gateway',
  });
  const first = await waitFor(child, PACKAGE, () => openSession(port), { lookMs });
  const sessions = [first];
  while (sessions.length < count) sessions.push(await openSession(port));
  return { port, pid: child.pid, child, sessions };
}

async function openSession(port) {
  const clientInfo = { name: 'bench', version: '1.0.0' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const send = (body, more) =>
    fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers: { ...HEADERS, ...more }, body });
  const response = await send(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
  const session = response.headers.get('mcp-session-id');
  await response.text();
  if (session === null) throw new Error('it gave no session');
  const note = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await (await send(note, { 'mcp-session-id': session })).text();
  return session;
}

/** The peer as one side of a comparison: a client of its own, because it answers calls on another stream. */
export async function sideOfPeer({ port, pid, sessions }, operation, body) {
  const settings = {
    port,
    sessions,
    headers: HEADERS,
    body: operation.tool === undefined ? body : body.replace(`"${operation.tool}"`, `"${TOOLS[operation.tool]}"`),
  };
  const once = await run({ ...settings, once: true });
  const { result } = JSON.parse(once.text || '{}');
  const text = result?.content?.map((item) => item.text).join('') ?? '';
  const isGood = operation.tool === undefined ? result?.tools?.length > 0 : operation.expect.test(text);
  if (!isGood || result.isError === true) throw new Error(`${PACKAGE} gave ${once.text.slice(0, 300)}`);
  return {
    port,
    pid,
    reachesUpstream: operation.tool !== undefined,
    load: ({ seconds, connections }) => run({ ...settings, seconds, connections }),
  };
}

function run(settings) {
  const [program, ...args] = pinned('load', [process.execPath, CLIENT, JSON.stringify(settings)]);
  return new Promise((done, fail) => {
    execFile(program, args, { maxBuffer: 1e7 }, (error, stdout) => (error ? fail(error) : done(JSON.parse(stdout))));
  });
}
