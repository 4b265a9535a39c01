// The MCP messages that are measured, and one checked exchange of each before anything is timed.
import { request as httpRequest } from 'node:http';
import { ARGUMENT, ID } from './load.mjs';

const VERSION = { modern: '2026-07-28', legacy: '2025-06-18' };
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION.modern,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** What is called, and what its answer must hold to count. */
export const OPERATIONS = {
  list: { label: 'tools/list' },
  get: { label: 'tools/call, get one', tool: 'getUser', arguments: { id: ARGUMENT }, expect: /4321/ },
  create: {
    label: 'tools/call, create',
    tool: 'createUser',
    arguments: { name: 'Grace Hopper', email: 'grace@example.org', age: 42, role: 'admin', active: true },
    expect: /4711/,
  },
  biglist: {
    label: 'tools/call, 18 KB list',
    tool: 'listUsers',
    arguments: { limit: 88, active: true },
    expect: /User number 88/,
  },
};

/** One request as { head, body, headers }: `head` is the HTTP head as text, ready for the wire. */
export function buildRequest(port, era, { tool, arguments: args }, token) {
  const method = tool === undefined ? 'tools/list' : 'tools/call';
  const params = {
    ...(tool !== undefined && { name: tool, arguments: args }),
    ...(era === 'modern' && { _meta: META }),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: ID, method, params });
  const headers = {
    host: `127.0.0.1:${port}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    'mcp-protocol-version': VERSION[era],
    ...(era === 'modern' && { 'mcp-method': method, ...(tool !== undefined && { 'mcp-name': tool }) }),
    'content-length': Buffer.byteLength(body),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return { head: `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n`, body, headers };
}

/** Sends a request once and returns its result, or throws; over a connection of its own, unless there is an agent. */
export async function exchange(port, { headers, body }, agent = false) {
  const message = body.replace(String(ID), '1000000077').replace(String(ARGUMENT), '4321');
  const text = await post(port, headers, message, agent);
  const answer = JSON.parse(text);
  if (answer.id !== 1_000_000_077 || answer.result === undefined || answer.result.isError === true) {
    throw new Error(`unexpected answer: ${text.slice(0, 300)}`);
  }
  return answer.result;
}

/** Throws unless the operation does what it should. */
export async function check(port, request, { tool, expect }) {
  const result = await exchange(port, request);
  const good =
    tool === undefined ? result.tools?.length > 0 : expect.test(result.content?.map(({ text }) => text).join('') ?? '');
  if (!good) throw new Error(`${tool ?? 'tools/list'} gave ${JSON.stringify(result).slice(0, 300)}`);
}

/** All tools a server lists. */
export async function listWholeTools(port, token) {
  const tools = [];
  let cursor;
  do {
    const { headers } = buildRequest(port, 'legacy', {}, token);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor } });
    const { result } = JSON.parse(await post(port, { ...headers, 'content-length': Buffer.byteLength(body) }, body));
    tools.push(...result.tools);
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

/** The names of all tools a server lists. */
export async function listTools(port, token) {
  return (await listWholeTools(port, token)).map(({ name }) => name);
}

/** Gateways name tools their own way: getUser may be get_user or lab_users_get_user. */
export function findTool(names, operationId) {
  const tool = names.find((name) => plain(name).endsWith(plain(operationId)));
  if (tool === undefined) throw new Error(`no tool for ${operationId}`);
  return tool;
}

/** How an operation is called in an exposure mode, among the tools it lists: { tool, arguments }. */
export function toCall(tools, exposure, operationId, args) {
  if (exposure === 'search') {
    const operation = operationId.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return { tool: 'call_operation', arguments: { operation, arguments: args } };
  }
  if (exposure === 'tools') {
    const names = tools.map(({ name }) => name);
    return { tool: findTool(names, operationId), arguments: args };
  }
  for (const { name, inputSchema } of tools) {
    const actions = inputSchema.properties.action?.enum ?? [];
    const isThere = actions.some((action) => plain(action) === plain(operationId));
    if (isThere) return { tool: name, arguments: { action: findTool(actions, operationId), ...args } };
  }
  throw new Error(`no action for ${operationId}`);
}

const plain = (name) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

function post(port, headers, body, agent = false) {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers, agent });
    request.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text)).on('error', reject);
    });
    request.end(body);
  });
}
