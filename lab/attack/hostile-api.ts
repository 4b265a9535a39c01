// One API whose schemas ask for trouble: wide, deep, recursive, with unions, enums and patterns of every bad kind.
import type { Launch } from './gateway.ts';
import { HOSTILE_SCHEMAS } from './hostile-schemas.ts';

type Json = Record<string, unknown>;

/** Super-linear in a backtracking engine, and what stalls each. */
export const PATTERNS: readonly { readonly pattern: string; readonly attack: string }[] = [
  { pattern: '(?!x)a*a*b', attack: 'a'.repeat(3_100) },
  { pattern: '(a*)\\1b', attack: 'a'.repeat(16_000) },
  { pattern: '^(a+)+$', attack: `${'a'.repeat(40)}!` },
  { pattern: '^(a|aa)+$', attack: `${'a'.repeat(60)}!` },
  { pattern: '^(\\w+\\s?)*$', attack: `${'word '.repeat(20)}!` },
  { pattern: '(x+x+)+y', attack: 'x'.repeat(40) },
  { pattern: 'a*b', attack: 'a'.repeat(200_000) },
  { pattern: '\\s+$', attack: `${' '.repeat(200_000)}x` },
  { pattern: '(.*),(.*),(.*),(.*)x', attack: ','.repeat(3_000) },
  { pattern: '^(?:a?){30}a{30}$', attack: 'a'.repeat(29) },
  { pattern: '(?=.*a)(?=.*b)(?=.*c)(?=.*d).{8,}', attack: 'abc'.repeat(60_000) },
  { pattern: '(?<=a+)b', attack: 'a'.repeat(100_000) },
  { pattern: '(?<n>a+)+\\k<n>c', attack: 'a'.repeat(60) },
  { pattern: '^\\p{L}+\\p{L}+\\p{L}+$', attack: `${'é'.repeat(4_000)}1` },
  { pattern: '^([a-z]{1,100}){1,100}$', attack: `${'a'.repeat(5_000)}1` },
  { pattern: '(?=(a+))\\1b', attack: 'a'.repeat(60_000) },
];

const string = { type: 'string' };
const integer = { type: 'integer' };
const words = (count: number, stem = 'value') => Array.from({ length: count }, (_, index) => `${stem}_${index}`);
const keyed = (names: readonly string[], schema: unknown) => Object.fromEntries(names.map((name) => [name, schema]));

/** What is dear to compare with. */
export const WIDE_OBJECT: Json = keyed(words(4_000), 'x');

function operation(id: string, more: Json = {}): Json {
  return { operationId: id, summary: `${id} something.`, responses: { 200: { description: 'Done.' } }, ...more };
}

function body(schema: unknown, media = 'application/json'): Json {
  return { requestBody: { required: true, content: { [media]: { schema } } } };
}

function parameter(name: string, where: string, schema: unknown, more: Json = {}): Json {
  return { name, in: where, required: where === 'path', schema, ...more };
}

const branch = (index: number): Json => ({
  type: 'object',
  properties: { kind: { const: `kind_${index}` }, ...keyed(words(10, `own${index}`), integer) },
  required: ['kind'],
  additionalProperties: false,
});

const paths: Json = {
  '/read': {
    get: operation('read', {
      parameters: [
        parameter('q', 'query', string),
        parameter('tags', 'query', { type: 'array', items: string }),
        parameter('deep', 'query', { type: 'object', additionalProperties: string }, { style: 'deepObject' }),
        parameter('X-Note', 'header', string),
        parameter('crumb', 'cookie', string),
      ],
    }),
  },
  '/toon': { get: operation('toon', { 'x-mcp': { response: { format: 'toon', maxChars: 1_000_000 } } }) },
  '/plain': { get: operation('plain', { 'x-mcp': { response: { format: 'json', maxChars: 1_000_000 } } }) },
  '/shaped': {
    get: operation('shaped', {
      responses: {
        200: {
          description: 'Rows.',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { rows: { type: 'array', items: { type: 'object', properties: { id: integer } } } },
              },
            },
          },
        },
      },
    }),
  },
  '/files/{rest}': {
    get: operation('file', { parameters: [parameter('rest', 'path', string)], 'x-mcp': { expose: 'both' } }),
  },
  '/items/{id}': {
    get: operation('get_item', { parameters: [parameter('id', 'path', string)], 'x-mcp': { expose: 'both' } }),
    delete: operation('delete_item', { parameters: [parameter('id', 'path', string)] }),
  },
  '/wide': {
    post: operation(
      'wide',
      body({ type: 'object', properties: keyed(words(400, 'property'), string), additionalProperties: false }),
    ),
  },
  '/map': {
    post: operation(
      'map',
      body({ type: 'object', properties: { map: { type: 'object', additionalProperties: integer } } }),
    ),
  },
  '/numbers': {
    post: operation(
      'numbers',
      body({
        type: 'object',
        properties: {
          list: { type: 'array', items: integer },
          flags: { type: 'array', items: { type: 'boolean' } },
          rows: {
            type: 'array',
            items: {
              type: 'object',
              properties: { n: integer, when: { type: 'string', format: 'date-time' } },
              required: ['n'],
            },
          },
        },
      }),
    ),
  },
  '/union': {
    post: operation(
      'union',
      body({
        type: 'object',
        properties: {
          one: { oneOf: Array.from({ length: 60 }, (_, index) => branch(index)) },
          any: { anyOf: Array.from({ length: 60 }, (_, index) => branch(index)) },
          list: { type: 'array', items: { anyOf: Array.from({ length: 30 }, (_, index) => branch(index)) } },
        },
      }),
    ),
  },
  '/enum': {
    post: operation(
      'enum',
      body({
        type: 'object',
        properties: {
          one: { enum: words(2_000) },
          list: { type: 'array', items: { enum: words(2_000) } },
          map: { type: 'object', additionalProperties: { enum: words(500) } },
        },
      }),
    ),
  },
  '/sizes': {
    post: operation(
      'sizes',
      body({
        type: 'object',
        properties: {
          text: { anyOf: Array.from({ length: 300 }, (_, maxLength) => ({ type: 'string', maxLength })) },
          list: { type: 'array', items: { anyOf: [{ const: WIDE_OBJECT }, ...Array(8).fill(string)] } },
          object: { anyOf: Array.from({ length: 300 }, (_, index) => ({ enum: [{ index }] })) },
        },
      }),
    ),
  },
  '/unique': {
    post: operation(
      'unique',
      body({
        type: 'object',
        properties: {
          list: { type: 'array', uniqueItems: true },
          contains: { type: 'array', contains: { type: 'object', required: ['x'] }, minContains: 1 },
          names: { type: 'object', propertyNames: { maxLength: 3, pattern: '^[a-z]+$' } },
          kinds: {
            type: 'object',
            patternProperties: keyed(['^a', 'a$', 'b+', '^[a-z]+$', 'c.*d'], integer),
            additionalProperties: false,
          },
        },
      }),
    ),
  },
  ...Object.fromEntries(
    Object.entries(HOSTILE_SCHEMAS).map(([name, { schema }]) => [
      `/schemas/${name}`,
      { post: operation(`schema_${name}`, body({ type: 'object', properties: { value: schema } })) },
    ]),
  ),
  '/tree': { post: operation('tree', body({ $ref: '#/components/schemas/Tree' })) },
  '/patterns': {
    post: operation(
      'patterns',
      body({
        type: 'object',
        properties: Object.fromEntries(
          PATTERNS.map(({ pattern }, index) => [`p${index}`, { type: 'string', pattern }]),
        ),
      }),
    ),
  },
  '/formats': {
    post: operation(
      'formats',
      body({
        type: 'object',
        properties: Object.fromEntries(
          [
            'email',
            'uri',
            'uri-reference',
            'uri-template',
            'hostname',
            'ipv4',
            'ipv6',
            'date',
            'time',
            'date-time',
            'duration',
            'regex',
            'json-pointer',
            'uuid',
            'iri',
            'idn-email',
            'byte',
          ].map((format) => [format.replace('-', '_'), { type: 'string', format }]),
        ),
      }),
    ),
  },
  '/upload': {
    post: operation(
      'upload',
      body(
        {
          type: 'object',
          properties: {
            file: { type: 'string', format: 'binary' },
            files: { type: 'array', items: { type: 'string', format: 'binary' } },
            note: string,
            extra: { type: 'object', additionalProperties: string },
          },
        },
        'multipart/form-data',
      ),
    ),
  },
  '/form': {
    post: operation(
      'form',
      body(
        {
          type: 'object',
          properties: { a: string, list: { type: 'array', items: string } },
          additionalProperties: string,
        },
        'application/x-www-form-urlencoded',
      ),
    ),
  },
};

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Hostile', version: '1' },
  servers: [{ url: '/' }],
  paths,
  components: {
    schemas: {
      Tree: {
        type: 'object',
        properties: { name: string, children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
        additionalProperties: false,
      },
    },
  },
};

/** The names of its tools. */
export const TOOL = (operationId: string) => `hostile_${operationId}`;

export function hostileApi(
  upstreamUrl: string,
  exposure: 'tools' | 'search' | 'grouped',
  more: readonly string[] = [],
): Launch {
  const domain = {
    name: 'hostile',
    baseUrl: upstreamUrl,
    openapi: './hostile.json',
    prompts: {
      ask: {
        description: 'Asks.',
        arguments: { who: { required: true, values: words(500, 'person') }, what: {} },
        text: 'Ask {{who}} about {{what}}.',
      },
      embed: { description: 'Embeds.', messages: [{ resource: 'hostile://items/7' }, { text: 'Read it.' }] },
    },
    credentials: { key: { kind: 'apiKey', in: 'header', field: 'X-Key', env: 'HOSTILE_KEY' } },
    security: [['key']],
  };
  return {
    files: { 'domains/hostile.json': JSON.stringify(DOCUMENT), 'domains/hostile.yaml': JSON.stringify(domain) },
    args: ['domains/hostile.yaml', '--exposure', exposure, '--log-level', 'error', ...more],
    env: { HOSTILE_KEY: SECRET },
  };
}

/** The upstream's secret: nothing that goes out may hold it. */
export const SECRET = 'open-Sesame/42+Q9z';
