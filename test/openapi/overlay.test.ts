// OpenAPI Overlay: changes in a file beside the document.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Domain } from '../../src/endpoint/model.ts';
import { importDocument } from '../../src/openapi/import-document.ts';
import { applyOverlay } from '../../src/openapi/source/overlay.ts';
import { importOne, importValue, openapi, SERVER, withBody } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'landbridge-overlay-'));
let files = 0;

function overlay(actions: unknown, more: object = {}): string {
  const path = join(folder, `overlay-${files++}.json`);
  writeFileSync(path, JSON.stringify({ overlay: '1.0.0', info: { title: 'O', version: '1' }, actions, ...more }));
  return path;
}

function apply(document: unknown, actions: unknown, version = '1.0.0'): unknown {
  return applyOverlay(structuredClone(document), { overlay: version, actions }, 'o', () => true).document;
}

test('a field that only an overlay makes readOnly is readOnly', async () => {
  const schema = { type: 'object', required: ['id'], properties: { id: { type: 'string' }, name: { type: 'string' } } };
  const document = withBody(schema);
  const target = '$.paths["/things"].post.requestBody.content["application/json"].schema.properties.id';
  const overlays = [overlay([{ target, update: { readOnly: true } }])];
  expect((await importOne(document)).inputSchema).toMatchObject({ required: ['id'] });
  expect((await importOne(document, { overlays })).inputSchema).not.toHaveProperty('required');
});

describe('actions', () => {
  test('update merges objects, appends to lists, replaces the rest', () => {
    const document = { info: { title: 'a', x: { y: 1 } }, tags: ['a'], list: [1] };
    const change = { info: { title: 'b', x: { z: 2 } }, tags: ['b'], new: {} };
    expect(apply(document, [{ target: '$', update: change }])).toEqual({
      info: { title: 'b', x: { y: 1, z: 2 } },
      tags: ['a', 'b'],
      list: [1],
      new: {},
    });
    expect(apply(document, [{ target: '$.list', update: { a: 1 } }])).toMatchObject({ list: [1, { a: 1 }] });
    expect(apply(document, [{ target: '$.list', update: [2, 3] }], '1.1.0')).toMatchObject({ list: [1, 2, 3] });
    expect(apply(document, [{ target: '$.info.title', update: 'c' }])).toMatchObject({ info: { title: 'c' } });
  });

  test('every match gets its own copy', () => {
    const result = apply({ a: {}, b: {} }, [
      { target: '$.*', update: { x: { n: 1 } } },
      { target: '$.a.x', update: { n: 2 } },
    ]);
    expect(result).toEqual({ a: { x: { n: 2 } }, b: { x: { n: 1 } } });
  });

  test('remove takes out properties and list items, however many', () => {
    const document = { list: [1, 2, 3, 4], keep: 1, drop: 2 };
    expect(
      apply(document, [
        { target: '$.list[?@ > 1]', remove: true },
        { target: '$.drop', remove: true },
      ]),
    ).toEqual({ list: [1], keep: 1 });
    expect(apply(document, [{ target: '$.list[0,0,1]', remove: true, update: 9 }])).toMatchObject({ list: [3, 4] });
    expect(() => apply(document, [{ target: '$', remove: true }])).toThrow(/whole document/);
  });

  test('copy merges one place into another (1.1)', () => {
    const document = { a: { x: 1 }, b: { y: 2 } };
    expect(apply(document, [{ target: '$.b', copy: '$.a', update: { z: 3 } }], '1.1.0')).toEqual({
      a: { x: 1 },
      b: { y: 2, x: 1, z: 3 },
    });
    expect(() => apply(document, [{ target: '$.b', copy: '$.*' }], '1.1.0')).toThrow(/exactly one place/);
  });

  test('__proto__ in an update is an ordinary key', () => {
    const result = apply({ a: {} }, [{ target: '$.a', update: JSON.parse('{"__proto__": {"polluted": 1}}') }]) as {
      a: object;
    };
    expect(Object.keys(result.a)).toEqual(['__proto__']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test.each([
    [{ actions: [] }, /must begin with `overlay/],
    [{ overlay: '2.0.0', actions: [] }, /must begin with `overlay/],
    [{ overlay: '1.0.0' }, /list of actions/],
    [{ overlay: '1.0.0', actions: [{}] }, /action 1 has no target/],
    [{ overlay: '1.0.0', actions: [{ target: '$[' }] }, /action 1 has a target/],
  ])('%j is refused with what is missing', (given, message) => {
    expect(() => applyOverlay({}, given, 'o', () => true)).toThrow(message);
  });
});

describe('on import', () => {
  const document = openapi({
    '/a': { get: { operationId: 'a', tags: ['x'] } },
    '/b': { delete: { operationId: 'b' } },
  });
  const view = (domain: Domain) =>
    domain.endpoints.map(({ toolName, description, effect, args }) => ({
      toolName,
      description,
      effect,
      keys: args.map(({ key }) => key),
    }));

  test('overlays are applied in order before the import; the text of the document stays as received', async () => {
    const overlays = [
      overlay([
        { target: "$.paths['/b']", remove: true },
        { target: '$.paths[*][?@.tags]', update: { description: 'Curated.', 'x-mcp': { name: 'first_name' } } },
        { target: "$.paths['/a'].get", update: { parameters: [{ name: 'q', in: 'query', schema: {} }] } },
      ]),
      overlay([{ target: "$.paths['/a'].get['x-mcp']", update: { name: 'second_name', effect: 'write' } }]),
    ];
    const domain = await importValue(document, { overlays });
    expect(view(domain)).toEqual([{ toolName: 'second_name', description: 'Curated.', effect: 'write', keys: ['q'] }]);
    expect(domain.document?.text).toBe(JSON.stringify(document));
  });

  test('a target that matches nothing and another document in extends are warnings', async () => {
    const source = join(folder, 'api.json');
    writeFileSync(source, JSON.stringify(document));
    const actions = [{ target: '$.paths.nothing', update: {} }];
    const domain = await importDocument(source, {
      env: {},
      overlays: [overlay(actions, { extends: './other.json' }), overlay([], { extends: './api.json' })],
    });
    expect(domain.warnings.filter((warning) => warning.includes('overlay'))).toEqual([
      expect.stringContaining('extends another document (./other.json)'),
      expect.stringContaining('$.paths.nothing matches nothing'),
    ]);
  });

  test('the same limits apply to what an overlay adds', async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 400; level++) deep = { a: deep };
    const overlays = [
      overlay([
        { target: '$', update: { x: { y: deep } } },
        { target: `$.x${'.a'.repeat(0)}.y`, update: { b: deep } },
      ]),
    ];
    expect((await importValue(document, { overlays })).endpoints).toHaveLength(2);
    const twice = [
      overlay([{ target: '$', update: { x: deep } }]),
      overlay([{ target: `$.x${'.a'.repeat(399)}`, update: deep }]),
    ];
    await expect(importValue(document, { overlays: twice })).rejects.toThrow(/nested more than 512/);
  });

  test('a $ref that an overlay adds is followed', async () => {
    const overlays = [
      overlay([
        { target: "$.paths['/a'].get", update: { parameters: [{ $ref: '#/components/parameters/P' }] } },
        { target: '$', update: { components: { parameters: { P: { name: 'p', in: 'query', schema: {} } } } } },
      ]),
    ];
    const domain = await importValue(document, { overlays });
    expect(domain.endpoints[0]).toMatchObject({ baseUrl: SERVER, args: [{ key: 'p' }] });
  });
});

test('an overlay may make effects and guards stricter, not laxer', async () => {
  const document = openapi({ '/a': { get: { operationId: 'look' }, delete: { operationId: 'gone' } } });
  const path = overlay([
    { target: '$.paths[*].delete', update: { 'x-mcp': { effect: 'read', guard: 'allow' } } },
    { target: '$.paths[*].get', update: { 'x-mcp': { effect: 'write', guard: 'confirm' } } },
  ]);
  const domain = await importValue(document, { overlays: [path] });
  expect(domain.endpoints.map(({ effect, guard }) => [effect, guard])).toEqual([
    ['write', 'confirm'],
    ['destructive', undefined],
  ]);
  expect(domain.warnings).toHaveLength(2);
});
