// readOnly fields, as documents use them: not offered, never required, and accepted if a caller sends them.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Args, Endpoint } from '../../src/endpoint/model.ts';
import { createGateway } from '../../src/gateway.ts';
import { OneWayProperties } from '../../src/openapi/schema/one-way-properties.ts';
import type { SourceDocument } from '../../src/openapi/source/documents.ts';
import { createValidator } from '../../src/schema/check/validator.ts';
import { hideReadOnly } from '../../src/schema/portable/read-only.ts';
import { importValue, openapi, SERVER } from './support.ts';

type Json = Record<string, unknown>;

const string = { type: 'string' };
const readOnly = { type: 'string', readOnly: true };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** One operation: what is advertised of it, and whether a call passes. */
async function operation(schema: unknown, schemas: Json = {}, version = '3.0.3', method = 'post') {
  const requestBody = { required: true, content: { 'application/json': { schema } } };
  const paths = { '/things': { [method]: { operationId: 'make', requestBody, responses: {} } } };
  return opened({ ...openapi(paths, { components: { schemas } }), openapi: version });
}

async function opened(document: object) {
  const domain = await importValue(document);
  expect(domain.quarantined).toEqual([]);
  const endpoint = domain.endpoints[0] as Endpoint;
  const { registry } = createGateway({ domains: [domain], exposure: 'tools' });
  const { tool } = [...registry.tools.values()][0]!;
  const validate = createValidator(endpoint);
  /** The first line of a refusal, or the arguments that go on. */
  const call = (args: Args): unknown => {
    try {
      return validate('make', args);
    } catch (error) {
      return (error as Error).message;
    }
  };
  return { endpoint, advertised: tool.inputSchema as { properties: Json; required?: string[] }, call };
}

/** The shape of create_incident at PagerDuty: a service is named by fields that are readOnly and required. */
const pagerDuty = {
  Tag: {
    type: 'object',
    properties: {
      id: readOnly,
      summary: { ...readOnly, nullable: true, description: 'A short-form string for user interfaces.' },
      type: readOnly,
      self: { ...readOnly, format: 'url' },
      html_url: { ...readOnly, format: 'url' },
    },
  },
  Reference: { allOf: [ref('Tag'), { type: 'object', required: ['id', 'type'] }] },
  ServiceReference: {
    allOf: [ref('Reference'), { type: 'object', properties: { type: { ...string, enum: ['service_reference'] } } }],
  },
  Incident: {
    type: 'object',
    required: ['type', 'title', 'service'],
    properties: {
      type: { type: 'string', enum: ['incident'] },
      title: string,
      service: ref('ServiceReference'),
      assignments: {
        type: 'array',
        items: { type: 'object', properties: { assignee: ref('Reference') }, required: ['assignee'] },
      },
    },
  },
};

/** That of create DNS record at Cloudflare: records of a type, each on a base whose id and dates are required answers. */
const cloudflare = {
  identifier: { type: 'string', maxLength: 32, readOnly: true },
  base: {
    type: 'object',
    properties: { id: ref('identifier'), created_on: { ...readOnly, format: 'date-time' }, proxiable: readOnly },
    required: ['id', 'proxiable'],
  },
  shared: { type: 'object', properties: { name: string, ttl: { type: 'number' } }, required: ['name', 'ttl', 'id'] },
  A: {
    allOf: [
      ref('base'),
      ref('shared'),
      {
        type: 'object',
        properties: { type: { enum: ['A'], type: 'string' }, content: string },
        required: ['type', 'content'],
      },
    ],
  },
  MX: {
    allOf: [
      ref('base'),
      ref('shared'),
      {
        type: 'object',
        properties: { type: { enum: ['MX'], type: 'string' }, priority: { type: 'number' } },
        required: ['type', 'priority', 'created_on'],
      },
    ],
  },
};

describe('a readOnly field', () => {
  test('a reference to a resource offers its readOnly id and type (PagerDuty)', async () => {
    const schema = { type: 'object', properties: { incident: ref('Incident') }, required: ['incident'] };
    const { advertised, call } = await operation(schema, pagerDuty);
    const { service, assignments } = advertised.properties as Record<string, { properties: Json; items: Json }>;
    expect(Object.keys(service!.properties)).toEqual(['type', 'id']);
    expect(service).not.toHaveProperty('required', expect.arrayContaining(['id']));
    expect(JSON.stringify(assignments!.items)).toContain('"assignee":{"type":"object","properties":{"id"');
    const named = {
      type: 'incident',
      title: 'The server is on fire.',
      service: { id: 'PWIXJZS', type: 'service_reference' },
      assignments: [{ assignee: { id: 'PXPGF42', type: 'user_reference' } }],
    };
    expect(call(named)).toBe(named);
    expect(
      call({ type: 'incident', title: 't', service: { id: 'P', type: 'service_reference', summary: null } }),
    ).toEqual(expect.anything());
  });

  test('a reference that is the whole body offers its id, and a resource that is created does not', async () => {
    const service = {
      type: 'object',
      required: ['type', 'id'],
      properties: { id: readOnly, type: string, self: readOnly },
    };
    const wrapped = (name: string, inner: unknown) => ({
      type: 'object',
      required: [name],
      properties: { [name]: inner },
    });
    const shown = async (schema: unknown) => Object.keys((await operation(schema)).advertised.properties);
    expect(await shown(wrapped('service', service))).toEqual(['id', 'type', 'fields', 'dry_run']);
    expect(await shown(wrapped('data', service))).toEqual(['id', 'type', 'fields', 'dry_run']);
    const { endpoint, call } = await operation(wrapped('service', service));
    expect(endpoint.body?.wrap).toEqual(['service']);
    expect(call({ type: 'service_reference', id: 'P1' })).toEqual({ type: 'service_reference', id: 'P1' });
    expect(call({ type: 'service_reference' })).toEqual(expect.any(Object));
    // The thing itself, by the name of the path or by none.
    const thing = { type: 'object', properties: { id: readOnly, type: string, size: string } };
    expect(await shown(wrapped('thing', thing))).toEqual(['type', 'size', 'fields', 'dry_run']);
    expect(await shown(wrapped('data', thing))).toEqual(['type', 'size', 'fields', 'dry_run']);
    expect(await shown(wrapped('owner', thing))).toEqual(['id', 'type', 'size', 'fields', 'dry_run']);
  });

  test('a thousand readOnly fields do not make an operation too large', async () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`made_${index}`, readOnly]));
    const { advertised, call, endpoint } = await operation({ type: 'object', properties: { ...many, name: string } });
    expect(Object.keys(advertised.properties)).toEqual(['name', 'fields', 'dry_run']);
    expect(call({ name: 'n', made_7: 'x' })).toEqual({ name: 'n', made_7: 'x' });
    expect(endpoint.args.length).toBeLessThan(500);
  });

  test('its id is not required when it is created, and not refused (Cloudflare)', async () => {
    for (const keyword of ['oneOf', 'anyOf']) {
      const { advertised, call } = await operation({ [keyword]: [ref('A'), ref('MX')] }, cloudflare);
      expect(JSON.stringify(advertised)).not.toMatch(/"id"|created_on|proxiable/);
      const record = { type: 'A', name: 'example.com', ttl: 1, content: '198.51.100.4' };
      const mail = { type: 'MX', name: 'example.com', ttl: 1, priority: 10 };
      expect([call({ body: record }), call({ body: mail })]).toEqual([{ body: record }, { body: mail }]);
      expect(call({ body: { ...record, id: '023e105f4ecef8ad9ca31a8372d0c353' } })).toEqual(expect.any(Object));
      expect(call({ body: { type: 'A', name: 'example.com', ttl: 1 } })).toMatch(/content/);
    }
  });

  test('that is declared without readOnly elsewhere is an ordinary field, and may be required', async () => {
    const schemas = {
      Base: { type: 'object', properties: { code: readOnly, id: readOnly }, required: ['id', 'code'] },
    };
    const normal = { type: 'object', properties: { code: string }, required: ['code'] };
    const flat = await operation({ allOf: [ref('Base'), normal] }, schemas);
    expect(flat.advertised).toMatchObject({ properties: { code: { type: 'string' } }, required: ['code'] });
    const properties = { item: { allOf: [ref('Base'), normal] }, note: string };
    const nested = await operation({ type: 'object', properties }, schemas);
    expect(nested.advertised.properties.item).toMatchObject({
      properties: { code: { type: 'string' } },
      required: ['code'],
    });
    expect(nested.call({ item: {} })).toMatch(/missing `item.code`/);
    expect(nested.call({ item: { code: 'c' } })).toEqual({ item: { code: 'c' } });
  });

  test('required where it is readOnly is not required where it is redeclared (Opsgenie)', async () => {
    const answer = { type: 'object', required: ['id', 'alias'], properties: { id: readOnly, alias: readOnly } };
    const input = { type: 'object', required: ['message'], properties: { message: string, alias: string } };
    const wrapped = { allOf: [{ type: 'object', properties: answer.properties }], required: answer.required };
    for (const base of [answer, ref('SuccessResponse'), wrapped]) {
      for (const allOf of [
        [base, input],
        [input, base],
      ]) {
        const flat = await operation({ allOf }, { SuccessResponse: answer });
        expect(flat.advertised.required).toEqual(['message']);
        expect(Object.keys(flat.advertised.properties).sort()).toEqual(['alias', 'dry_run', 'fields', 'message']);
        expect(flat.call({ message: 'm' })).toEqual({ message: 'm' });
        const nested = await operation(
          { type: 'object', properties: { x: { allOf }, y: string } },
          { SuccessResponse: answer },
        );
        expect(nested.advertised.properties.x).toMatchObject({ required: ['message'] });
        expect(nested.call({ x: { message: 'm' } })).toEqual({ x: { message: 'm' } });
        expect(nested.call({ x: {} })).toMatch(/missing `x.message`/);
      }
    }
    // Beside no declaration, or beside the one that is sent, the list speaks of the whole object.
    for (const more of [{ required: ['alias'] }, { ...input, required: ['alias'] }]) {
      const { call } = await operation({ allOf: [answer, input, more] }, {});
      expect(call({ message: 'm' })).toMatch(/missing `alias`/);
    }
  });

  test('variants that require a readOnly field stay alternatives', async () => {
    const answer = { type: 'object', required: ['code'], properties: { code: readOnly } };
    const variant = (name: string) => ({
      allOf: [answer, { type: 'object', properties: { code: string, [name]: string } }],
    });
    const { call } = await operation({
      oneOf: [variant('a'), variant('b'), { type: 'object', properties: { c: string } }],
    });
    expect(call({ body: { a: 'x' } })).toEqual({ body: { a: 'x' } });
  });

  test('that distinguishes variants is shown, and not required', async () => {
    const variant = (kind: string, field: string) => ({
      type: 'object',
      required: ['kind', 'id', field],
      properties: { kind: { ...readOnly, enum: [kind] }, id: readOnly, at: readOnly, [field]: string },
    });
    const schemas = { X: variant('x', 'a'), Y: variant('y', 'b') };
    const union = { oneOf: [ref('X'), ref('Y')], discriminator: { propertyName: 'kind' } };
    const { advertised, call, endpoint } = await operation(union, schemas);
    const branches = (advertised.properties.body as { anyOf: { properties: Json; required: string[] }[] }).anyOf;
    expect(branches.map(({ properties, required }) => [Object.keys(properties), required])).toEqual([
      [['kind', 'a'], ['a']],
      [['kind', 'b'], ['b']],
    ]);
    expect(call({ body: { kind: 'y', b: 'x' } })).toEqual({ body: { kind: 'y', b: 'x' } });
    expect(call({ body: { b: 'x' } })).toEqual({ body: { b: 'x' } });
    const described = JSON.stringify(hideReadOnly(endpoint.inputSchema, 'part'));
    expect(described).toContain('"enum":["x"]');
    expect(described).not.toContain('"at"');
    // Without the word of the document it is a field like `at`.
    expect(JSON.stringify((await operation({ oneOf: union.oneOf }, schemas)).advertised)).not.toContain('kind');
  });

  test('a base shows the discriminator of its variants', async () => {
    const Base = {
      type: 'object',
      discriminator: { propertyName: 'kind' },
      properties: { kind: readOnly, at: readOnly, name: string },
    };
    const variant = (field: string) => ({ allOf: [ref('Base'), { type: 'object', properties: { [field]: string } }] });
    const { advertised } = await operation(ref('Base'), { Base, X: variant('a'), Y: variant('b') });
    const text = JSON.stringify(advertised.properties.body);
    expect(text).toContain('"kind"');
    expect(text).not.toContain('"at"');
  });

  test('that is hidden is not named in rules about other fields', async () => {
    const schema = { type: 'object', required: ['sid', 'To'], properties: { sid: readOnly, To: string } };
    const more = { ...schema, properties: { ...schema.properties, Via: string } };
    const shown = async (of: unknown) => {
      const requestBody = { required: false, content: { 'application/x-www-form-urlencoded': { schema: of } } };
      return opened(openapi({ '/things': { post: { operationId: 'make', requestBody, responses: {} } } }));
    };
    const { advertised, endpoint } = await shown(schema);
    expect(JSON.stringify(advertised)).not.toMatch(/sid|Required with/);
    expect(JSON.stringify(hideReadOnly(endpoint.inputSchema, 'part'))).not.toContain('sid');
    expect((await shown(more)).advertised.properties.To).toMatchObject({ description: 'Required with Via' });
    const part = { ...more, dependentRequired: { sid: ['To'], Via: ['To'] } };
    const nested = await operation({ type: 'object', properties: { part, other: string } }, {}, '3.1.0');
    expect(JSON.stringify(nested.advertised)).toContain('With Via also give To');
    expect(JSON.stringify(nested.advertised)).not.toContain('With sid');
  });

  test.each<[string, Json, Json]>([
    ['on the property', { id: readOnly }, {}],
    ['behind a $ref', { id: ref('Id') }, { Id: readOnly }],
    ['in the allOf of the property', { id: { allOf: [ref('Id'), { readOnly: true }] } }, { Id: string }],
    ['beside the allOf of the property', { id: { allOf: [ref('Id')], readOnly: true } }, { Id: string }],
    ['in every variant of the property', { id: { oneOf: [readOnly, { type: 'integer', readOnly: true }] } }, {}],
    ['in its only variant beside null', { id: { anyOf: [readOnly, { type: 'null' }] } }, {}],
    ['two references away', { id: ref('One') }, { One: ref('Two'), Two: { allOf: [ref('Id')] }, Id: readOnly }],
    ['beside a $ref', { id: { ...ref('Id'), readOnly: true } }, { Id: string }],
  ])('%s: hidden at the top, never required, accepted', async (_, properties, schemas) => {
    for (const version of ['3.0.3', '3.1.0']) {
      const thing = { type: 'object', properties: { label: string, ...properties }, required: ['id', 'label'] };
      const { advertised, call } = await operation(thing, schemas, version);
      expect(advertised).toMatchObject({ required: ['label'] });
      expect(Object.keys(advertised.properties)).not.toContain('id');
      expect(call({ label: 'n' })).toEqual({ label: 'n' });
      expect(call({ label: 'n', id: '7' })).toEqual({ label: 'n', id: '7' });
      const inside = await operation({ type: 'object', properties: { thing, other: string } }, schemas, version);
      expect(inside.advertised.properties.thing).toMatchObject({ properties: { id: {} }, required: ['label'] });
      expect(inside.call({ thing: { label: 'n', id: '7' } })).toEqual({ thing: { label: 'n', id: '7' } });
      expect(inside.call({ thing: { label: 'n' } })).toEqual({ thing: { label: 'n' } });
    }
  });

  test('readOnly: false beside a $ref overrides its target (3.1)', async () => {
    const thing = { type: 'object', properties: { id: { ...ref('Id'), readOnly: false } }, required: ['id'] };
    expect((await operation(thing, { Id: readOnly }, '3.1.0')).advertised).toMatchObject({ required: ['id'] });
  });

  test.each<[string, unknown]>([
    ['required beside the branch that declares it', { allOf: [ref('Base'), { required: ['id'] }] }],
    ['required by a definition, declared by its sibling', { allOf: [ref('Base'), ref('Asks')] }],
    ['required in a variant', { ...ref('Whole') }],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    ['required by a condition', { allOf: [ref('Base')], if: { required: ['name'] }, then: { required: ['id'] } }],
    ['required with another', { allOf: [ref('Base')], dependentRequired: { name: ['id'] } }],
    ['one of several sets', { allOf: [ref('Base')], oneOf: [{ required: ['id'] }, { required: ['name'] }] }],
    ['one of several sets, among others', { allOf: [ref('Base')], anyOf: [ref('Asks'), { required: ['name', 'id'] }] }],
  ])('%s: no demand', async (_, part) => {
    const schemas = {
      Base: { type: 'object', properties: { id: readOnly, name: string } },
      Asks: { type: 'object', required: ['id', 'name'] },
      Whole: { type: 'object', properties: { id: readOnly }, oneOf: [ref('Asks'), { required: ['id'] }] },
    };
    const nested = await operation({ type: 'object', properties: { part, other: string } }, schemas, '3.1.0');
    expect(nested.call({ part: { name: 'n' } })).toEqual({ part: { name: 'n' } });
    expect(nested.call({ part: { name: 'n', id: '7' } })).toEqual({ part: { name: 'n', id: '7' } });
    const whole = await operation(part, schemas, '3.1.0');
    const args = (fields: Json) => (whole.endpoint.args[0]?.key === 'body' ? { body: fields } : fields);
    for (const fields of [{ name: 'n' }, { name: 'n', id: '7' }])
      expect(whole.call(args(fields))).toEqual(args(fields));
  });

  test('that the document forbids is refused', async () => {
    const part = { type: 'object', properties: { id: readOnly, name: string }, not: { required: ['id'] } };
    const { call } = await operation({ type: 'object', properties: { part, other: string } });
    expect(call({ part: { name: 'n' } })).toEqual({ part: { name: 'n' } });
    expect(call({ part: { id: '7' } })).toEqual(expect.any(String));
  });

  test('a closed object accepts its own readOnly fields', async () => {
    const owner = { type: 'object', additionalProperties: false, properties: { id: readOnly, login: readOnly } };
    const { advertised, call } = await operation({ type: 'object', properties: { owner, name: string } });
    expect(Object.keys((advertised.properties.owner as { properties: Json }).properties)).toEqual(['id']);
    expect(call({ owner: { id: '7', login: 'octocat' } })).toEqual({ owner: { id: '7', login: 'octocat' } });
    expect(call({ owner: { idd: '7' } })).toEqual(expect.any(String));
  });

  test('of a nested object is shown if it identifies the object, otherwise hidden (Netbox, GitHub, Box)', async () => {
    const site = {
      type: 'object',
      properties: {
        id: { type: 'integer', readOnly: true },
        url: readOnly,
        display: readOnly,
        name: string,
        slug: string,
        device_count: { type: 'integer', readOnly: true },
      },
      required: ['id', 'url', 'display', 'name', 'slug'],
    };
    const milestone = { type: 'object', properties: { login: readOnly, node_id: readOnly, avatar: readOnly } };
    const statistics = { type: 'object', properties: { count: { type: 'integer', readOnly: true }, at: readOnly } };
    // What it has to be named by anyway is enough; else its id may be the better name.
    const { slug: _, ...some } = site.properties;
    const tenant = { type: 'object', properties: some };
    const { advertised, call } = await operation({
      type: 'object',
      properties: { site, tenant, milestone, statistics },
    });
    const shown = Object.entries(advertised.properties as Record<string, { properties?: Json; required?: string[] }>);
    expect(shown.map(([name, { properties = {} }]) => [name, Object.keys(properties)])).toEqual([
      ['site', ['name', 'slug']],
      ['tenant', ['id', 'name']],
      ['milestone', ['login', 'node_id']],
      ['statistics', []],
      ['fields', []],
      ['dry_run', []],
    ]);
    expect(advertised.properties.site).toMatchObject({ required: ['name', 'slug'] });
    const args = { site: { id: 7, url: 'u', name: 'n', slug: 's', device_count: 3 }, statistics: { count: 1 } };
    expect(call(args)).toBe(args);
  });

  test('identifies the items of a bulk update', async () => {
    const item = { type: 'object', properties: { id: { type: 'integer', readOnly: true }, name: string } };
    const { advertised, call } = await operation({ type: 'array', items: item }, {}, '3.0.3', 'patch');
    expect(JSON.stringify(advertised)).toContain('"id"');
    expect(call({ body: [{ id: 1, name: 'n' }] })).toEqual({ body: [{ id: 1, name: 'n' }] });
  });

  test('identifies them even if they have a name, which may be what changes', async () => {
    const user = {
      type: 'object',
      required: ['id', 'email'],
      properties: { id: readOnly, email: string, at: readOnly },
    };
    const list = { type: 'array', items: ref('User') };
    const fieldsOf = async (schema: unknown, method: string, id: string) => {
      const requestBody = { required: true, content: { 'application/json': { schema } } };
      const paths = { '/users': { [method]: { operationId: id, requestBody, responses: {} } } };
      const { advertised } = await opened(openapi(paths, { components: { schemas: { User: user } } }));
      const { items } = Object.values(advertised.properties)[0] as { items: { properties: Json; required: string[] } };
      expect(items.required).toEqual(['email']);
      return Object.keys(items.properties);
    };
    const wrapped = { type: 'object', required: ['users'], properties: { users: list } };
    for (const schema of [list, wrapped]) {
      for (const method of ['put', 'patch']) expect(await fieldsOf(schema, method, 'many')).toEqual(['id', 'email']);
      expect(await fieldsOf(schema, 'post', 'bulkUpdate')).toEqual(['id', 'email']);
      expect(await fieldsOf(schema, 'post', 'addUsers')).toEqual(['email']);
    }
    const { endpoint } = await operation(list, { User: user }, '3.0.3', 'put');
    expect(JSON.stringify(hideReadOnly(endpoint.inputSchema, 'item'))).toContain('"id"');
    // A list beside other fields belongs to what they describe.
    const team = { type: 'object', properties: { members: list, name: string } };
    expect(await fieldsOf(team, 'put', 'many')).toEqual(['email']);
  });

  test('is offered if the body has only readOnly fields', async () => {
    const { advertised, call } = await operation({ type: 'object', properties: { id: readOnly, type: readOnly } });
    expect(Object.keys((advertised.properties.body as { properties: Json }).properties)).toEqual(['id', 'type']);
    expect(call({ body: { id: '7', type: 'tags' } })).toEqual({ body: { id: '7', type: 'tags' } });
    expect(call({ body: {} })).toEqual({ body: {} });
  });

  test('with a large schema is not described in the request', async () => {
    const big = { type: 'object', properties: { deep: ref('Gone') } };
    const thing = { type: 'object', properties: { name: string, links: { allOf: [ref('Big')], readOnly: true } } };
    const { endpoint, call } = await operation(thing, { Big: big });
    expect((endpoint.inputSchema as { properties: Json }).properties.links).toEqual({ readOnly: true });
    expect(call({ name: 'n', links: { deep: { x: 1 } } })).toEqual({ name: 'n', links: { deep: { x: 1 } } });
  });

  test('never takes the key of an argument that is shown', async () => {
    const schema = { type: 'object', properties: { id: readOnly, name: string, 'na me': readOnly } };
    const parameters = [{ name: 'id', in: 'path', required: true, schema: string }];
    const requestBody = { required: true, content: { 'application/json': { schema } } };
    const { endpoint, call } = await opened(
      openapi({ '/things/{id}': { put: { operationId: 'make', parameters, requestBody, responses: {} } } }),
    );
    expect(endpoint.args.map(({ key, readOnly }) => [key, readOnly === true])).toEqual([
      ['id', false],
      ['name', false],
      ['body_id', true],
      ['na_me', true],
    ]);
    expect(call({ id: '7', name: 'n' })).toEqual({ id: '7', name: 'n' });
  });

  test('may share its schema with a parameter', async () => {
    const parameters = [{ name: 'id', in: 'path', required: true, schema: ref('identifier') }];
    const { advertised } = await opened(
      openapi({ '/things/{id}': { get: { parameters, responses: {} } } }, { components: { schemas: cloudflare } }),
    );
    expect(advertised).toMatchObject({ properties: { id: { type: 'string' } }, required: ['id'] });
  });

  test('is read in Swagger 2.0 as well', async () => {
    const { advertised, call } = await opened({
      swagger: '2.0',
      info: { title: 'T', version: '1' },
      host: new URL(SERVER).host,
      schemes: ['https'],
      paths: {
        '/things': {
          post: {
            parameters: [{ name: 'b', in: 'body', required: true, schema: { $ref: '#/definitions/T' } }],
            responses: {},
          },
        },
      },
      definitions: {
        T: {
          type: 'object',
          properties: { id: readOnly, owner: { $ref: '#/definitions/O' } },
          required: ['id', 'owner'],
        },
        O: { type: 'object', properties: { id: readOnly }, required: ['id'] },
      },
    });
    expect(advertised).toMatchObject({ required: ['owner'], properties: { owner: { properties: { id: {} } } } });
    expect(Object.keys(advertised.properties)).not.toContain('id');
    for (const args of [{ owner: {} }, { owner: { id: '7' } }, { id: '7', owner: {} }])
      expect(call(args)).toEqual(args);
  });

  test('in an answer: writeOnly fields are left out of its schema', async () => {
    const schema = {
      type: 'object',
      properties: { id: readOnly, password: { type: 'string', writeOnly: true } },
      required: ['id', 'password'],
    };
    const content = { 'application/json': { schema } };
    const { endpoint } = await opened(
      openapi({ '/things': { get: { responses: { 200: { description: 'x', content } } } } }),
    );
    expect(JSON.parse(JSON.stringify(endpoint.outputSchema))).toEqual({
      type: 'object',
      properties: { id: { type: 'string' } },
      required: ['id'],
    });
  });
});

/** Ways to say that a string is readOnly. */
const readOnlyText = fc.constantFrom<Json>(
  readOnly,
  ref('Fixed'),
  { allOf: [ref('Text')], readOnly: true },
  { allOf: [ref('Text'), { readOnly: true }] },
  { anyOf: [readOnly, { type: 'null' }] },
  { oneOf: [ref('Fixed')] },
);

/**
 * Objects whose `id` and `type` are readOnly in all the ways there are, and required in places of their own; what is in
 * `owner` and `parent` is such an object again.
 */
const objects = fc.letrec<{ whole: Json; part: Json }>((tie) => ({
  whole: fc.tuple(tie('part'), readOnlyText, readOnlyText, fc.boolean()).map(([part, id, type, first]) => {
    const base = { type: 'object', properties: { id, type } };
    return { allOf: first ? [base, part] : [part, base] };
  }),
  part: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(ref('Named'), ref('Asks'), { required: ['id'] }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.record(
        { id: readOnlyText, type: readOnlyText, name: fc.constant(string), owner: tie('whole'), parent: tie('whole') },
        { requiredKeys: ['name', 'owner'] },
      ),
      required: fc.subarray(['id', 'type', 'name', 'owner']),
    }),
    fc.record({ allOf: fc.array(tie('part'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie('part'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ anyOf: fc.array(tie('part'), { minLength: 1, maxLength: 3 }) }),
  ),
})).whole as fc.Arbitrary<Json>;

const DEFINITIONS = {
  Text: string,
  Fixed: readOnly,
  Named: { type: 'object', properties: { id: readOnly, name: string }, required: ['id', 'name'] },
  Asks: { type: 'object', required: ['id', 'type'] },
};

/** The least an advertised schema asks for. */
function least(node: Json): unknown {
  if (Array.isArray(node.anyOf)) {
    const branches = node.anyOf as [Json, ...Json[]];
    return least(branches.find(({ type }) => type === 'object') ?? branches[0]);
  }
  if (node.type !== 'object') return 'x';
  const properties = (node.properties ?? {}) as Record<string, Json>;
  return Object.fromEntries(((node.required ?? []) as string[]).map((name) => [name, least(properties[name]!)]));
}

/** The same arguments with the readOnly fields of every object in them. */
function withReadOnly(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.entries(value).map(([name, part]) => [name, withReadOnly(part)] as const);
  return { ...Object.fromEntries(inner), id: '7', type: 'thing' };
}

/** Gives what a refusal says is missing. */
function obey(args: Json, refusal: string): Json {
  const next = structuredClone(args);
  for (const [, path] of refusal.matchAll(/missing `([\w.]+)`/g)) {
    const names = path!.split('.');
    let holder = next;
    for (const name of names.slice(0, -1)) {
      holder[name] ??= {};
      holder = holder[name] as Json;
    }
    holder[names.at(-1)!] = /owner|parent/.test(names.at(-1)!) ? {} : 'x';
  }
  return next;
}

describe('readOnly in random combinations', () => {
  test('calls that follow the advertised schema are accepted, with and without the readOnly fields', async () => {
    await fc.assert(
      fc.asyncProperty(objects, fc.boolean(), fc.boolean(), async (whole, nested, modern) => {
        const schema = nested ? { type: 'object', properties: { owner: whole, name: string } } : whole;
        const { advertised, call } = await operation(schema, DEFINITIONS, modern ? '3.1.0' : '3.0.3');
        const start = least({ ...advertised, type: 'object' }) as Json;
        let args = nested ? { owner: {}, ...start } : start;
        let answer = call(args);
        for (let turn = 0; typeof answer === 'string' && turn < 8; turn++) {
          expect(answer).not.toMatch(/`(?:[\w.]*\.)?(?:id|type)`/);
          args = obey(args, answer);
          answer = call(args);
        }
        expect(answer).toEqual(args);
        const [key] = Object.keys(args);
        const full =
          key === 'body'
            ? { body: withReadOnly(args.body) }
            : nested
              ? { owner: withReadOnly(args.owner) }
              : withReadOnly(args);
        expect(call(full as Args)).toEqual(full);
      }),
      { numRuns: 400 },
    );
  }, 120_000);
});

describe('the search for one-way properties', () => {
  /** A ring of wide unions, as elasticsearch has them; counts how often a reference is followed. */
  function ring(size: number, words: { readOnly: boolean; writeOnly: boolean }) {
    const dialect = { schema: '3.0', major: 3, minor: 0 } as const;
    const document = { uri: 'file:///a', label: 'a', isRoot: true, value: {}, dialect } as SourceDocument;
    const schemas = Array.from({ length: size }, (_, index) => ({
      oneOf: Array.from({ length: 10 }, (_, step) => ({ $ref: String((index * 7 + step * step + 1) % size) })),
    }));
    const count = { hops: 0 };
    const oneWay = new OneWayProperties((_, name) => {
      count.hops++;
      return { document, pointer: '', value: schemas[Number(name)] };
    }, words);
    return {
      schemas,
      count,
      optionalNames: (index: number) => oneWay.optionalNames(document, schemas[index]!, 'request'),
    };
  }

  test('is skipped if no document has any', () => {
    const { count, optionalNames } = ring(300, { readOnly: false, writeOnly: true });
    for (let index = 0; index < 300; index++) expect(optionalNames(index).size).toBe(0);
    expect(count.hops).toBe(0);
  });

  test('visits each schema once if none has any', () => {
    const { count, optionalNames } = ring(300, { readOnly: true, writeOnly: false });
    for (let index = 0; index < 300; index++) expect(optionalNames(index).size).toBe(0);
    expect(count.hops).toBeLessThanOrEqual(300 * 10);
  });

  test('finds one from everywhere in a cycle', () => {
    const { schemas, optionalNames } = ring(50, { readOnly: true, writeOnly: false });
    Object.assign(schemas[17]!, { properties: { id: readOnly } });
    for (let index = 0; index < 50; index++) expect([...optionalNames(index)]).toEqual(['id']);
  });
});
