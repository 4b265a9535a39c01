// A library on Fastify: JSON Schemas per route, @fastify/swagger, a session cookie that the login sets.
import { randomBytes } from 'node:crypto';
import cookie from '@fastify/cookie';
import multipart from '@fastify/multipart';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import Fastify from 'fastify';

const app = Fastify();
await app.register(cookie);
await app.register(multipart);
await app.register(swagger, {
  openapi: {
    info: { title: 'Library', version: '2.1.0' },
    components: { securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'sid' } } },
  },
});
await app.register(swaggerUi, { routePrefix: '/documentation' });

const USERS = new Map([['ada', 'correct horse']]);
const sessions = new Set<string>();
const books = new Map<string, Record<string, unknown>>();
const covers = new Map<string, { name: string; type: string; bytes: Buffer }>();
let count = 0;

app.addSchema({
  $id: 'Book',
  type: 'object',
  properties: {
    id: { type: 'string' },
    title: { type: 'string' },
    year: { type: 'integer', nullable: true },
    tags: { type: 'array', items: { type: 'string' } },
  },
});
const idParams = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const security = [{ session: [] }];

app.post(
  '/session',
  {
    schema: {
      tags: ['session'],
      summary: 'Logs in',
      body: {
        type: 'object',
        required: ['username', 'password'],
        properties: { username: { type: 'string' }, password: { type: 'string' } },
      },
    },
  },
  async (request, reply) => {
    const { username, password } = request.body as { username: string; password: string };
    if (USERS.get(username) !== password) return reply.code(401).send({ error: 'Wrong username or password' });
    const sid = randomBytes(16).toString('hex');
    sessions.add(sid);
    return reply.setCookie('sid', sid, { path: '/', httpOnly: true, sameSite: 'lax' }).send({ ok: true });
  },
);

await app.register(
  async (books_) => {
    books_.addHook('onRequest', async (request, reply) => {
      if (!sessions.has(request.cookies.sid ?? '')) return reply.code(401).send({ error: 'Log in first' });
    });

    books_.post(
      '/',
      {
        schema: {
          tags: ['books'],
          summary: 'Adds a book',
          security,
          body: {
            type: 'object',
            required: ['title'],
            additionalProperties: false,
            properties: {
              title: { type: 'string', minLength: 1 },
              year: { type: 'integer', nullable: true },
              tags: { type: 'array', items: { type: 'string' } },
            },
          },
          response: { 201: { $ref: 'Book#' } },
        },
      },
      async (request, reply) => {
        const id = `b${++count}`;
        books.set(id, { id, ...(request.body as object) });
        return reply.code(201).send(books.get(id));
      },
    );

    books_.get(
      '/',
      {
        schema: {
          tags: ['books'],
          summary: 'Books of the library',
          security,
          querystring: {
            type: 'object',
            properties: {
              after: { type: 'string', description: 'The cursor of the page before' },
              limit: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
              tag: { type: 'array', items: { type: 'string' } },
            },
          },
          response: {
            200: {
              type: 'object',
              properties: {
                data: { type: 'array', items: { $ref: 'Book#' } },
                next_cursor: { type: 'string', nullable: true },
              },
            },
          },
        },
      },
      async (request) => {
        const { after, limit, tag } = request.query as { after?: string; limit: number; tag?: string[] };
        const all = [...books.values()].filter(
          (book) => !tag || tag.every((one) => (book.tags as string[] | undefined)?.includes(one)),
        );
        const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
        const data = all.slice(start, start + limit);
        return { data, next_cursor: start + limit < all.length ? data.at(-1)?.id : null };
      },
    );

    books_.get(
      '/:id',
      { schema: { tags: ['books'], security, params: idParams, response: { 200: { $ref: 'Book#' } } } },
      async (request, reply) => {
        const { id } = request.params as { id: string };
        return books.get(id) ?? reply.code(404).send({ error: `No book ${id}` });
      },
    );

    books_.patch(
      '/:id',
      {
        schema: {
          tags: ['books'],
          summary: 'Changes a book',
          security,
          params: idParams,
          body: {
            type: 'object',
            additionalProperties: false,
            properties: {
              title: { type: 'string' },
              year: { type: 'integer', nullable: true },
              tags: { type: 'array', items: { type: 'string' } },
            },
          },
          response: { 200: { $ref: 'Book#' } },
        },
      },
      async (request, reply) => {
        const { id } = request.params as { id: string };
        const book = books.get(id);
        if (!book) return reply.code(404).send({ error: `No book ${id}` });
        return Object.assign(book, request.body);
      },
    );

    books_.delete(
      '/:id',
      { schema: { tags: ['books'], summary: 'Withdraws a book', security, params: idParams } },
      async (request, reply) => {
        const { id } = request.params as { id: string };
        if (!books.delete(id)) return reply.code(404).send({ error: `No book ${id}` });
        return reply.code(204).send();
      },
    );

    books_.post(
      '/:id/cover',
      {
        schema: {
          tags: ['covers'],
          summary: 'Uploads the cover',
          security,
          consumes: ['multipart/form-data'],
          params: idParams,
          body: {
            type: 'object',
            required: ['file'],
            properties: { file: { type: 'string', format: 'binary' }, credit: { type: 'string' } },
          },
        },
        // The body is documentation here: @fastify/multipart reads the parts itself.
        validatorCompiler: () => () => true,
      },
      async (request, reply) => {
        const { id } = request.params as { id: string };
        if (!books.has(id)) return reply.code(404).send({ error: `No book ${id}` });
        const file = await request.file();
        if (!file) return reply.code(400).send({ error: 'A file is required' });
        const bytes = await file.toBuffer();
        covers.set(id, { name: file.filename, type: file.mimetype, bytes });
        return { filename: file.filename, mimetype: file.mimetype, size: bytes.length };
      },
    );

    books_.get(
      '/:id/cover',
      {
        schema: {
          tags: ['covers'],
          summary: 'Downloads the cover',
          security,
          params: idParams,
          produces: ['image/png'],
        },
      },
      async (request, reply) => {
        const { id } = request.params as { id: string };
        const cover = covers.get(id);
        if (!cover) return reply.code(404).send({ error: `No cover of ${id}` });
        return reply.type(cover.type).send(cover.bytes);
      },
    );
  },
  { prefix: '/api/v1/books' },
);

console.log(`listening on ${await app.listen({ port: 0, host: '127.0.0.1' })}`);
