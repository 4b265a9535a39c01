// The REST API behind every measured gateway: canned bodies, as cheap as node:http allows. GET /__count says how many
// requests it has answered, so that no gateway can look fast by not asking.
import { createServer } from 'node:http';
import { answerOf } from './upstream-answers.mjs';

/** How long it thinks before it answers: an API that is far away, or slow. */
const DELAY_MS = Number(process.env.UPSTREAM_DELAY_MS ?? 0);

const send = (response, reply) => {
  if (DELAY_MS === 0) return write(response, reply);
  setTimeout(write, DELAY_MS, response, reply);
};

const write = (response, { status, body }) => {
  response.writeHead(status, ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body))]);
  response.end(body);
};

let count = 0;
const server = createServer((request, response) => {
  const { method, url } = request;
  if (url === '/__count') return write(response, { status: 200, body: String(count) });
  count++;
  if (method === 'POST' || method === 'PUT') {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    return request.on('end', () => send(response, answerOf(url, Buffer.concat(chunks).toString())));
  }
  send(response, answerOf(url));
});
server.keepAliveTimeout = 600_000;
server.requestTimeout = 0;
server.listen(Number(process.env.UPSTREAM_PORT), '127.0.0.1', 4_096);
