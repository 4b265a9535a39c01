// The REST API behind every measured gateway: canned bodies, as cheap as node:http allows. GET /__count says how many
// requests it has answered, so that no gateway can look fast by not asking.
import { createServer } from 'node:http';

const TEXT = 'She wrote \\"notes\\" longer than the article she translated,\\nand the first program with them. ';
const [HEAD, TAIL] = JSON.stringify({
  id: '@',
  name: 'Ada Lovelace',
  email: 'ada@example.org',
  role: 'member',
  active: true,
  address: { street: "12 St James's Square", city: 'London', geo: { lat: 51.5079, lng: -0.1339 } },
  tags: ['mathematics', 'engine', 'poetry'],
  bio: TEXT.repeat(6),
}).split('"@"');
const item = (id) => ({ id, name: `User number ${id}`, email: `user${id}@example.org`, active: true, bio: TEXT });
const LIST = JSON.stringify({ items: Array.from({ length: 88 }, (_, index) => item(index + 1)), total: 88 });

/** How long it thinks before it answers: an API that is far away, or slow. */
const DELAY_MS = Number(process.env.UPSTREAM_DELAY_MS ?? 0);

const send = (response, status, body) => {
  if (DELAY_MS === 0) return answer(response, status, body);
  setTimeout(answer, DELAY_MS, response, status, body);
};

const answer = (response, status, body) => {
  response.writeHead(status, ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body))]);
  response.end(body);
};

let count = 0;
const server = createServer((request, response) => {
  const { method, url } = request;
  if (url === '/__count') return answer(response, 200, String(count));
  count++;
  if (method === 'POST' || method === 'PUT') {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    return request.on('end', () => send(response, 201, `{"id":4711,${Buffer.concat(chunks).toString().slice(1)}`));
  }
  if (url.startsWith('/users/')) return send(response, 200, HEAD + url.slice(7, 11) + TAIL);
  send(response, 200, url.startsWith('/users') ? LIST : '{"ok":true}');
});
server.keepAliveTimeout = 600_000;
server.requestTimeout = 0;
server.listen(Number(process.env.UPSTREAM_PORT), '127.0.0.1', 4_096);
