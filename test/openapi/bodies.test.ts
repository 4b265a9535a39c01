// Request bodies: which media type is used, and how its fields are written.
import { describe, expect, test } from 'vitest';
import { createValidator } from '../../src/schema/check/validator.ts';
import { importOne, importValue, openapi, places, properties, withBody } from './support.ts';

const string = { type: 'string' };
const binary = { type: 'string', format: 'binary' };
const thing = { type: 'object', properties: { a: string } };
const swagger = { swagger: '2.0', openapi: undefined, host: 'api.example.com' };

function posting(content: Record<string, unknown>, more: object = {}): object {
  return openapi({ '/x': { post: { requestBody: { required: true, content, ...more } } } });
}

const all = (...types: string[]) => Object.fromEntries(types.map((type) => [type, { schema: thing }]));

describe('a body without required: true', () => {
  const Named = { type: 'object', required: ['name'], properties: { name: string, note: string } };
  const Tagged = { type: 'object', required: ['tag'], properties: { tag: string } };
  const Loose = { type: 'object', properties: { note: string } };
  const rest = { components: { schemas: { Named, Alias: { $ref: '#/components/schemas/Named' }, Loose } } };
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const importBody = (schema: unknown, method = 'post', type = 'application/json', more: object = {}) =>
    importOne(openapi({ '/x': { [method]: { requestBody: { content: { [type]: { schema } }, ...more } } } }, rest));

  test.each<[string, unknown]>([
    ['fields of its own', Named],
    ['a reference', ref('Named')],
    ['a reference to a reference', ref('Alias')],
    ['an allOf', { allOf: [ref('Loose'), Named] }],
    ['an allOf around a reference', { allOf: [ref('Alias')], description: 'One.' }],
    ['a union whose forms all need something', { oneOf: [ref('Named'), Tagged] }],
    ['alternative sets of fields', { ...Loose, anyOf: [{ required: ['note'] }, { required: ['other'] }] }],
    ['a wrapper', { type: 'object', required: ['data'], properties: { data: Named } }],
    ['fields inside a wrapper that is all there is', { type: 'object', properties: { data: ref('Named') } }],
    ['fields inside a wrapper named like the path', { type: 'object', properties: { x: Named } }],
    ['fields of what a list holds', { type: 'array', items: ref('Named') }],
    ['its items, as Box writes it', { type: 'array', required: ['items'], items: { type: 'object' } }],
    ['an item at least', { type: 'array', minItems: 1, items: string }],
  ])('is required where its schema requires %s', async (_, schema) => {
    const endpoint = await importBody(schema);
    expect(endpoint.body?.required).toBe(true);
    expect(() => createValidator(endpoint)('make', {})).toThrow(/nothing was sent/);
  });

  test.each(['application/x-www-form-urlencoded', 'multipart/form-data', 'application/xml', '*/*'])(
    'is required as %s',
    async (type) => {
      expect((await importBody(ref('Named'), 'post', type)).body?.required).toBe(true);
    },
  );

  test.each(['post', 'put', 'patch'])('is required with %s', async (method) => {
    expect((await importBody(Named, method)).body?.required).toBe(true);
  });

  test.each<[string, unknown, string, object]>([
    ['nothing is required', Loose, 'post', {}],
    ['null may be sent', { anyOf: [ref('Named'), { type: 'null' }] }, 'post', {}],
    ['it is nullable', { ...Named, nullable: true }, 'post', {}],
    ['one form needs nothing', { oneOf: [ref('Named'), Loose] }, 'post', {}],
    ['a list of texts may be sent', { type: 'array', items: string }, 'post', {}],
    ['a list may be sent as well', { ...Named, type: ['object', 'array'] }, 'post', {}],
    ['all there is may be left out', { type: 'object', properties: { filter: Named } }, 'post', {}],
    ['its wrapper needs nothing', { type: 'object', properties: { data: Loose } }, 'post', {}],
    ['the document says so of a wrapper', { type: 'object', properties: { data: Named } }, 'post', { required: false }],
    [
      'only the API sets what is required',
      { ...Named, properties: { name: { type: 'string', readOnly: true }, note: string } },
      'post',
      {},
    ],
    ['the document says so', Named, 'post', { required: false }],
    ['a deletion may have one', Named, 'delete', {}],
  ])('is optional where %s', async (_, schema, method, more) => {
    const endpoint = await importBody(schema, method, 'application/json', more);
    expect(endpoint.body?.required).toBe(false);
    expect(createValidator(endpoint)('make', {})).toEqual({});
  });
});

test('a required body makes the fields inside its wrapper required', async () => {
  const data = { type: 'object', required: ['name'], properties: { name: string, note: string } };
  const endpoint = await importOne(withBody({ type: 'object', properties: { data } }));
  expect(endpoint.body).toMatchObject({ required: true, wrap: ['data'] });
  expect(places(endpoint)).toEqual({ name: 'body name (required)', note: 'body note' });
});

describe('a required field that may be null and is missing among others', () => {
  const textOrNull = { type: 'string', nullable: true };
  const team = { type: 'object', required: ['lead'], properties: { lead: textOrNull, note: string } };
  const schema = { type: 'object', required: ['name', 'owner'], properties: { name: string, owner: textOrNull, team } };
  const validatorOf = async (method: string, path: string, operationId: string) => {
    const id = { name: 'id', in: 'path', required: true, schema: string };
    const requestBody = { required: true, content: { 'application/json': { schema } } };
    const parameters = path.includes('{id}') ? [id] : [];
    return createValidator(
      await importOne(openapi({ [path]: { [method]: { operationId, parameters, requestBody } } })),
    );
  };

  test('is sent as null by a POST, because clients omit null', async () => {
    const validate = await validatorOf('post', '/things', 'addThing');
    expect(validate('t', { name: 'n' })).toEqual({ name: 'n', owner: null });
    expect(validate('t', { name: 'n', owner: 'o', team: { note: 'x' } })).toMatchObject({
      team: { note: 'x', lead: null },
    });
  });

  test.each([
    ['put', '/things/{id}', 'setThing'],
    ['patch', '/things/{id}', 'changeThing'],
    ['post', '/things/{id}', 'postThing'],
    ['post', '/things', 'updateThing'],
  ])('has to be given to %s %s %s, which would erase what was only forgotten', async (...operation) => {
    const validate = await validatorOf(...operation);
    const id = operation[1].includes('{id}') ? { id: '1' } : {};
    expect(() => validate('t', { ...id, name: 'n' })).toThrow('missing `owner`');
    expect(() => validate('t', { ...id, name: 'n', owner: null, team: { note: 'x' } })).toThrow('`team.lead`');
    const whole = { ...id, name: 'n', owner: null, team: { lead: null } };
    expect(validate('t', whole)).toEqual(whole);
    // What is optional and cannot be null is left out, and so stays as it is.
    expect(validate('t', { ...whole, team: { lead: null, note: null } })).toEqual(whole);
  });
});

describe('the choice of a media type', () => {
  test.each([
    [['application/xml', 'application/x-www-form-urlencoded', 'application/json'], 'application/json', 'json'],
    [['text/json', 'application/*+json', 'application/json'], 'application/json', 'json'],
    [['application/vnd.api+json', 'multipart/form-data'], 'application/vnd.api+json', 'json'],
    [['application/*+json'], 'application/json', 'json'],
    [['application/json-patch+json', 'application/merge-patch+json'], 'application/merge-patch+json', 'json'],
    [['application/xml', 'application/x-www-form-urlencoded'], 'application/x-www-form-urlencoded', 'form'],
    [['text/plain', 'multipart/form-data'], 'multipart/form-data', 'multipart'],
    [['application/json; charset=utf-8'], 'application/json; charset=utf-8', 'json'],
    [['*/*'], 'application/json', 'json'],
    [['application/octet-stream', 'text/csv'], 'text/csv', 'text'],
  ])('of %j: %s', async (types, mediaType, kind) => {
    expect((await importOne(posting(all(...types)))).body).toMatchObject({ mediaType, kind });
  });

  test('a form with a file is sent as multipart if both are offered', async () => {
    const schema = { type: 'object', properties: { photo: binary } };
    const endpoint = await importOne(
      posting({ 'application/x-www-form-urlencoded': { schema }, 'multipart/form-data': { schema } }),
    );
    expect(endpoint.body).toMatchObject({ kind: 'multipart', encoding: { photo: { file: true } } });
  });
});

describe('bodies that are one argument', () => {
  test.each([
    ['application/json-patch+json', { type: 'array', items: { type: 'object' } }, 'json', 'body'],
    ['text/csv', string, 'text', 'body'],
    ['application/xml', thing, 'text', 'body'],
    ['application/yaml', thing, 'text', 'body'],
    ['application/octet-stream', binary, 'binary', 'file'],
    ['image/png', binary, 'binary', 'file'],
    ['application/pdf', undefined, 'binary', 'file'],
    ['application/json', binary, 'binary', 'file'],
    ['*/*', string, 'text', 'body'],
    ['*/*', binary, 'binary', 'file'],
  ])('%s %j is %s', async (mediaType, schema, kind, key) => {
    const endpoint = await importOne(posting({ [mediaType]: { schema } }));
    expect(endpoint.body).toMatchObject({ kind });
    expect(places(endpoint)).toEqual({ [key]: 'body-root (required)' });
  });

  test('a file argument is base64 or text, with a name and a type', async () => {
    const endpoint = await importOne(posting({ 'image/*': { schema: binary } }));
    expect(endpoint.body).toEqual({ mediaType: 'image/*', kind: 'binary', required: true });
    expect(properties(endpoint).file).toMatchObject({
      properties: { filename: string, mimeType: string, base64: string, text: string },
      oneOf: [{ required: ['base64'] }, { required: ['text'] }],
      additionalProperties: false,
    });
  });
});

describe('forms', () => {
  test('the Encoding Object decides how each field is written', async () => {
    const schema = {
      type: 'object',
      properties: { meta: thing, tags: { type: 'array', items: string }, plain: string },
    };
    const encoding = {
      meta: { style: 'deepObject', explode: true },
      tags: { style: 'pipeDelimited', explode: false },
      unknown: { style: 'form' },
    };
    const endpoint = await importOne(posting({ 'application/x-www-form-urlencoded': { schema, encoding } }));
    expect(endpoint.body).toEqual({
      mediaType: 'application/x-www-form-urlencoded',
      kind: 'form',
      required: true,
      encoding: { meta: { style: 'deepObject', explode: true }, tags: { style: 'pipeDelimited', explode: false } },
    });
  });

  test('multipart: files alone and in lists, part types, fixed part headers', async () => {
    const schema = {
      type: 'object',
      properties: {
        photo: binary,
        more: { type: 'array', items: binary },
        raw: { type: 'string', contentMediaType: 'image/png' },
        icon: string,
        meta: thing,
        note: string,
      },
      required: ['photo'],
    };
    const encoding = {
      icon: { contentType: 'image/png, image/jpeg' },
      meta: {
        contentType: 'application/json',
        headers: {
          'X-Kind': { schema: { const: 'meta' } },
          'X-Free': { schema: string },
          'Content-Type': { schema: { const: 'no' } },
        },
      },
    };
    const endpoint = await importOne({ ...posting({ 'multipart/form-data': { schema, encoding } }), openapi: '3.1.0' });
    expect(endpoint.body?.encoding).toEqual({
      photo: { file: true },
      more: { file: true },
      raw: { file: true },
      icon: { contentType: 'image/png, image/jpeg', file: true },
      meta: { contentType: 'application/json', headers: { 'X-Kind': 'meta' } },
    });
    expect(places(endpoint)).toMatchObject({ photo: 'body photo (required)', note: 'body note' });
    expect(properties(endpoint).more).toMatchObject({ type: 'array', items: { additionalProperties: false } });
  });

  test('a union offers the fields of all variants, and requires those of at least one', async () => {
    const schema = {
      type: 'object',
      properties: { name: string },
      required: ['name'],
      oneOf: [
        { properties: { url: string }, required: ['url'] },
        { properties: { file: binary }, required: ['file'] },
      ],
    };
    const endpoint = await importOne(posting({ 'multipart/form-data': { schema } }));
    expect(places(endpoint)).toEqual({ url: 'body url', file: 'body file', name: 'body name (required)' });
    expect(endpoint.inputSchema).toMatchObject({ anyOf: [{ required: ['url'] }, { required: ['file'] }] });
  });

  test.each(['oneOf', 'anyOf'])('a form that may only be null (%s) has no fields', async (keyword) => {
    const schema = { [keyword]: [{ type: 'null' }, { type: 'null' }] };
    const forms = { 'multipart/form-data': { schema }, 'application/x-www-form-urlencoded': { schema } };
    const domain = await importValue({ ...posting(forms), openapi: '3.1.0' });
    expect(domain.endpoints.length + domain.warnings.length).toBeGreaterThan(0);
  });

  test('multipart without named parts quarantines the operation', async () => {
    const domain = await importValue(posting({ 'multipart/mixed': { schema: { type: 'array' } } }));
    expect(domain.quarantined).toMatchObject([{ reason: expect.stringContaining('not an object with properties') }]);
  });

  test('an empty optional form, which generators write for GET, is ignored', async () => {
    const requestBody = {
      content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties: {} } } },
    };
    const endpoint = await importOne(openapi({ '/x': { get: { requestBody } } }));
    expect(endpoint.body).toBeUndefined();
    expect(endpoint.args).toEqual([]);
  });

  test('GET and DELETE may have a body', async () => {
    const requestBody = { content: all('application/json') };
    const { endpoints } = await importValue(openapi({ '/x': { get: { requestBody }, delete: { requestBody } } }));
    expect(endpoints.map((endpoint) => [endpoint.method, places(endpoint)])).toEqual([
      ['GET', { a: 'body a' }],
      ['DELETE', { a: 'body a' }],
    ]);
  });
});

describe('Swagger 2.0', () => {
  const operation = (parameters: object[], consumes?: string[]) => ({
    ...openapi({ '/x': { post: { parameters, ...(consumes ? { consumes } : {}) } } }),
    ...swagger,
  });

  test('in: body is sent as JSON unless consumes has another type', async () => {
    const body = { name: 'whatever', in: 'body', required: true, schema: thing };
    expect((await importOne(operation([body]))).body).toEqual({
      mediaType: 'application/json',
      kind: 'json',
      required: true,
    });
    expect((await importOne(operation([body], ['application/xml', 'application/vnd.x+json']))).body?.mediaType).toBe(
      'application/vnd.x+json',
    );
    const text = await importOne(operation([{ ...body, schema: string }], ['text/plain']));
    expect(text.body).toMatchObject({ kind: 'text', mediaType: 'text/plain' });
  });

  test('formData is sent as a form, or as multipart with a file or if only that is consumed', async () => {
    const field = {
      name: 'tags',
      in: 'formData',
      type: 'array',
      items: string,
      collectionFormat: 'multi',
      required: true,
      description: 'Some.',
    };
    const form = await importOne(operation([field], ['application/x-www-form-urlencoded', 'multipart/form-data']));
    expect(form.body).toEqual({
      mediaType: 'application/x-www-form-urlencoded',
      kind: 'form',
      required: true,
      encoding: { tags: { style: 'form', explode: true } },
    });
    expect(properties(form).tags).toEqual({ type: 'array', items: string, description: 'Some.' });
    expect((await importOne(operation([field], ['multipart/form-data']))).body?.kind).toBe('multipart');
    const file = await importOne(operation([{ name: 'f', in: 'formData', type: 'file' }]));
    expect(file.body).toEqual({
      mediaType: 'multipart/form-data',
      kind: 'multipart',
      required: false,
      encoding: { f: { file: true } },
    });
    expect(properties(file).f).toMatchObject({ properties: { base64: string } });
  });

  test('body and formData together quarantine the operation', async () => {
    const domain = await importValue(
      operation([
        { name: 'b', in: 'body', schema: thing },
        { name: 'f', in: 'formData', type: 'string' },
      ]),
    );
    expect(domain.quarantined[0]?.reason).toContain('both a body and formData');
  });
});
