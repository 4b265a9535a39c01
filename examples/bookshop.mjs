// The REST API of a small bookshop, to practise on: plain Node, no dependencies, everything in memory.
//
//   node examples/bookshop.mjs [--port 8080] [--auth key|bearer|login|oauth] [--release 2]
//
// Without --auth every operation is open. With it, all need a credential, except the document, /health and the token endpoints:
//   key     X-API-Key: practice-key
//   bearer  Authorization: Bearer practice-token
//   login   POST /login {"user":"practice","password":"practice-password"} gives a token for 60 seconds
//   oauth   POST /oauth/token, client credentials practice and practice-secret, gives a token for 60 seconds
// --release 2 is the next version of the API: one operation is new, one is gone, one has a new parameter.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

const { values: options } = parseArgs({
  options: {
    port: { type: 'string', default: '8080' },
    auth: { type: 'string', default: 'none' },
    release: { type: 'string', default: '1' },
  },
});
if (!['none', 'key', 'bearer', 'login', 'oauth'].includes(options.auth)) {
  console.error('--auth is one of key, bearer, login, oauth');
  process.exit(2);
}

// ── data ────────────────────────────────────────────────────────────────────────────────────────────────────────

const GENRES = ['novel', 'science', 'children', 'crime'];
const STATUSES = ['open', 'paid', 'shipped', 'cancelled'];
const day = (n) => new Date(Date.UTC(2026, 0, 1 + n)).toISOString();

const books = new Map();
const orders = new Map();

/** A book as the API answers it: with much that only the shop's own pages need. */
function addBook({ title, author, genre, price_cents, stock }, n = books.size) {
  const id = n + 1;
  books.set(id, {
    id,
    title,
    author,
    genre,
    price_cents,
    stock,
    currency: 'EUR',
    isbn: `978-0-00-${String(100000 + id)}-0`,
    row_version: 1,
    tenant_id: 'shop-1',
    warehouse_bin: `A${id}-${(id * 7) % 10}`,
    tax_class: 'reduced',
    supplier_ref: `SUP-${1000 + id}`,
    cover_url: `https://img.bookshop.example/${id}/cover.jpg`,
    thumbnail_url: `https://img.bookshop.example/${id}/thumb.jpg`,
    marketing_text: `${title} by ${author}. A favourite of our readers, in a new edition with a foreword and notes.`,
    created_at: day(n),
    updated_at: day(n + 3),
    _links: { self: { href: `/books/${id}` }, cover: { href: `/books/${id}/cover` } },
  });
  return books.get(id);
}

function addOrder({ customer, items }, status = 'open', n = orders.size) {
  const id = 1001 + n;
  const total_cents = items.reduce((sum, { book_id, quantity }) => sum + books.get(book_id).price_cents * quantity, 0);
  orders.set(id, {
    id,
    customer,
    items,
    status,
    total_cents,
    currency: 'EUR',
    row_version: 1,
    tenant_id: 'shop-1',
    created_at: day(n),
    _links: { self: { href: `/orders/${id}` } },
  });
  return orders.get(id);
}

const TITLES =
  `Moby-Dick|Herman Melville|novel, On the Origin of Species|Charles Darwin|science, Alice in Wonderland|Lewis Carroll|children,
  The Hound of the Baskervilles|Arthur Conan Doyle|crime, Middlemarch|George Eliot|novel, Opticks|Isaac Newton|science, Peter Pan|J. M. Barrie|children,
  The Moonstone|Wilkie Collins|crime, Emma|Jane Austen|novel, Micrographia|Robert Hooke|science, The Jungle Book|Rudyard Kipling|children,
  The Woman in White|Wilkie Collins|crime, Dracula|Bram Stoker|novel, Frankenstein|Mary Shelley|novel, Treasure Island|R. L. Stevenson|children,
  A Study in Scarlet|Arthur Conan Doyle|crime, Persuasion|Jane Austen|novel, Heidi|Johanna Spyri|children, Hard Times|Charles Dickens|novel,
  The Voyage of the Beagle|Charles Darwin|science, Jane Eyre|Charlotte Brontë|novel, Black Beauty|Anna Sewell|children, Silas Marner|George Eliot|novel,
  The Secret Garden|F. H. Burnett|children`.split(/,\s+/);
TITLES.forEach((line, n) => {
  const [title, author, genre] = line.split('|');
  addBook({ title, author, genre, price_cents: 800 + ((n * 370) % 2100), stock: (n * 5) % 12 });
});
for (let n = 0; n < 40; n++)
  addOrder(
    {
      customer: { name: ['Ada', 'Grace', 'Alan', 'Edsger'][n % 4], email: `customer${n}@example.com` },
      items: [{ book_id: (n % 24) + 1, quantity: (n % 3) + 1 }],
    },
    STATUSES[(n * 3) % 4],
  );

// ── operations ──────────────────────────────────────────────────────────────────────────────────────────────────

class Problem extends Error {
  constructor(status, title, detail, extra = {}) {
    super(detail);
    Object.assign(this, { status, body: { type: 'about:blank', title, status, detail, ...extra } });
  }
}
const find = (map, id, what) => {
  const found = map.get(Number(id));
  if (!found) throw new Problem(404, 'Not Found', `There is no ${what} ${id}.`);
  return found;
};
const refuseIf = (errors) => {
  const all = Object.entries(errors)
    .filter(([, wrong]) => wrong)
    .map(([field, message]) => ({ field, message }));
  if (all.length > 0)
    throw new Problem(422, 'Unprocessable Entity', all.map(({ field, message }) => `${field} ${message}`).join('; '), {
      errors: all,
    });
};
const page = (rows, query) => {
  const [number, size] = [Number(query.page ?? 1), Number(query.per_page ?? 20)];
  refuseIf({
    page: !(number >= 1) && 'must be at least 1',
    per_page: !(size >= 1 && size <= 100) && 'must be 1 to 100',
  });
  return {
    data: rows.slice((number - 1) * size, number * size),
    meta: { page: number, per_page: size, total: rows.length, request_id: randomUUID() },
  };
};
const isCount = (value, least = 0) => Number.isInteger(value) && value >= least;
const checkBook = (book) =>
  refuseIf({
    title: typeof book.title !== 'string' && 'is required',
    author: typeof book.author !== 'string' && 'is required',
    genre: !GENRES.includes(book.genre) && `must be one of ${GENRES.join(', ')}`,
    price_cents: !isCount(book.price_cents) && 'must be a whole number, 0 or more',
    stock: !isCount(book.stock) && 'must be a whole number, 0 or more',
  });

// The parts of the document that operations share.
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
const query = (name, schema) => ({ name, in: 'query', required: false, schema });
const pages = [
  query('page', { type: 'integer', minimum: 1, default: 1 }),
  query('per_page', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
];
const genre = { type: 'string', enum: GENRES };
const ref = (name) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema) => ({ required: true, content: { 'application/json': { schema } } });

/** Each operation: what the document says, and what it does. */
const operations = {
  'GET /books': {
    ...{
      operationId: 'BooksController_findAll',
      tags: ['Books'],
      parameters: [query('q', { type: 'string' }), query('genre', genre), ...pages],
      answer: 'BookPage',
    },
    run: ({ query }) => {
      refuseIf({ genre: query.genre && !GENRES.includes(query.genre) && `must be one of ${GENRES.join(', ')}` });
      const matches = (book) =>
        (!query.genre || book.genre === query.genre) &&
        (!query.author || book.author === query.author) &&
        `${book.title} ${book.author}`.toLowerCase().includes((query.q ?? '').toLowerCase());
      return page([...books.values()].filter(matches), query);
    },
  },
  'POST /books': {
    ...{ operationId: 'BooksController_create', tags: ['Books'], body: 'CreateBookDto', answer: 'Book', status: 201 },
    run: ({ body }) => {
      const book = { stock: 0, ...body };
      checkBook(book);
      return addBook(book, Math.max(0, ...books.keys()));
    },
  },
  'GET /books/{id}': {
    ...{ operationId: 'BooksController_findOne', tags: ['Books'], parameters: [id], answer: 'Book' },
    run: ({ id }) => find(books, id, 'book'),
  },
  'PATCH /books/{id}': {
    ...{
      operationId: 'BooksController_update',
      tags: ['Books'],
      parameters: [id],
      body: 'UpdateBookDto',
      answer: 'Book',
    },
    run: ({ id, body }) => {
      const book = find(books, id, 'book');
      const { title, author, genre, price_cents, stock } = { ...book, ...body };
      checkBook({ title, author, genre, price_cents, stock });
      return Object.assign(book, { title, author, genre, price_cents, stock, row_version: book.row_version + 1 });
    },
  },
  'DELETE /books/{id}': {
    ...{ operationId: 'BooksController_remove', tags: ['Books'], parameters: [id], status: 204 },
    run: ({ id }) => void books.delete(find(books, id, 'book').id),
  },
  'GET /search': {
    ...{
      operationId: 'BooksController_searchLegacy',
      tags: ['Books'],
      deprecated: true,
      parameters: [query('term', { type: 'string' })],
      answer: 'BookPage',
    },
    run: ({ query }) => operations['GET /books'].run({ query: { q: query.term } }),
  },
  'GET /orders': {
    ...{
      operationId: 'OrdersController_findAll',
      tags: ['Orders'],
      parameters: [query('status', { type: 'string', enum: STATUSES }), ...pages],
      answer: 'OrderPage',
    },
    run: ({ query }) => {
      refuseIf({ status: query.status && !STATUSES.includes(query.status) && `must be one of ${STATUSES.join(', ')}` });
      return page(
        [...orders.values()].filter(({ status }) => !query.status || status === query.status).reverse(),
        query,
      );
    },
  },
  'POST /orders': {
    ...{
      operationId: 'OrdersController_create',
      tags: ['Orders'],
      body: 'CreateOrderDto',
      answer: 'Order',
      status: 201,
    },
    run: ({ body }) => {
      const isItem = ({ book_id, quantity } = {}) => books.has(book_id) && isCount(quantity, 1);
      refuseIf({
        'customer.name': typeof body.customer?.name !== 'string' && 'is required',
        items:
          !(Array.isArray(body.items) && body.items.length > 0 && body.items.every(isItem)) &&
          'must name books of the shop, with a quantity of 1 or more',
      });
      return addOrder(body);
    },
  },
  'GET /orders/{id}': {
    ...{ operationId: 'OrdersController_findOne', tags: ['Orders'], parameters: [id], answer: 'Order' },
    run: ({ id }) => find(orders, id, 'order'),
  },
  'POST /orders/{id}/cancel': {
    ...{ operationId: 'OrdersController_cancel', tags: ['Orders'], parameters: [id], answer: 'Order' },
    run: ({ id }) => {
      const order = find(orders, id, 'order');
      if (order.status === 'shipped' || order.status === 'cancelled')
        throw new Problem(409, 'Conflict', `Order ${id} is ${order.status} already.`);
      return Object.assign(order, { status: 'cancelled', row_version: order.row_version + 1 });
    },
  },
  'GET /reports/sales': {
    ...{ operationId: 'ReportsController_sales', tags: ['Reports'], answer: 'SalesReport' },
    run: () => ({
      rows: Array.from({ length: 200 }, (_, n) => ({
        date: day(n).slice(0, 10),
        book_id: (n % 24) + 1,
        genre: GENRES[n % 4],
        sold: (n * 7) % 23,
        revenue_cents: ((n * 7) % 23) * 1200,
        region: ['north', 'south'][n % 2],
      })),
    }),
  },
  'GET /whoami': {
    ...{
      operationId: 'AdminController_whoami',
      tags: ['Admin'],
      summary: 'Internal. Headers of this request that say who calls.',
    },
    run: ({ headers }) => ({
      authenticated_by: options.auth,
      headers: Object.fromEntries(
        Object.entries(headers).filter(([name]) => /^(x-|authorization|user-agent)/.test(name)),
      ),
    }),
  },
  'POST /admin/reindex': {
    ...{
      operationId: 'AdminController_reindex',
      tags: ['Admin'],
      summary: 'Internal. Rebuilds the search index.',
      status: 202,
    },
    run: () => ({ job: 'reindex', queued: true }),
  },
  'GET /health': {
    ...{ operationId: 'HealthController_check', tags: ['Admin'], isOpen: true },
    run: () => ({ status: 'ok' }),
  },
};
if (options.release === '2') {
  operations['GET /books'].parameters.push(query('author', { type: 'string' }));
  delete operations['GET /search'];
  operations['GET /books/{id}/reviews'] = {
    ...{ operationId: 'ReviewsController_findAll', tags: ['Books'], parameters: [id] },
    run: ({ id }) => ({ data: [{ book_id: find(books, id, 'book').id, stars: 4, text: 'Read it twice.' }] }),
  };
}

// ── document ────────────────────────────────────────────────────────────────────────────────────────────────────

const fields = (names) =>
  Object.fromEntries(
    names
      .split(' ')
      .map((name) => [
        name,
        { type: /_cents|stock|quantity|id$|version|sold/.test(name) && !/tenant/.test(name) ? 'integer' : 'string' },
      ]),
  );
const object = (names, more = {}, required = []) => ({
  type: 'object',
  ...(required.length > 0 && { required }),
  properties: { ...fields(names), ...more },
});
const list = (name) => object('', { data: { type: 'array', items: ref(name) }, meta: ref('PageMeta') });
const item = object('book_id quantity', {}, ['book_id', 'quantity']);
const customer = object('name email', {}, ['name']);
const writable = { ...fields('title author price_cents stock'), genre };

const SCHEMES = {
  key: { api_key: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
  bearer: { token: { type: 'http', scheme: 'bearer' } },
  login: { token: { type: 'http', scheme: 'bearer' } },
  oauth: { oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: {} } } } },
};

function toDocument(base) {
  const paths = {};
  for (const [
    name,
    { operationId, tags, summary, deprecated, parameters, body, answer, status = 200, isOpen },
  ] of Object.entries(operations)) {
    const [method, path] = name.split(' ');
    const success = { description: '', ...(answer && { content: { 'application/json': { schema: ref(answer) } } }) };
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        operationId,
        tags,
        summary: summary ?? '',
        ...(deprecated && { deprecated }),
        ...(parameters && { parameters }),
        ...(body && { requestBody: json(ref(body)) }),
        responses: { [status]: success },
        ...(isOpen && { security: [] }),
      },
    };
  }
  const scheme = SCHEMES[options.auth];
  return {
    openapi: '3.0.3',
    info: { title: 'Bookshop', version: `${options.release}.0.0`, description: 'Books and orders.' },
    servers: [{ url: base }],
    paths,
    ...(scheme && { security: [{ [Object.keys(scheme)[0]]: [] }] }),
    components: {
      ...(scheme && { securitySchemes: scheme }),
      schemas: {
        Book: object(
          'id title author price_cents stock currency isbn row_version tenant_id warehouse_bin tax_class supplier_ref cover_url thumbnail_url marketing_text created_at updated_at',
          { genre, _links: { type: 'object' } },
        ),
        CreateBookDto: { type: 'object', required: ['title', 'author', 'genre', 'price_cents'], properties: writable },
        UpdateBookDto: { type: 'object', properties: writable },
        Order: object('id total_cents currency row_version tenant_id created_at', {
          status: { type: 'string', enum: STATUSES },
          customer,
          items: { type: 'array', items: item },
          _links: { type: 'object' },
        }),
        CreateOrderDto: {
          type: 'object',
          required: ['customer', 'items'],
          properties: { customer, items: { type: 'array', minItems: 1, items: item } },
        },
        SalesReport: object('', {
          rows: { type: 'array', items: object('date book_id genre sold revenue_cents region') },
        }),
        PageMeta: {
          type: 'object',
          properties: {
            page: { type: 'integer' },
            per_page: { type: 'integer' },
            total: { type: 'integer' },
            request_id: { type: 'string' },
          },
        },
        BookPage: list('Book'),
        OrderPage: list('Order'),
      },
    },
  };
}

// ── server ──────────────────────────────────────────────────────────────────────────────────────────────────────

const tokens = new Map();
const issue = () => {
  const token = randomUUID();
  tokens.set(token, Date.now() + 60_000);
  return token;
};

/** POST /login and POST /oauth/token: a token for the right credentials. */
function issueToken(path, headers, text) {
  if (path === '/login') {
    const { user, password } = JSON.parse(text || '{}');
    if (user !== 'practice' || password !== 'practice-password')
      throw new Problem(401, 'Unauthorized', 'Wrong user or password.');
    return { token: issue(), expires_in: 60 };
  }
  const form = new URLSearchParams(text);
  const [client, secret] = headers.authorization?.startsWith('Basic ')
    ? atob(headers.authorization.slice(6)).split(':')
    : [form.get('client_id'), form.get('client_secret')];
  if (client !== 'practice' || secret !== 'practice-secret')
    throw Object.assign(new Problem(401, 'Unauthorized', ''), { body: { error: 'invalid_client' } });
  return { access_token: issue(), token_type: 'Bearer', expires_in: 60 };
}

function checkCredential(headers) {
  if (options.auth === 'none') return;
  const bearer = headers.authorization?.replace(/^Bearer /, '');
  const isRight =
    { key: () => headers['x-api-key'] === 'practice-key', bearer: () => bearer === 'practice-token' }[options.auth] ??
    (() => tokens.get(bearer) > Date.now());
  if (!isRight())
    throw new Problem(
      401,
      'Unauthorized',
      options.auth === 'key' ? 'X-API-Key is missing or wrong.' : 'The token is missing, wrong or expired.',
    );
}

function answer(method, url, headers, text) {
  if (method === 'GET' && url.pathname === '/openapi.json')
    return [200, toDocument(`http://127.0.0.1:${server.address().port}`)];
  if (method === 'POST' && url.pathname === { login: '/login', oauth: '/oauth/token' }[options.auth])
    return [200, issueToken(url.pathname, headers, text)];
  for (const [name, operation] of Object.entries(operations)) {
    const [verb, path] = name.split(' ');
    const match = new RegExp(`^${path.replace('{id}', '([^/]+)')}$`).exec(url.pathname);
    if (verb !== method || !match) continue;
    if (!operation.isOpen) checkCredential(headers);
    const body = text && operation.body ? JSON.parse(text) : {};
    return [
      operation.status ?? 200,
      operation.run({ id: match[1], query: Object.fromEntries(url.searchParams), body, headers }),
    ];
  }
  throw new Problem(404, 'Not Found', `There is no ${method} ${url.pathname}.`);
}

const server = createServer(async (request, response) => {
  const send = (status, type, body) =>
    response.writeHead(status, { 'Content-Type': type }).end(body === undefined ? undefined : JSON.stringify(body));
  try {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const [status, body] = answer(request.method, new URL(request.url, 'http://127.0.0.1'), request.headers, text);
    send(status, 'application/json', body);
  } catch (error) {
    const problem =
      error instanceof Problem ? error : new Problem(error instanceof SyntaxError ? 400 : 500, 'Error', error.message);
    send(problem.status, 'application/problem+json', problem.body);
  }
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
server.once('error', ({ code }) => {
  console.error(code === 'EADDRINUSE' ? `Port ${options.port} is in use; pick another with --port.` : code);
  process.exit(1);
});
server.listen(Number(options.port), '127.0.0.1', () => {
  const base = `http://127.0.0.1:${server.address().port}`;
  console.log(`Bookshop: ${base} (document: ${base}/openapi.json)`);
});
