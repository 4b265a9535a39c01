// Names: portable, unique, stable.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ARGUMENT_KEY, DOMAIN_NAME, fitName, TOOL_NAME, toArgumentKey, toSnakeCase } from '../../src/endpoint/names.ts';
import { importValue, openapi } from './support.ts';

test.each([
  ['getPetById', 'get_pet_by_id'],
  ['listHTTPServers', 'list_http_servers'],
  ['repos/create-release-asset', 'repos_create_release_asset'],
  ['OAuth2Token', 'oauth2_token'],
  ['  Foo..Bar  ', 'foo_bar'],
  ['Été_Ligne', 'ete_ligne'],
  ['中文', ''],
  ['', ''],
])('%s in snake case is %s', (text, want) => {
  expect(toSnakeCase(text)).toBe(want);
});

test('any text becomes a valid argument key', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
      const key = toArgumentKey(text, 'field');
      expect(key).toMatch(ARGUMENT_KEY);
      expect(['__proto__', 'constructor', 'prototype']).not.toContain(key);
      expect(fitName(key, 64)).toBe(key);
    }),
  );
});

describe('names of tools', () => {
  const names = async (paths: object, options = {}) =>
    (await importValue(openapi(paths), options)).endpoints.map(({ toolName }) => toolName);

  test('come from x-mcp, else the operationId, else method and path', async () => {
    const paths = {
      '/pets/{petId}': {
        get: { operationId: 'showPet', 'x-mcp': { name: 'look_at_pet' } },
        put: { operationId: 'replacePet' },
        delete: {},
      },
      '/orgs/{org}/members': { get: { operationId: '取得' } },
      '/': { get: {} },
    };
    expect(await names(paths)).toEqual(['look_at_pet', 'replace_pet', 'delete_pet', 'list_org_members', 'get_root']);
  });

  test('are valid for colliding names, names of Object.prototype and leading digits', async () => {
    const ids = ['a-b', 'a_b', 'A.B', 'constructor', '__proto__', '2fa', 'toString'];
    const paths = Object.fromEntries(ids.map((operationId, index) => [`/p${index}`, { get: { operationId } }]));
    expect(await names(paths)).toEqual(['a_b_p0', 'a_b_p1', 'a_b_p2', 'constructor', 'proto', 'op_2fa', 'to_string']);
  });

  test('of duplicate operationIds are distinguished by the method, with a warning', async () => {
    const domain = await importValue(openapi({ '/a': { get: { operationId: 'x' }, post: { operationId: 'x' } } }));
    expect(domain.endpoints.map(({ action, id }) => [action, id])).toEqual([
      ['x_get', 'test.x_get'],
      ['x_post', 'test.x_post'],
    ]);
    expect(domain.warnings.join()).toContain('share the operationId "x"');
  });

  test('include the prefix in their limit', async () => {
    const [name] = await names({ '/a': { get: { operationId: 'y'.repeat(60) } } }, { prefix: 'gh_' });
    expect(name).toMatch(/^gh_y+_[0-9a-f]{6}$/);
    expect(name).toMatch(TOOL_NAME);
    await expect(importValue(openapi({}), { prefix: '###' })).rejects.toMatchObject({ code: 'BAD_CONFIG' });
  });

  test('are not changed by a selection', async () => {
    const paths = { '/a': { get: { operationId: 'x' }, post: { operationId: 'x' } } };
    expect(await names(paths, { select: ({ method }: { method: string }) => method === 'POST' })).toEqual(['x_post']);
  });
});

describe('the domain', () => {
  test.each([
    ["GitHub's official OpenAPI spec + Octicons", 'github_octicons'],
    ['Swagger Petstore - OpenAPI 3.0', 'swagger_petstore'],
    ['Notion API', 'notion'],
    ['The Very Long And Winding Title Of A Service', 'very_long_and_winding_title_of'],
    ['1Password Connect', 'api_1password_connect'],
    ['API', 'api'],
    ['接口', 'api'],
  ])('of %s is called %s', async (title, want) => {
    const { name } = await importValue({ ...openapi({}), info: { title, version: '1' } });
    expect(name).toBe(want);
    expect(name).toMatch(DOMAIN_NAME);
  });

  test('gets the name of the option, cleaned; one without letters is refused', async () => {
    expect((await importValue(openapi({}), { name: 'My-API v2' })).name).toBe('my_api_v2');
    await expect(importValue(openapi({}), { name: '42' })).rejects.toMatchObject({ code: 'BAD_CONFIG' });
  });
});
