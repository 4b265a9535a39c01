// The REST API of a small bookshop, to practise on: plain Node, no dependencies, everything in memory.
//
//   node examples/bookshop.mjs [--port 8080] [--auth key|bearer|login|oauth] [--release 2]
//
// Without --auth every operation is open. With it, all but the document, /health and the token endpoints need a credential:
//   key     X-API-Key: practice-key
//   bearer  Authorization: Bearer practice-token
//   login   POST /login with user practice and password practice-password gives a token for 60 seconds
//   oauth   POST /oauth/token with client id practice and client secret practice-secret gives a token for 60 seconds
// --release 2 is the next version of the API: one operation is new, one is gone, one has a new parameter.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

const text = (value) => ({ type: 'string', default: value });
const { values: options } = parseArgs({ options: { port: text('8080'), auth: text('none'), release: text('1') } });

// --- Data: answers have much that only the shop's own pages need -----------------------------------------------------

const GENRES = ['novel', 'science', 'children', 'crime'];
const STATUSES = ['open', 'paid', 'shipped', 'cancelled'];
const TITLES = `Moby-Dick|Herman Melville|novel, On the Origin of Species|Charles Darwin|science, Emma|Jane Austen|novel,
  Alice in Wonderland|Lewis Carroll|children, The Hound of the Baskervilles|Arthur Conan Doyle|crime, Heidi|Johanna Spyri|children,
  Middlemarch|George Eliot|novel, Opticks|Isaac Newton|science, Peter Pan|J. M. Barrie|children, The Moonstone|Wilkie Collins|crime,
  Micrographia|Robert Hooke|science, The Jungle Book|Rudyard Kipling|children, The Woman in White|Wilkie Collins|crime,
  Dracula|Bram Stoker|novel, Frankenstein|Mary Shelley|novel, Treasure Island|R. L. Stevenson|children, Jane Eyre|Charlotte Brontë|novel,
  A Study in Scarlet|Arthur Conan Doyle|crime, Persuasion|Jane Austen|novel, Hard Times|Charles Dickens|novel, Black Beauty|Anna Sewell|children,
  The Voyage of the Beagle|Charles Darwin|science, Silas Marner|George Eliot|novel, The Secret Garden|F. H. Burnett|children`;

const day = (n) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString();
const books = new Map();
const orders = new Map();

function addBook(book) {
  const id = Math.max(0, ...books.keys()) + 1;
  books.set(id, {
    ...{ id, ...book, currency: 'EUR', isbn: `978-0-00-${100000 + id}-0` },
    ...{
      row_version: 1,
      tenant_id: 'shop-1',
      warehouse_bin: `A${id}`,
      tax_class: 'reduced',
      supplier_ref: `SUP-${id}`,
    },
    ...{
      cover_url: `https://img.bookshop.example/${id}.jpg`,
      thumbnail_url: `https://img.bookshop.example/${id}-s.jpg`,
    },
    marketing_text: `${book.title} by ${book.author}. A favourite of our readers, in a new edition with a foreword.`,
    ...{ created_at: day(id), updated_at: day(id + 3), _links: { self: { href: `/books/${id}` } } },
  });
  return books.get(id);
}

function addOrder({ customer, items }, status = 'open') {
  const id = 1001 + orders.size;
  const total_cents = items.reduce((sum, item) => sum + books.get(item.book_id).price_cents * item.quantity, 0);
  const noise = { row_version: 1, tenant_id: 'shop-1', _links: { self: { href: `/orders/${id}` } } };
  orders.set(id, { id, customer, items, status, total_cents, currency: 'EUR', created_at: day(id - 1000), ...noise });
  return orders.get(id);
}

for (const [n, line] of TITLES.split(/,\s+/).entries()) {
  const [title, author, genre] = line.split('|');
  addBook({ title, author, genre, price_cents: 800 + ((n * 370) % 2100), stock: (n * 5) % 12 });
}
for (let n = 0; n < 40; n++) {
  const customer = { name: ['Ada', 'Grace', 'Alan'][n % 3], email: `customer${n}@example.com` };
  addOrder({ customer, items: [{ book_id: (n % 24) + 1, quantity: (n % 3) + 1 }] }, STATUSES[(n * 3) % 4]);
}

// --- Answers and refusals --------------------------------------------------------------------------------------------

/** An error as RFC 9457 writes it: application/problem+json. */
class Problem extends Error {
  constructor(status, title, detail, more = {}) {
    super(detail);
    this.status = status;
    this.body = { type: 'about:blank', title, status, detail, ...more };
  }
}

/** Takes `{ field: false | 'what is wrong with it' }`. */
function refuseIf(wrong) {
  const errors = Object.entries(wrong).flatMap(([field, message]) => (message ? [{ field, message }] : []));
  const detail = errors.map(({ field, message }) => `${field} ${message}`).join('; ');
  if (errors.length > 0) throw new Problem(422, 'Unprocessable Entity', detail, { errors });
}

function find(map, id, what) {
  const found = map.get(Number(id));
  if (found === undefined) throw new Problem(404, 'Not Found', `There is no ${what} ${id}.`);
  return found;
}

function toPage(rows, { page = 1, per_page = 20 }) {
  refuseIf({
    page: !(page >= 1) && 'must be at least 1',
    per_page: !(per_page >= 1 && per_page <= 100) && 'must be 1 to 100',
  });
  const meta = { page: Number(page), per_page: Number(per_page), total: rows.length, request_id: randomUUID() };
  return { data: rows.slice((page - 1) * per_page, page * per_page), meta };
}

const isCount = (value, least = 0) => Number.isInteger(value) && value >= least;
const isNoneOf = (values, value) => !values.includes(value) && `must be one of ${values.join(', ')}`;

function checkBook({ title, author, genre, price_cents, stock }) {
  refuseIf({
    title: typeof title !== 'string' && 'is required',
    author: typeof author !== 'string' && 'is required',
    genre: isNoneOf(GENRES, genre),
    price_cents: !isCount(price_cents) && 'must be a whole number, 0 or more',
    stock: !isCount(stock) && 'must be a whole number, 0 or more',
  });
}

// --- Operations: how the document describes each, and what it does ----------------------------------------------------

const operations = [];
function operation(name, operationId, described, run) {
  const [method, path] = name.split(' ');
  const tag = operationId.split('Controller')[0];
  operations.push({ method, path, operationId, tags: [tag], ...described, run });
}

const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
const query = (name, schema = { type: 'string' }) => ({ name, in: 'query', required: false, schema });
const pages = [
  query('page', { type: 'integer', minimum: 1, default: 1 }),
  query('per_page', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
];
const genre = { type: 'string', enum: GENRES };
const status = { type: 'string', enum: STATUSES };
const isNew = options.release === '2';

const searched = [query('q'), query('genre', genre), ...(isNew ? [query('author')] : []), ...pages];
operation('GET /books', 'BooksController_findAll', { parameters: searched, answer: 'BookPage' }, ({ query }) => {
  const { q = '', genre, author } = query;
  refuseIf({ genre: genre !== undefined && isNoneOf(GENRES, genre) });
  const found = [...books.values()].filter(
    (book) =>
      `${book.title} ${book.author}`.toLowerCase().includes(q.toLowerCase()) &&
      (genre === undefined || book.genre === genre) &&
      (author === undefined || book.author === author),
  );
  return toPage(found, query);
});
operation('POST /books', 'BooksController_create', { body: 'CreateBookDto', answer: 'Book', code: 201 }, ({ body }) => {
  const book = { stock: 0, ...body };
  checkBook(book);
  return addBook(book);
});
operation('GET /books/{id}', 'BooksController_findOne', { parameters: [id], answer: 'Book' }, ({ id }) =>
  find(books, id, 'book'),
);
const changed = { parameters: [id], body: 'UpdateBookDto', answer: 'Book' };
operation('PATCH /books/{id}', 'BooksController_update', changed, ({ id, body }) => {
  const book = find(books, id, 'book');
  checkBook({ ...book, ...body });
  return Object.assign(book, body, { id: book.id, row_version: book.row_version + 1 });
});
operation('DELETE /books/{id}', 'BooksController_remove', { parameters: [id], code: 204 }, ({ id }) => {
  books.delete(find(books, id, 'book').id);
});
const legacy = { parameters: [query('term')], answer: 'BookPage', deprecated: true };
if (!isNew)
  operation('GET /search', 'BooksController_searchLegacy', legacy, ({ query }) =>
    operations[0].run({ query: { q: query.term } }),
  );
if (isNew)
  operation('GET /books/{id}/reviews', 'BooksController_findReviews', { parameters: [id] }, ({ id }) => ({
    data: [{ book_id: find(books, id, 'book').id, stars: 4, text: 'I read it twice.' }],
  }));

const listed = { parameters: [query('status', status), ...pages], answer: 'OrderPage' };
operation('GET /orders', 'OrdersController_findAll', listed, ({ query }) => {
  refuseIf({ status: query.status !== undefined && isNoneOf(STATUSES, query.status) });
  const found = [...orders.values()].filter((order) => query.status === undefined || order.status === query.status);
  return toPage(found.reverse(), query);
});
const ordered = { body: 'CreateOrderDto', answer: 'Order', code: 201 };
operation('POST /orders', 'OrdersController_create', ordered, ({ body: { customer, items } }) => {
  const isItem = (item) => books.has(item?.book_id) && isCount(item.quantity, 1);
  const isList = Array.isArray(items) && items.length > 0 && items.every(isItem);
  refuseIf({
    'customer.name': typeof customer?.name !== 'string' && 'is required',
    items: !isList && 'must name books of the shop, with a quantity of 1 or more',
  });
  return addOrder({ customer, items });
});
operation('GET /orders/{id}', 'OrdersController_findOne', { parameters: [id], answer: 'Order' }, ({ id }) =>
  find(orders, id, 'order'),
);
operation('POST /orders/{id}/cancel', 'OrdersController_cancel', { parameters: [id], answer: 'Order' }, ({ id }) => {
  const order = find(orders, id, 'order');
  if (order.status === 'shipped' || order.status === 'cancelled')
    throw new Problem(409, 'Conflict', `Order ${id} is ${order.status} already.`);
  return Object.assign(order, { status: 'cancelled', row_version: order.row_version + 1 });
});

operation('GET /reports/sales', 'ReportsController_sales', { answer: 'SalesReport' }, () => {
  const toRow = (n, sold = (n * 7) % 23) => ({
    date: day(n).slice(0, 10),
    book_id: (n % 24) + 1,
    sold,
    revenue_cents: sold * 1200,
  });
  return { rows: Array.from({ length: 200 }, (_, n) => toRow(n)) };
});
const internal = { summary: 'Internal. Shows the headers of this request that tell who calls.' };
operation('GET /whoami', 'AdminController_whoami', internal, ({ headers }) => ({
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => /^(x-|authorization|user-agent)/.test(name))),
}));
operation('POST /admin/reindex', 'AdminController_reindex', { summary: 'Internal.', code: 202 }, () => ({
  queued: true,
}));
operation('GET /health', 'HealthController_check', { isOpen: true }, () => ({ status: 'ok' }));

// --- The OpenAPI document --------------------------------------------------------------------------------------------

/** `title stock:integer` and fields of other types: an object. */
function object(names, others = {}, required = []) {
  const toField = (name) => [name.split(':')[0], { type: name.split(':')[1] ?? 'string' }];
  const properties = { ...Object.fromEntries(names.split(' ').map(toField)), ...others };
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}
const ref = (name) => ({ $ref: `#/components/schemas/${name}` });
const list = (items) => ({ type: 'array', items });
const json = (name) => ({ 'application/json': { schema: ref(name) } });

const item = object('book_id:integer quantity:integer', {}, ['book_id', 'quantity']);
const customer = object('name email', {}, ['name']);
const written = 'title author price_cents:integer stock:integer';
const noise = 'currency row_version:integer tenant_id created_at';
const schemas = {
  Book: object(
    `id:integer ${written} ${noise} isbn warehouse_bin tax_class supplier_ref cover_url thumbnail_url marketing_text updated_at`,
    { genre, _links: { type: 'object' } },
  ),
  CreateBookDto: object(written, { genre }, ['title', 'author', 'genre', 'price_cents']),
  UpdateBookDto: object(written, { genre }),
  Order: object(`id:integer total_cents:integer ${noise}`, {
    status,
    customer,
    items: list(item),
    _links: { type: 'object' },
  }),
  CreateOrderDto: { type: 'object', required: ['customer', 'items'], properties: { customer, items: list(item) } },
  SalesReport: {
    type: 'object',
    properties: { rows: list(object('date book_id:integer sold:integer revenue_cents:integer')) },
  },
  PageMeta: object('page:integer per_page:integer total:integer request_id'),
  BookPage: { type: 'object', properties: { data: list(ref('Book')), meta: ref('PageMeta') } },
  OrderPage: { type: 'object', properties: { data: list(ref('Order')), meta: ref('PageMeta') } },
};
const bearer = { token: { type: 'http', scheme: 'bearer' } };
const securitySchemes = {
  none: {},
  key: { api_key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
  bearer,
  login: bearer,
  oauth: { oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: {} } } } },
}[options.auth];
if (securitySchemes === undefined) {
  console.error('--auth is one of key, bearer, login and oauth.');
  process.exit(2);
}

function toDocument(url) {
  const paths = {};
  for (const {
    method,
    path,
    operationId,
    tags,
    summary,
    deprecated,
    parameters,
    body,
    answer,
    code,
    isOpen,
  } of operations) {
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = {
      ...{ operationId, tags, summary, deprecated, parameters },
      ...(body && { requestBody: { required: true, content: json(body) } }),
      responses: { [code ?? 200]: { description: '', ...(answer && { content: json(answer) }) } },
      ...(isOpen && { security: [] }),
    };
  }
  const security = Object.keys(securitySchemes).map((name) => ({ [name]: [] }));
  const info = { title: 'Bookshop', version: `${options.release}.0.0`, description: 'Books and orders.' };
  return { openapi: '3.0.3', info, servers: [{ url }], security, paths, components: { securitySchemes, schemas } };
}

// --- Credentials -----------------------------------------------------------------------------------------------------

const tokens = new Map();
function issueToken() {
  const token = randomUUID();
  tokens.set(token, Date.now() + 60_000);
  return token;
}

const tokenEndpoints = {
  login: {
    path: '/login',
    answer: ({ text }) => {
      const { user, password } = JSON.parse(text || '{}');
      if (user !== 'practice' || password !== 'practice-password')
        throw new Problem(401, 'Unauthorized', 'User or password is wrong.');
      return { token: issueToken(), expires_in: 60 };
    },
  },
  oauth: {
    path: '/oauth/token',
    answer: ({ text, headers: { authorization } }) => {
      const form = new URLSearchParams(text);
      const basic = authorization?.startsWith('Basic ') && atob(authorization.slice(6)).split(':');
      const [client, secret] = basic || [form.get('client_id'), form.get('client_secret')];
      if (client !== 'practice' || secret !== 'practice-secret')
        throw Object.assign(new Problem(401), { body: { error: 'invalid_client' } });
      return { access_token: issueToken(), token_type: 'Bearer', expires_in: 60 };
    },
  },
};

function checkCredential(headers) {
  if (options.auth === 'none') return;
  const token = headers.authorization?.replace(/^Bearer /, '');
  if (options.auth === 'key') {
    if (headers['x-api-key'] !== 'practice-key')
      throw new Problem(401, 'Unauthorized', 'X-API-Key is missing or wrong.');
  } else if (options.auth === 'bearer' ? token !== 'practice-token' : !(tokens.get(token) > Date.now())) {
    throw new Problem(401, 'Unauthorized', 'The token is missing, wrong or expired.');
  }
}

// --- The server ------------------------------------------------------------------------------------------------------

function answer(method, { pathname, searchParams }, headers, text) {
  const issuer = tokenEndpoints[options.auth];
  if (method === 'POST' && pathname === issuer?.path) return [200, issuer.answer({ text, headers })];
  if (method === 'GET' && pathname === '/openapi.json') return [200, toDocument(address())];
  for (const { path, run, code = 200, isOpen, ...operation } of operations) {
    const match = new RegExp(`^${path.replace('{id}', '([^/]+)')}$`).exec(pathname);
    if (match === null || operation.method !== method) continue;
    if (!isOpen) checkCredential(headers);
    const body = operation.body === undefined ? undefined : JSON.parse(text || '{}');
    return [code, run({ id: match[1], query: Object.fromEntries(searchParams), body, headers })];
  }
  throw new Problem(404, 'Not Found', `There is no ${method} ${pathname}.`);
}

const server = createServer(async (request, response) => {
  const send = (code, type, body) => response.writeHead(code, { 'Content-Type': type }).end(JSON.stringify(body));
  try {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    send(
      ...answer(request.method, new URL(request.url, address()), request.headers, text).toSpliced(
        1,
        0,
        'application/json',
      ),
    );
  } catch (error) {
    const known =
      error instanceof Problem ? error : new Problem(error instanceof SyntaxError ? 400 : 500, 'Error', error.message);
    send(known.status, 'application/problem+json', known.body);
  }
});
const address = () => `http://127.0.0.1:${server.address().port}`;

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
server.once('error', (error) => {
  console.error(
    error.code === 'EADDRINUSE' ? `Port ${options.port} is in use. Choose another with --port.` : error.message,
  );
  process.exit(1);
});
server.listen(Number(options.port), '127.0.0.1', () => {
  console.log(`Bookshop: ${address()} (document: ${address()}/openapi.json)`);
});
