// The OpenAPI documents that are measured: the API of upstream.mjs, and the same get operation many times over.
const ROLE = { type: 'string', enum: ['admin', 'member', 'guest'] };
const NEW_USER = {
  name: { type: 'string', minLength: 1, maxLength: 100, description: 'Full name' },
  email: { type: 'string', maxLength: 200, description: 'E-mail address' },
  age: { type: 'integer', minimum: 0, maximum: 150, description: 'Age in years' },
  role: { ...ROLE, description: 'What the user may do' },
  active: { type: 'boolean', description: 'Whether the account is in use' },
};
const ID = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Identifier',
  schema: { type: 'integer', minimum: 1 },
};
const query = (name, schema, description) => ({ name, in: 'query', description, schema });
const PAGE = [
  query('limit', { type: 'integer', minimum: 1, maximum: 100 }, 'Page size'),
  query('offset', { type: 'integer', minimum: 0 }, 'Items to skip'),
];
const answer = (schema) => ({ description: 'OK', content: { 'application/json': { schema } } });
const USER = { $ref: '#/components/schemas/User' };
const BODY = { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/NewUser' } } } };

const operation = (operationId, summary, parameters, more = {}) => ({
  operationId,
  summary,
  tags: ['users'],
  parameters,
  responses: { 200: answer(USER) },
  ...more,
});

function buildDocument(title, paths) {
  return {
    openapi: '3.0.3',
    info: { title, version: '1.0.0' },
    servers: [{ url: 'http://127.0.0.1:1' }],
    paths,
    components: {
      schemas: {
        User: { type: 'object', properties: { id: { type: 'integer' }, ...NEW_USER } },
        NewUser: {
          type: 'object',
          additionalProperties: false,
          required: Object.keys(NEW_USER),
          properties: NEW_USER,
        },
      },
    },
  };
}

/** Ten ordinary operations. */
export function buildLabDocument() {
  const filters = [query('role', ROLE, 'Role'), query('q', { type: 'string' }, 'Text to find')];
  const active = query('active', { type: 'boolean' }, 'Only accounts in use');
  return buildDocument('Lab', {
    '/users': {
      get: operation('listUsers', 'List users, filtered and paged.', [...PAGE, ...filters, active]),
      post: operation('createUser', 'Create one user.', [], { requestBody: BODY }),
    },
    '/users/{id}': {
      get: operation('getUser', 'Get one user.', [ID]),
      put: operation('updateUser', 'Replace one user.', [ID], { requestBody: BODY }),
      delete: operation('deleteUser', 'Delete one user.', [ID]),
    },
    '/users/{id}/posts': { get: operation('listUserPosts', 'List the posts of a user.', [ID, ...PAGE]) },
    '/posts': { get: operation('listPosts', 'List posts.', [...PAGE]) },
    '/posts/{id}': {
      get: operation('getPost', 'Get one post.', [ID]),
      delete: operation('deletePost', 'Delete one post.', [ID]),
    },
    '/health': { get: operation('getHealth', 'Tell whether the API is well.', []) },
  });
}

/** `count` operations, each its own path and tool: getPart0 … */
export function buildManyDocument(count) {
  const paths = {};
  for (let index = 0; index < count; index++) {
    const summary = `Get part ${index} of one user.`;
    paths[`/users/{id}/part${index}`] = { get: operation(`getPart${index}`, summary, [ID, ...PAGE]) };
  }
  return buildDocument(`Lab of ${count}`, paths);
}
