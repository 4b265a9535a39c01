// The limit: the fastest sane gateway one can write by hand for exactly three tools. node:http in, undici's
// Pool.dispatch out, the message parsed once, the upstream's text escaped once. It validates no arguments, guards
// nothing, logs nothing and has no deadline: what a real gateway does on top is what the ratios show.
import { createServer } from 'node:http';
import { Pool } from 'undici';
import { buildLabDocument } from './documents.mjs';

const { PORT, UPSTREAM, HDR } = process.env;
const checksHeaders = HDR === '1';
const pool = new Pool(UPSTREAM, { connections: 64, pipelining: 1 });
const SERVER_INFO = '"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"limit","version":"1.0.0"}}';
const END = checksHeaders ? `,"resultType":"complete",${SERVER_INFO}}}` : '}}';
const LIST_END = checksHeaders ? `,"ttlMs":0,"cacheScope":"private","resultType":"complete",${SERVER_INFO}}}` : '}}';

const { paths, components } = buildLabDocument();
const tools = Object.values(paths).flatMap((item) =>
  Object.values(item).map(({ operationId, summary, parameters, requestBody }) => ({
    name: operationId,
    description: summary,
    inputSchema: {
      type: 'object',
      properties: {
        ...Object.fromEntries(parameters.map(({ name, schema, description }) => [name, { ...schema, description }])),
        ...(requestBody && components.schemas.NewUser.properties),
      },
      required: [
        ...parameters.filter(({ required }) => required).map(({ name }) => name),
        ...(requestBody ? components.schemas.NewUser.required : []),
      ],
    },
  })),
);
const LIST = `,"result":{"tools":${JSON.stringify(tools)}${LIST_END}`;

const JSON_ONLY = { accept: 'application/json' };
const WITH_BODY = { accept: 'application/json', 'content-type': 'application/json' };
const ROUTES = new Map([
  ['getUser', (args) => ({ method: 'GET', path: `/users/${encodeURIComponent(args.id)}`, headers: JSON_ONLY })],
  ['createUser', (args) => ({ method: 'POST', path: '/users', headers: WITH_BODY, body: JSON.stringify(args) })],
  ['listUsers', (args) => ({ method: 'GET', path: `/users${toQuery(args)}`, headers: JSON_ONLY })],
]);

function toQuery(args) {
  let query = '';
  for (const key in args) query += `${query === '' ? '?' : '&'}${key}=${encodeURIComponent(args[key])}`;
  return query;
}

/** Collects one answer of the upstream. */
class Answer {
  constructor(done) {
    this.done = done;
    this.status = 0;
    this.first = undefined;
    this.more = undefined;
  }
  onRequestStart() {}
  onResponseStart(_controller, status) {
    this.status = status;
  }
  onResponseData(_controller, chunk) {
    if (this.first === undefined) this.first = chunk;
    else if (this.more === undefined) this.more = [this.first, chunk];
    else this.more.push(chunk);
  }
  onResponseEnd() {
    this.done(this.status, (this.more === undefined ? this.first : Buffer.concat(this.more)).toString());
  }
  onResponseError(_controller, error) {
    this.done(502, error.message);
  }
}

const fail = (id, code, message) => JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });

function handle({ id, method, params }, headers, send) {
  if (checksHeaders) {
    const version = params?._meta?.['io.modelcontextprotocol/protocolVersion'];
    const named = method !== 'tools/call' || headers['mcp-name'] === params.name;
    if (headers['mcp-method'] !== method || headers['mcp-protocol-version'] !== version || !named) {
      return send(fail(id, -32020, 'Header mismatch'));
    }
  }
  if (method === 'tools/list') return send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)}${LIST}`);
  const route = method === 'tools/call' ? ROUTES.get(params.name) : undefined;
  if (route === undefined) return send(fail(id, -32601, 'Not here'));
  pool.dispatch(
    route(params.arguments),
    new Answer((status, text) => {
      const result = `{"content":[{"type":"text","text":${JSON.stringify(text)}}]${status < 400 ? '' : ',"isError":true'}`;
      send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}${END}`);
    }),
  );
}

const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  let first;
  let more;
  request.on('data', (chunk) => {
    if (first === undefined) first = chunk;
    else if (more === undefined) more = [first, chunk];
    else more.push(chunk);
  });
  request.on('end', () => {
    const message = JSON.parse((more === undefined ? first : Buffer.concat(more)).toString());
    handle(message, request.headers, (body) => {
      response.writeHead(200, ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body))]);
      response.end(body);
    });
  });
});
server.listen(Number(PORT), '127.0.0.1', 4_096);
