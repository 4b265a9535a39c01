// A recipe box on Hono: zod schemas, @hono/zod-openapi, JWT-like bearer tokens.
import { randomBytes } from 'node:crypto';
import { serve } from '@hono/node-server';
import { swaggerUI } from '@hono/swagger-ui';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';

const app = new OpenAPIHono();
const USERS = new Map([['ada', 'correct horse']]);
const tokens = new Set<string>();
const recipes = new Map<string, z.infer<typeof Recipe>>();
const scans = new Map<string, File>();
let count = 0;

const Ingredient = z.object({ name: z.string(), grams: z.number().positive().nullable().optional() });
const NewRecipe = z
  .object({
    title: z.string().min(1).openapi({ example: 'Apple pie' }),
    ingredients: z.array(Ingredient).optional(),
    visibility: z.enum(['private', 'shared']).default('private'),
  })
  .openapi('NewRecipe');
const Recipe = NewRecipe.extend({ id: z.string() }).openapi('Recipe');
const Problem = z.object({ message: z.string() }).openapi('Problem');
const IdParam = z.object({ id: z.string().openapi({ param: { name: 'id', in: 'path' }, example: 'r1' }) });

const json = (schema: z.ZodType) => ({ 'application/json': { schema } });
const security = [{ Bearer: [] }];
const notFound = { description: 'No such recipe', content: json(Problem) };

app.openAPIRegistry.registerComponent('securitySchemes', 'Bearer', { type: 'http', scheme: 'bearer' });

app.use('/recipes/*', async (c, next) => {
  const token = c.req.header('authorization')?.replace(/^Bearer /, '') ?? '';
  if (!tokens.has(token)) return c.json({ message: 'Unauthorized' }, 401);
  return next();
});

app.openapi(
  createRoute({
    method: 'post',
    path: '/auth/sign-in',
    tags: ['Auth'],
    request: { body: { content: json(z.object({ email: z.string().email(), password: z.string() })) } },
    responses: {
      200: {
        description: 'Signed in',
        content: json(z.object({ data: z.object({ token: z.string(), expiresIn: z.number() }) })),
      },
      401: { description: 'Wrong', content: json(Problem) },
    },
  }),
  (c) => {
    const { email, password } = c.req.valid('json');
    if (USERS.get(email.split('@')[0]!) !== password) return c.json({ message: 'Wrong email or password' }, 401);
    const token = randomBytes(16).toString('hex');
    tokens.add(token);
    return c.json({ data: { token, expiresIn: 3600 } }, 200);
  },
);

app.openapi(
  createRoute({
    method: 'post',
    path: '/recipes',
    tags: ['Recipes'],
    security,
    request: { body: { content: json(NewRecipe) } },
    responses: { 201: { description: 'The new recipe', content: json(Recipe) } },
  }),
  (c) => {
    const recipe = { id: `r${++count}`, ...c.req.valid('json') };
    recipes.set(recipe.id, recipe);
    return c.json(recipe, 201);
  },
);

app.openapi(
  createRoute({
    method: 'get',
    path: '/recipes',
    tags: ['Recipes'],
    security,
    request: {
      query: z.object({
        offset: z.coerce.number().int().min(0).default(0),
        limit: z.coerce.number().int().min(1).max(100).default(20),
        q: z.string().optional(),
      }),
    },
    responses: {
      200: { description: 'Recipes', content: json(z.object({ items: z.array(Recipe), total: z.number() })) },
    },
  }),
  (c) => {
    const { offset, limit, q } = c.req.valid('query');
    const all = [...recipes.values()].filter(({ title }) => q === undefined || title.includes(q));
    return c.json({ items: all.slice(offset, offset + limit), total: all.length }, 200);
  },
);

app.openapi(
  createRoute({
    method: 'get',
    path: '/recipes/{id}',
    tags: ['Recipes'],
    security,
    request: { params: IdParam },
    responses: { 200: { description: 'The recipe', content: json(Recipe) }, 404: notFound },
  }),
  (c) => {
    const recipe = recipes.get(c.req.valid('param').id);
    return recipe ? c.json(recipe, 200) : c.json({ message: 'No such recipe' }, 404);
  },
);

app.openapi(
  createRoute({
    method: 'put',
    path: '/recipes/{id}',
    tags: ['Recipes'],
    security,
    request: { params: IdParam, body: { content: json(NewRecipe) } },
    responses: { 200: { description: 'The recipe as it is now', content: json(Recipe) }, 404: notFound },
  }),
  (c) => {
    const { id } = c.req.valid('param');
    if (!recipes.has(id)) return c.json({ message: 'No such recipe' }, 404);
    const recipe = { id, ...c.req.valid('json') };
    recipes.set(id, recipe);
    return c.json(recipe, 200);
  },
);

app.openapi(
  createRoute({
    method: 'delete',
    path: '/recipes/{id}',
    tags: ['Recipes'],
    security,
    request: { params: IdParam },
    responses: { 204: { description: 'Gone' }, 404: notFound },
  }),
  (c) => {
    const { id } = c.req.valid('param');
    if (!recipes.delete(id)) return c.json({ message: 'No such recipe' }, 404);
    return c.body(null, 204);
  },
);

app.openapi(
  createRoute({
    method: 'post',
    path: '/recipes/{id}/scan',
    tags: ['Scans'],
    security,
    request: {
      params: IdParam,
      body: {
        content: {
          'multipart/form-data': {
            schema: z.object({ file: z.instanceof(File).openapi({ type: 'string', format: 'binary' }) }),
          },
        },
      },
    },
    responses: {
      200: { description: 'Stored', content: json(z.object({ name: z.string(), type: z.string(), size: z.number() })) },
      404: notFound,
    },
  }),
  (c) => {
    const { id } = c.req.valid('param');
    if (!recipes.has(id)) return c.json({ message: 'No such recipe' }, 404);
    const { file } = c.req.valid('form');
    scans.set(id, file);
    return c.json({ name: file.name, type: file.type, size: file.size }, 200);
  },
);

app.openapi(
  createRoute({
    method: 'get',
    path: '/recipes/{id}/scan',
    tags: ['Scans'],
    security,
    request: { params: IdParam },
    responses: {
      200: {
        description: 'The scan',
        content: { 'application/pdf': { schema: z.string().openapi({ format: 'binary' }) } },
      },
      404: notFound,
    },
  }),
  async (c) => {
    const scan = scans.get(c.req.valid('param').id);
    if (!scan) return c.json({ message: 'No scan' }, 404);
    return c.body(await scan.arrayBuffer(), 200, { 'Content-Type': scan.type }) as never;
  },
);

app.doc('/doc', { openapi: '3.0.0', info: { title: 'Recipe box', version: '0.9.0' } });
app.get('/ui', swaggerUI({ url: '/doc' }));

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`listening on http://127.0.0.1:${port}`),
);
