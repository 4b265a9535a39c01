// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is what domain files write
// What an import writes about the login of a document.
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { loginLines } from '../../src/credentials/login/document-login.ts';
import { importValue, openapi, SERVER } from '../openapi/support.ts';

const body = (properties: object, mediaType = 'application/json') => ({
  requestBody: {
    required: true,
    content: { [mediaType]: { schema: { type: 'object', required: Object.keys(properties), properties } } },
  },
});
const text = { type: 'string' };

async function lines(paths: object, schemes: object, security: unknown = undefined): Promise<string> {
  const document = openapi(paths, {
    components: { securitySchemes: schemes },
    ...(security !== undefined && { security }),
  });
  return loginLines(await importValue(document, { name: 'shop', ownOrigin: true })).join('\n');
}

const flow = (tokenUrl: string) => ({ type: 'oauth2', flows: { password: { tokenUrl, scopes: {} } } });

test('a password flow is written out, with the scopes of all operations', async () => {
  const paths = {
    '/a': { get: { security: [{ login: ['read'] }] } },
    '/b': { get: { security: [{ login: ['write'] }] } },
  };
  expect(parse(await lines(paths, { login: flow('token') }))).toEqual({
    credentials: {
      login: {
        kind: 'login',
        path: '/token',
        form: {
          grant_type: 'password',
          username: '${SHOP_LOGIN_USERNAME}',
          password: '${SHOP_LOGIN_PASSWORD}',
          scope: 'read write',
        },
      },
    },
  });
  const besideTheBase = parse(await lines(paths, { login: flow('/token') })) as { credentials: { login: object } };
  expect(besideTheBase.credentials.login).toMatchObject({ url: new URL('/token', SERVER).href });
});

test('a scope that would be filled in as a variable is left out, and a client id that is set has its own field', async () => {
  const document = openapi(
    { '/a': { get: { security: [{ login: ['read', '${AWS_SECRET}'] }] } } },
    { components: { securitySchemes: { login: flow('token') } } },
  );
  const env = { SHOP_LOGIN_CLIENT_SECRET: 'client-secret', AWS_SECRET: 'value-of-it' };
  const written = loginLines(await importValue(document, { name: 'shop', ownOrigin: true, env })).join('\n');
  expect((parse(written) as { credentials: { login: { form: object } } }).credentials.login.form).toEqual({
    grant_type: 'password',
    username: '${SHOP_LOGIN_USERNAME}',
    password: '${SHOP_LOGIN_PASSWORD}',
    client_secret: '${SHOP_LOGIN_CLIENT_SECRET}',
    scope: 'read',
  });
  expect(written).not.toContain('value-of-it');
});

test('a login at another origin is only proposed in comments: a person decides whether it gets a password', async () => {
  const written = await lines({ '/a': { get: {} } }, { login: flow('https://id.example/token') }, [{ login: [] }]);
  expect(written).toContain('#     url: "https://id.example/token"');
  expect(parse(written)).toBeNull();
});

test('a login operation beside a bearer token is proposed by its path and fields', async () => {
  const paths = {
    '/auth/login': { post: { security: [], ...body({ email: text, password: text }) } },
    '/items': { get: {} },
  };
  const bearer = { bearerAuth: { type: 'http', scheme: 'bearer' } };
  const written = await lines(paths, bearer, [{ bearerAuth: [] }]);
  expect(parse(written)).toBeNull();
  const example = written.split('\n').slice(1).join('\n').replaceAll(/^# /gm, '');
  expect(parse(example)).toEqual({
    credentials: {
      bearerAuth: {
        kind: 'login',
        path: '/auth/login',
        body: { email: '${SHOP_EMAIL}', password: '${SHOP_PASSWORD}' },
      },
    },
  });
});

test('no text of a document can start a line of its own, and a document without a login gets no lines', async () => {
  const field = 'x\npassword: y';
  const paths = { '/login': { post: body({ [field]: text, password: text }) }, '/items': { get: {} } };
  expect(parse(await lines(paths, {}))).toBeNull();
  expect(await lines({ '/items': { get: {} } }, {})).toBe('');
  const users = { '/users': { post: body({ name: text, password: text }) } };
  expect(await lines(users, {})).toBe('');
});
