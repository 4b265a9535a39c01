// What the REST API behind every measured gateway answers: canned bodies, only the id is spliced in.
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

/** The answer to a request with such a body, where it has one: { status, body }. */
export function answerOf(url, body) {
  if (body !== undefined) return { status: 201, body: `{"id":4711,${body.slice(1)}` };
  if (url.startsWith('/users/')) return { status: 200, body: HEAD + url.slice(7, 11) + TAIL };
  return { status: 200, body: url.startsWith('/users') ? LIST : '{"ok":true}' };
}
