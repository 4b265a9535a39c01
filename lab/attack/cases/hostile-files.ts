// A: documents and domain files whose names, extensions and values are absurd. They start, or are refused in words; the
// program neither hangs nor breaks, and nothing of theirs reaches the prototype of an object.
import type { Case } from '../case.ts';
import { httpDoor } from '../doors.ts';
import { StartError } from '../gateway.ts';
import { callAll, document, handWritten, ID, type Json, operation, tryLaunch } from './small-api.ts';

const PROTOTYPE_NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  '__defineGetter__',
];
/** By entries: a literal with such a key would set the prototype instead. */
const named = (value: (name: string) => unknown): Json =>
  JSON.parse(`{${PROTOTYPE_NAMES.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value(name))}`).join(',')}}`);
const ABSURD: readonly unknown[] = [null, 0, -1, true, '', 'x'.repeat(100_000), [], [[]], {}, [null], named(() => 1)];

/** Starts or is refused in words, and still answers afterwards; every tool is called once. */
function survives(id: string, files: (url: string) => Record<string, string>, source: string): Case {
  return {
    part: 'A',
    id: `files: ${id}`,
    limitMs: 40_000,
    run: async (attack) => {
      const args = [source, '--exposure', 'tools', '--log-level', 'error'];
      const gateway = await tryLaunch(attack, { files: files(attack.upstream.url), args });
      if (gateway instanceof StartError)
        return /not ready in time|heap|FATAL|Maximum call stack|Cannot read|is not a function|TypeError/.test(
          gateway.message,
        )
          ? gateway.message.slice(0, 400)
          : undefined;
      const answers = await callAll(gateway, { id: '1' });
      const broken = answers.find(({ error, text }) => error?.code === -32603 && !text.includes('failure_mode'));
      if (broken) return `internal error: ${broken.text.slice(0, 200)}`;
      const { result } = await httpDoor(gateway, 'modern').ask('tools/list', {});
      return result ? undefined : 'tools/list has no answer';
    },
  };
}

const withDocument = (id: string, build: (url: string) => string) =>
  survives(id, (url) => ({ 'a.json': build(url) }), 'a.json');
const withDomain = (id: string, build: (url: string) => string) =>
  survives(id, (url) => ({ 'a.yaml': build(url) }), 'a.yaml');

export const HOSTILE_FILE_CASES: readonly Case[] = [
  withDocument('operations, parameters and schemas called __proto__ and the like', (url) =>
    document(
      url,
      Object.fromEntries(
        PROTOTYPE_NAMES.map((name) => [
          `/${name}/{id}`,
          {
            post: operation(name, {
              tags: [name],
              parameters: [...ID, { name, in: 'query', schema: { $ref: `#/components/schemas/${name}` } }],
              requestBody: {
                content: { 'application/json': { schema: { type: 'object', properties: named(() => ({})) } } },
              },
            }),
          },
        ]),
      ),
      { components: { schemas: named((name) => ({ type: 'object', properties: named(() => ({ title: name })) })) } },
    ),
  ),
  withDocument('security schemes called __proto__ and the like', (url) =>
    document(
      url,
      {
        '/x': {
          get: operation('x', { security: PROTOTYPE_NAMES.map((name) => JSON.parse(`{${JSON.stringify(name)}:[]}`)) }),
        },
      },
      {
        components: { securitySchemes: named((name) => ({ type: 'apiKey', in: 'header', name })) },
        security: [named(() => [])],
      },
    ),
  ),
  withDocument('x-mcp of every kind', (url) =>
    document(
      url,
      Object.fromEntries(
        ABSURD.flatMap((value, index) => [
          [`/a${index}`, { get: operation(`a${index}`, { 'x-mcp': value }) }],
          [`/b${index}`, { get: operation(`b${index}`, { 'x-mcp': { name: value, effect: value, guard: value } }) }],
          [`/c${index}`, { get: operation(`c${index}`, { 'x-mcp': { response: value, expose: value, args: value } }) }],
        ]),
      ),
      { 'x-mcp': ABSURD },
    ),
  ),
  withDocument('absurd values in every field of an operation', (url) =>
    document(
      url,
      Object.fromEntries(
        ABSURD.flatMap((value, index) =>
          [
            'parameters',
            'requestBody',
            'responses',
            'summary',
            'description',
            'tags',
            'security',
            'servers',
            'operationId',
          ].map((field) => [`/${field}/${index}`, { get: operation(`${field}${index}`, { [field]: value }) }] as const),
        ),
      ),
    ),
  ),
  ...['servers', 'components', 'tags', 'security', 'info', 'paths', 'webhooks'].map((field) =>
    survives(
      `absurd values of ${field}`,
      (url) =>
        Object.fromEntries(
          ABSURD.map((value, index) => [
            `apis/a${index}.json`,
            document(
              url,
              { '/x': { get: operation('x') } },
              { info: { title: `A${index}`, version: '1' }, [field]: value },
            ),
          ]),
        ),
      'apis',
    ),
  ),
  withDocument('servers with variables of every kind', (url) =>
    document(
      url,
      { '/x': { get: operation('x') } },
      {
        servers: ABSURD.map((value) => ({
          url: `${url}/{a}/{__proto__}/{constructor}${'{b}'.repeat(1_000)}`,
          variables: { a: value, b: { default: value, enum: value }, ...named(() => ({ default: '../..' })) },
        })),
      },
    ),
  ),
  withDocument('server variables that change the host', (url) =>
    document(
      url,
      { '/x': { get: operation('x') } },
      {
        servers: [
          {
            url: 'http://{host}:{port}/{path}',
            variables: {
              host: { default: '@evil.example#' },
              port: { default: '9\r\nx: y' },
              path: { default: '//evil.example' },
            },
          },
        ],
      },
    ),
  ),
  withDocument('names of hidden characters, line ends and 10,000 letters', (url) =>
    document(
      url,
      Object.fromEntries(
        [
          '\u202e',
          '\u200b',
          '\r\n',
          '\u0000',
          '\ud800',
          'x'.repeat(10_000),
          '\u001b[31m',
          '{{x}}',
          ['$', '{HOME}'].join(''),
        ].map((name, index) => [
          `/p${index}`,
          {
            get: operation(`a${name}b`, {
              summary: name,
              tags: [name],
              parameters: [
                { name: `q${name}`, in: 'query', schema: { type: 'string', enum: [name] } },
                { name: `h${name}`, in: 'header', schema: { type: 'string', default: name } },
              ],
            }),
          },
        ]),
      ),
      { info: { title: '\u202e\r\n', version: '\u0000' } },
    ),
  ),
  withDomain(
    'a domain file of a billion laughs',
    (url) =>
      `name: a\nbaseUrl: ${url}\nx0: &a0 [x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 9 }, (_, index) => `x${index + 1}: &a${index + 1} [${Array(9).fill(`*a${index}`).join(',')}]`).join('\n')}\nendpoints: { look: { path: /x, summary: *a9 } }\n`,
  ),
  withDomain(
    'a domain file of merged keys',
    (url) =>
      `name: a\nbaseUrl: ${url}\n_: &m { ${Array.from({ length: 2_000 }, (_, index) => `k${index}: 1`).join(', ')} }\nendpoints: { look: { path: /x, summary: x, args: { ${Array.from({ length: 500 }, (_, index) => `a${index}: { <<: *m }`).join(', ')} } } }\n`,
  ),
  withDomain(
    'a domain file 5,000 deep',
    (url) => `name: a\nbaseUrl: ${url}\nendpoints: ${'['.repeat(5_000)}${']'.repeat(5_000)}\n`,
  ),
  withDomain('endpoints, arguments and prompts called __proto__ and the like', (url) =>
    handWritten(
      url,
      { args: named(() => ({ type: 'string' })) },
      {
        endpoints: named((name) => ({ path: `/${name}`, summary: name })),
        prompts: named((name) => ({ text: `{{${name}}}` })),
        credentials: named((name) => ({ kind: 'bearer', env: name })),
      },
    ),
  ),
  ...['name', 'baseUrl', 'endpoints', 'prompts', 'resources', 'credentials', 'guard', 'response', 'openapi'].map(
    (field) =>
      survives(
        `a domain file with absurd values of ${field}`,
        (url) =>
          Object.fromEntries(
            ABSURD.map((value, index) => [
              `apis/a${index}.yaml`,
              handWritten(url, {}, { name: `a${index}`, [field]: value }),
            ]),
          ),
        'apis',
      ),
  ),
];
