import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildDomain, DefinitionError } from '../../src/domain/definition/build-domain.ts';
import { defineDomain } from '../../src/domain/definition/define-domain.ts';
import type { DomainDefinition, EndpointDefinition } from '../../src/domain/definition/definition-types.ts';
import type { Endpoint } from '../../src/endpoint/model.ts';

const BASE = 'https://api.test/v1';

function build(given: Partial<DomainDefinition>, env: Record<string, string> = {}) {
  return buildDomain(defineDomain({ name: 'pets', baseUrl: BASE, ...given }), { env });
}

function endpoint(given: Partial<EndpointDefinition>, more: Partial<DomainDefinition> = {}): Endpoint {
  return build({ ...more, endpoints: { call: { path: '/pets', summary: 'Calls.', ...given } } }).endpoints[0]!;
}

/** Problems as `field message` lines. */
function problemsOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof DefinitionError) return error.message;
    throw error;
  }
  return '';
}

describe('defineDomain()', () => {
  test('gives a frozen description that no later change can reach', () => {
    const given = { name: 'pets', baseUrl: BASE, endpoints: { list: { path: '/pets', summary: 'Lists pets.' } } };
    const defined = defineDomain(given);
    given.endpoints.list.summary = 'changed';
    expect(defined.endpoints?.list?.summary).toBe('Lists pets.');
    expect(() => Object.assign(defined.endpoints!.list!, { summary: 'x' })).toThrow(TypeError);
  });

  test('needs nothing from the environment until it is built', () => {
    const defined = defineDomain({
      name: 'pets',
      baseUrl: { env: 'PETS_URL' },
      endpoints: { list: { path: '/', summary: 'x' } },
    });
    expect(problemsOf(() => buildDomain(defined, { env: {} }))).toContain('set the environment variable PETS_URL');
    expect(buildDomain(defined, { env: { PETS_URL: 'http://h:1/a/' } }).endpoints[0]!.baseUrl).toBe('http://h:1/a');
  });

  const mistakes: [string, Record<string, unknown>, RegExp][] = [
    ['an unknown key', { endpoint: {} }, /endpoint: "endpoint" is not known here; did you mean "endpoints"\?/],
    ['a bad name', { name: 'My Pets' }, /name: a domain name is lower case/],
    ['a missing name', { name: undefined }, /name: is missing: give a string/],
    [
      'a misspelt endpoint key',
      { endpoints: { list: { path: '/a', summary: 'x', summry: 'y' } } },
      /endpoints\.list\.summry: .*did you mean "summary"/,
    ],
    ['an endpoint without a summary', { endpoints: { list: { path: '/a' } } }, /endpoints\.list\.summary: is missing/],
    [
      'a path with a query',
      { endpoints: { list: { path: '/a?b=1', summary: 'x' } } },
      /endpoints\.list\.path: must start with \/ and hold no \?/,
    ],
    ['a bad action', { endpoints: { 'list-pets': { path: '/a', summary: 'x' } } }, /"list-pets": a name is lower case/],
    [
      'a wrong effect',
      { endpoints: { list: { path: '/a', summary: 'x', effect: 'reads' } } },
      /effect: must be one of "read", "write", "destructive"; got "reads"; did you mean "read"/,
    ],
    [
      'a wrong guard',
      { guard: { destructive: 'ask' } },
      /guard\.destructive: must be one of "allow", "confirm", "deny"; got "ask"/,
    ],
    ['an empty description', { description: ' ' }, /description: must not be empty/],
    ['a credential of no kind we know', { credentials: { a: { kind: 'digest', env: 'A' } } }, /credentials\.a/],
    [
      'a misspelt credential field',
      { credentials: { a: { kind: 'bearer', enw: 'A' } } },
      /credentials\.a\.enw: .*did you mean "env"/,
    ],
    ['a misspelt base URL key', { baseUrl: { evn: 'A' } }, /baseUrl\.evn: .*did you mean "env"/],
    ['a base URL of the wrong type', { baseUrl: 7 }, /baseUrl: must be a string or an object; got 7/],
    ['a timeout that is no number', { timeoutMs: '5s' }, /timeoutMs: must be a number; got "5s"/],
    ['a timeout of 0', { timeoutMs: 0 }, /timeoutMs: must be at least 1; got 0/],
  ];
  for (const [what, given, want] of mistakes) {
    test(`refuses ${what}`, () => {
      const message = problemsOf(() => defineDomain({ name: 'pets', baseUrl: BASE, ...given } as DomainDefinition));
      expect(message).toMatch(want);
      expect(message).not.toMatch(/Invalid input|Unrecognized/);
    });
  }

  test('takes a key set to undefined for one left out', () => {
    const given = { name: 'pets', title: undefined, endpoints: { a: { path: '/', summary: 'x', guard: undefined } } };
    expect(defineDomain(given as never)).toEqual({ name: 'pets', endpoints: { a: { path: '/', summary: 'x' } } });
  });

  test('says every mistake at once', () => {
    const message = problemsOf(() => defineDomain({ name: 'X', tittle: 'a', guard: { write: 'no' } } as never));
    expect(message.split('\n')).toHaveLength(3);
  });
});

describe('buildDomain()', () => {
  test('makes a whole endpoint of a few words', () => {
    expect(
      endpoint({ path: '/pets/{id}', args: { id: z.int().describe('Number.'), verbose: z.boolean().optional() } }),
    ).toEqual({
      id: 'pets.call',
      domain: 'pets',
      action: 'call',
      toolName: 'pets_call',
      summary: 'Calls.',
      tags: [],
      effect: 'read',
      effectReason: 'the HTTP method',
      idempotent: true,
      deprecated: false,
      method: 'GET',
      path: '/pets/{id}',
      baseUrl: BASE,
      headers: {},
      args: [
        { key: 'id', required: true, to: [{ in: 'path', name: 'id', style: 'simple', explode: false }] },
        { key: 'verbose', required: false, to: [{ in: 'query', name: 'verbose', style: 'form', explode: true }] },
      ],
      fixed: [],
      inputSchema: {
        type: 'object',
        properties: { id: { type: 'integer', description: 'Number.' }, verbose: { type: 'boolean' } },
        required: ['id'],
        additionalProperties: false,
      },
      parse: expect.any(Function),
      security: [],
      response: { maxChars: 20_000, format: 'auto', structured: false },
      limits: { timeoutMs: 30_000, maxResponseBytes: 10_485_760 },
      examples: [],
      expose: 'tool',
      source: { kind: 'module', file: 'domain pets', pointer: 'endpoints.call' },
      provenance: expect.any(Object),
    });
  });

  const effects: [string, string, boolean][] = [
    ['GET', 'read', true],
    ['HEAD', 'read', true],
    ['QUERY', 'read', true],
    ['POST', 'write', false],
    ['PUT', 'write', true],
    ['PATCH', 'write', false],
    ['DELETE', 'destructive', true],
  ];
  for (const [method, effect, idempotent] of effects) {
    test(`takes ${method} for ${effect}`, () => {
      expect(endpoint({ method: method.toLowerCase() })).toMatchObject({ method, effect, idempotent });
    });
  }

  const places: [string, Partial<EndpointDefinition>, unknown][] = [
    ['GET: query', { method: 'GET' }, { in: 'query', name: 'a', style: 'form', explode: true }],
    ['DELETE: query', { method: 'DELETE' }, { in: 'query', name: 'a', style: 'form', explode: true }],
    ['POST: body', { method: 'POST' }, { in: 'body', at: ['a'] }],
    [
      'in the template: path',
      { method: 'POST', path: '/x/{a}' },
      { in: 'path', name: 'a', style: 'simple', explode: false },
    ],
    [
      'renamed into the template',
      { path: '/x/{petId}', place: { a: { name: 'petId' } } },
      { in: 'path', name: 'petId', style: 'simple', explode: false },
    ],
    [
      'placed in a header',
      { place: { a: { in: 'header', name: 'X-A' } } },
      { in: 'header', name: 'X-A', style: 'simple', explode: false },
    ],
    [
      'placed by one word',
      { method: 'POST', place: { a: 'query' } },
      { in: 'query', name: 'a', style: 'form', explode: true },
    ],
    [
      'with a style',
      { place: { a: { style: 'pipeDelimited' } } },
      { in: 'query', name: 'a', style: 'pipeDelimited', explode: false },
    ],
    ['deep in the body', { method: 'POST', place: { a: { at: ['x', 'y'] } } }, { in: 'body', at: ['x', 'y'] }],
    ['as the whole body', { method: 'PUT', place: { a: 'body-root' } }, { in: 'body-root' }],
    ['as a text body', { method: 'POST', body: 'text' }, { in: 'body-root' }],
  ];
  for (const [what, given, want] of places) {
    test(`places an argument: ${what}`, () => {
      expect(endpoint({ args: { a: z.string() }, ...given }).args[0]!.to).toEqual([want]);
    });
  }

  const bodies: [string, Partial<EndpointDefinition>, unknown][] = [
    ['json by default', { args: { a: z.string() } }, { kind: 'json', mediaType: 'application/json', required: true }],
    [
      'optional when nothing in it is required',
      { args: { a: z.string().optional() } },
      { kind: 'json', mediaType: 'application/json', required: false },
    ],
    [
      'a form',
      { args: { a: z.string() }, body: 'form' },
      { kind: 'form', mediaType: 'application/x-www-form-urlencoded', required: true },
    ],
    [
      'wrapped',
      { args: { a: z.string() }, body: { kind: 'json', wrap: ['data'] } },
      { kind: 'json', mediaType: 'application/json', required: true, wrap: ['data'] },
    ],
    [
      'of another media type',
      { args: { a: z.string() }, body: { kind: 'json', mediaType: 'application/merge-patch+json' } },
      { kind: 'json', mediaType: 'application/merge-patch+json', required: true },
    ],
    [
      'with a file',
      { args: { a: z.string(), f: z.looseObject({}) }, place: { f: { file: true } } },
      { kind: 'multipart', mediaType: 'multipart/form-data', required: true, encoding: { f: { file: true } } },
    ],
    ['fixed values only', { fixed: { v: 1 } }, { kind: 'json', mediaType: 'application/json', required: true }],
    ['none without arguments', {}, undefined],
  ];
  for (const [what, given, want] of bodies) {
    test(`plans a body: ${what}`, () => {
      expect(endpoint({ method: 'POST', ...given }).body).toEqual(want);
    });
  }

  test('applies zod defaults and refinements, and explains refusals in sentences', () => {
    const { parse, inputSchema } = endpoint({
      args: z
        .object({ from: z.int(), to: z.int(), limit: z.int().min(1).max(100).default(25) })
        .refine((args) => args.from < args.to, { message: 'must lie before `to`', path: ['from'] }),
    });
    expect(parse!({ from: 1, to: 2 })).toEqual({ ok: true, args: { from: 1, to: 2, limit: 25 } });
    expect(parse!({ from: 3, to: 2 })).toEqual({ ok: false, problems: ['`from` must lie before `to`'] });
    expect(parse!({ from: 1, to: 2, limit: 200 })).toEqual({
      ok: false,
      problems: ['`limit` must be at most 100; got 200'],
    });
    expect(inputSchema).toMatchObject({ required: ['from', 'to'], properties: { limit: { default: 25 } } });
  });

  test('blames the file, not the arguments, for a check that throws or is asynchronous', () => {
    const throws = endpoint({
      args: z.object({ a: z.string() }).refine(() => {
        throw new Error('oops');
      }),
    });
    expect(() => throws.parse!({ a: 'x' })).toThrow(
      /A check of the domain file \(endpoints\.call\.args\) failed: Error: oops\./,
    );
    const waits = endpoint({ args: z.object({ a: z.string().refine(async () => true) }) });
    expect(() => waits.parse!({ a: 'x' })).toThrow(/it is asynchronous, which is not possible/);
  });

  test('keeps zod noise out of the schema', () => {
    const { inputSchema } = endpoint({ args: { id: z.uuid(), n: z.int(), day: z.iso.date() } });
    expect(inputSchema).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string', format: 'uuid' },
        n: { type: 'integer' },
        day: { type: 'string', format: 'date' },
      },
      required: ['id', 'n', 'day'],
      additionalProperties: false,
    });
  });

  test('makes arguments of every branch of a union, still checked branch by branch', () => {
    const made = endpoint({
      method: 'POST',
      args: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('cat'), lives: z.int() }),
        z.object({ kind: z.literal('dog'), tricks: z.array(z.string()) }),
      ]),
    });
    expect(made.args.map((arg) => arg.key)).toEqual(['kind', 'lives', 'tricks']);
    expect(made.inputSchema).toMatchObject({ type: 'object', additionalProperties: false, oneOf: [{}, {}] });
    expect(made.parse!({ kind: 'cat', lives: 9 })).toMatchObject({ ok: true });
    expect(made.parse!({ kind: 'cat', tricks: [] })).toMatchObject({ ok: false });
  });

  test('lets arguments be called like things objects have already', () => {
    const made = endpoint({
      inputSchema: JSON.parse(
        '{"type":"object","properties":{"constructor":{"type":"string"},"toString":{"type":"string"}}}',
      ),
    });
    expect(made.args.map((arg) => arg.key)).toEqual(['constructor', 'toString']);
  });

  const wrong: [string, Partial<EndpointDefinition>, RegExp][] = [
    [
      'a path variable without an argument',
      { path: '/pets/{id}' },
      /endpoints\.call\.path: needs an argument or fixed value for \{id\}; add "id" to args/,
    ],
    [
      'an optional path argument',
      { path: '/pets/{id}', args: { id: z.int().optional() } },
      /args\.id: is part of the path, so it must be required/,
    ],
    [
      'a placement of nothing',
      { place: { b: 'query' }, args: { a: z.string() } },
      /place\.b: there is no argument or fixed value "b"/,
    ],
    [
      'two arguments in one place',
      { args: { a: z.string(), b: z.string() }, place: { a: { name: 'b' } } },
      /goes to the same place as "a"/,
    ],
    ['a value both asked for and fixed', { args: { a: z.string() }, fixed: { a: 1 } }, /fixed\.a: is also an argument/],
    [
      'the Authorization header as an argument',
      { args: { a: z.string() }, place: { a: { in: 'header', name: 'authorization' } } },
      /the header authorization cannot be an argument/,
    ],
    ['a path placement without a variable', { args: { a: z.string() }, place: { a: 'path' } }, /path: has no \{a\}/],
    [
      'a whole body and a part of it',
      { method: 'POST', args: { a: z.string(), b: z.string() }, place: { a: 'body-root' } },
      /"a" is the whole body, so "b" cannot be part of it/,
    ],
    ['a body without arguments', { method: 'POST', body: 'form' }, /body: there is no argument in the body/],
    ['args and inputSchema', { args: {}, inputSchema: { type: 'object' } }, /give args or inputSchema, not both/],
    ['arguments nobody declared', { args: z.looseObject({ a: z.string() }) }, /must name every argument/],
    ['arguments that are no object', { args: z.string() }, /must describe an object of arguments; got type "string"/],
    ['a zod type JSON does not have', { args: { a: z.date() } }, /cannot be described to a client: Date/],
    ['an unusable argument name', { args: { 'filter[a]': z.string() } }, /is not a usable argument name/],
    [
      'paging by an argument that is not there',
      { pagination: { kind: 'page', arg: 'page' } },
      /pagination\.arg: there is no argument "page"/,
    ],
    [
      'an example with a slip',
      { args: { limit: z.int() }, examples: [{ limt: 5 }] },
      /examples\[0\]: there is no argument "limt"; did you mean "limit"\?/,
    ],
    [
      'an example the refinement refuses',
      { args: { limit: z.int().max(3) }, examples: [{ limit: 5 }] },
      /examples\[0\]: is refused: `limit` must be at most 3/,
    ],
    ['a credential that is not declared', { security: [['key']] }, /security\[0\]: there is no credential "key"/],
  ];
  for (const [what, given, want] of wrong) {
    test(`refuses ${what}`, () => {
      expect(problemsOf(() => endpoint(given))).toMatch(want);
    });
  }

  test('refuses a tool name that does not fit', () => {
    expect(problemsOf(() => build({ endpoints: { [`a${'b'.repeat(45)}`]: { path: '/', summary: 'x' } } }))).toMatch(
      /longer than 48/,
    );
    expect(endpoint({}, { prefix: '' }).toolName).toBe('call');
    expect(endpoint({}, { prefix: 'p' }).toolName).toBe('p_call');
  });

  test('gives domain defaults to every endpoint, which may say otherwise', () => {
    const domain = build({
      headers: { 'X-A': '1', 'X-B': '2' },
      timeoutMs: 1_000,
      response: { maxChars: 500, format: 'json' },
      endpoints: {
        plain: { path: '/', summary: 'x' },
        own: {
          path: '/',
          summary: 'x',
          headers: { 'X-B': '3' },
          timeoutMs: 9,
          response: { format: 'text' },
          baseUrl: 'http://other.test/',
        },
      },
    });
    expect(domain.endpoints).toMatchObject([
      {
        headers: { 'X-A': '1', 'X-B': '2' },
        limits: { timeoutMs: 1_000 },
        response: { maxChars: 500, format: 'json' },
        baseUrl: BASE,
      },
      {
        headers: { 'X-A': '1', 'X-B': '3' },
        limits: { timeoutMs: 9 },
        response: { maxChars: 500, format: 'text' },
        baseUrl: 'http://other.test',
      },
    ]);
  });

  test('pins by action or tool name', () => {
    const endpoints = {
      a: { path: '/', summary: 'x' },
      b: { path: '/', summary: 'x', pinned: true },
      c: { path: '/', summary: 'x' },
    };
    expect(build({ endpoints, pinned: ['pets_a'] }).pinned).toEqual(['pets_a', 'pets_b']);
    expect(problemsOf(() => build({ endpoints, pinned: ['d'] }))).toMatch(/pinned\[0\]: there is no operation "d"/);
  });

  test('is frozen all the way down', () => {
    const domain = build({ endpoints: { a: { path: '/', summary: 'x', args: { q: z.string() } } } });
    expect(Object.isFrozen(domain.endpoints[0]!.args[0]!.to[0])).toBe(true);
    expect(Object.isFrozen((domain.endpoints[0]!.inputSchema as { properties: object }).properties)).toBe(true);
  });
});
