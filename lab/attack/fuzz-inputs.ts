// Generated APIs and hostile messages for them. Everything follows from a seed and an index, so that any input can be
// made again: an API from its block, a message from its own index.
import { MODERN } from './doors.ts';

type Json = Record<string, unknown>;

export interface Random {
  /** Characters this input may still take, about; generators stop where there are none. */
  left: number;
  /** 0 ≤ x < below. */
  int(below: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/** Mulberry32 over a mixed seed: small, fast, the same everywhere. */
export function createRandom(seed: number, index: number): Random {
  let state = (Math.imul(seed + 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  next();
  const int = (below: number) => Math.floor(next() * below);
  // Most inputs are small, so that there can be many; some are as large as a message may be.
  const share = next();
  const left = share < 0.94 ? 1_500 : share < 0.985 ? 30_000 : 400_000;
  return { left, int, chance: (probability) => next() < probability, pick: (items) => items[int(items.length)]! };
}

const NAMES = [
  'id',
  'name',
  'kind',
  'items',
  'value',
  'count',
  'tags',
  'owner',
  'parent',
  'note',
  'fields',
  'action',
  '__proto__',
  'a.b',
  'ключ',
];
const PATTERNS = [
  '^a+$',
  '(a+)+$',
  '^[a-z]{1,10}$',
  '(?!x)a*a*b',
  '(a*)\\1b',
  '\\d+\\.\\d+',
  '^\\S+@\\S+$',
  '(x|y|z)*w',
  '[',
  '^(?:a?){20}a{20}$',
  '\\p{L}+',
  '(?<=a)b',
];
const FORMATS = [
  'email',
  'uri',
  'uri-template',
  'hostname',
  'ipv6',
  'date-time',
  'duration',
  'regex',
  'uuid',
  'byte',
  'binary',
  'nonsense',
];

function list<Item>(random: Random, most: number, build: () => Item): Item[] {
  return Array.from({ length: random.int(most + 1) }, build);
}

/** Any JSON Schema a document might hold. */
export function schema(random: Random, depth: number): unknown {
  const kinds =
    depth <= 0
      ? ['string', 'integer', 'number', 'boolean', 'enum', 'null']
      : [
          'string',
          'integer',
          'number',
          'boolean',
          'enum',
          'object',
          'object',
          'array',
          'map',
          'oneOf',
          'anyOf',
          'allOf',
          'if',
          'ref',
          'true',
        ];
  switch (random.pick(kinds)) {
    case 'string':
      return {
        type: 'string',
        ...(random.chance(0.3) && { pattern: random.pick(PATTERNS) }),
        ...(random.chance(0.2) && { format: random.pick(FORMATS) }),
        ...(random.chance(0.2) && { maxLength: random.int(50) }),
      };
    case 'integer':
      return {
        type: 'integer',
        ...(random.chance(0.3) && { minimum: random.int(10), maximum: 10 + random.int(100) }),
        ...(random.chance(0.1) && { multipleOf: 3 }),
      };
    case 'number':
      return { type: ['number', 'null'] };
    case 'boolean':
      return { type: 'boolean' };
    case 'null':
      return { type: 'null' };
    case 'enum':
      return {
        enum: Array.from({ length: 1 + random.int(random.chance(0.05) ? 1_000 : 12) }, (_, index) =>
          random.pick([`value_${index}`, index, `Value ${index}`]),
        ),
      };
    case 'object':
      return {
        type: 'object',
        properties: Object.fromEntries([
          ...list(random, 8, () => [random.pick(NAMES), schema(random, depth - 1)] as const),
          ...(random.chance(0.05)
            ? Array.from({ length: 200 }, (_, index) => [`property_${index}`, { type: 'string' }] as const)
            : []),
        ]),
        ...(random.chance(0.4) && { required: list(random, 2, () => random.pick(NAMES)) }),
        ...(random.chance(0.4) && { additionalProperties: random.chance(0.5) ? false : schema(random, depth - 1) }),
        ...(random.chance(0.05) && { patternProperties: { [random.pick(PATTERNS)]: schema(random, depth - 1) } }),
        ...(random.chance(0.05) && { propertyNames: { maxLength: 5 } }),
        ...(random.chance(0.05) && { dependentRequired: { id: ['name'] } }),
      };
    case 'array':
      return {
        type: 'array',
        items: schema(random, depth - 1),
        ...(random.chance(0.2) && { uniqueItems: true }),
        ...(random.chance(0.1) && { maxItems: random.int(5) }),
        ...(random.chance(0.1) && { contains: schema(random, 0) }),
      };
    case 'map':
      return { type: 'object', additionalProperties: schema(random, depth - 1) };
    case 'oneOf':
    case 'anyOf':
    case 'allOf': {
      const word = random.pick(['oneOf', 'anyOf', 'allOf']);
      return {
        [word]: Array.from({ length: 1 + random.int(random.chance(0.1) ? 30 : 4) }, () => schema(random, depth - 1)),
      };
    }
    case 'if':
      // By entries: an object that is written with a `then` looks like a promise.
      return Object.fromEntries([
        ['type', 'object'],
        ['if', { properties: { kind: { const: 'a' } } }],
        ['then', schema(random, depth - 1)],
        ['else', schema(random, depth - 1)],
      ]);
    case 'ref':
      return { $ref: `#/components/schemas/${random.pick(['Tree', 'Loop'])}` };
    default:
      return true;
  }
}

export const OPERATIONS = 12;

/** A document of generated operations. */
export function api(random: Random, server: string): Json {
  const paths: Json = {};
  for (let index = 0; index < OPERATIONS; index++) {
    const method = random.pick(['get', 'get', 'post', 'post', 'put', 'patch', 'delete']);
    const parameters = list(random, 4, () => {
      const where = random.pick(['query', 'query', 'header', 'cookie']);
      return {
        name: random.pick(NAMES),
        in: where,
        schema: schema(random, 1),
        ...(random.chance(0.2) &&
          where === 'query' && {
            style: random.pick(['form', 'spaceDelimited', 'pipeDelimited', 'deepObject']),
            explode: random.chance(0.5),
          }),
      };
    });
    const media = random.pick([
      'application/json',
      'application/json',
      'application/json',
      'multipart/form-data',
      'application/x-www-form-urlencoded',
      'text/plain',
    ]);
    paths[`/p${index}/{key}`] = {
      [method]: {
        operationId: `op_${index}`,
        summary: `Does ${index} to ${random.pick(NAMES)}.`,
        parameters: [{ name: 'key', in: 'path', required: true, schema: { type: 'string' } }, ...parameters],
        ...(method !== 'get' &&
          method !== 'delete' && { requestBody: { content: { [media]: { schema: schema(random, 3) } } } }),
        responses: {
          200: {
            description: 'x',
            ...(random.chance(0.5) && { content: { 'application/json': { schema: schema(random, 2) } } }),
          },
        },
        ...(method === 'get' && random.chance(0.5) && { 'x-mcp': { expose: 'both' } }),
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Fuzz', version: '1' },
    servers: [{ url: server }],
    paths,
    components: {
      schemas: {
        Tree: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
          },
        },
        Loop: {
          anyOf: [{ type: 'string' }, { type: 'object', properties: { next: { $ref: '#/components/schemas/Loop' } } }],
        },
      },
    },
  };
}

const PIECES = [
  'a',
  '.',
  '*',
  '/',
  '%',
  ' ',
  '\n',
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  '$',
  '=',
  '-',
  '_',
  ',',
  ';',
  '&',
  '<',
  '0',
  'é',
  '\ud800',
  '\u0000',
  '\u200b',
  '😀',
  '../',
  '%2f',
  'a.',
  '[*]',
  'ing ',
  '<b>',
  '=?base64?',
  '__proto__',
];

/** Mostly short; an input that may be large soon puts much of it into one place. */
function size(random: Random): number {
  if (random.chance(random.left > 10_000 ? 0.5 : 0.85)) return random.int(12);
  return random.int(Math.max(1, random.left));
}

export function text(random: Random): string {
  const count = size(random);
  const piece = random.pick(PIECES);
  let result = '';
  if (random.chance(0.5)) {
    result = piece.repeat(Math.floor(count / piece.length)) + random.pick(['', '!', 'x', 'b']);
  } else {
    for (let index = 0; index < Math.min(count, 200); index++) result += random.pick(PIECES);
  }
  random.left -= result.length;
  return result;
}

/** A value of no shape in particular. */
export function value(random: Random, depth: number): unknown {
  random.left -= 4;
  if (random.left <= 0) return 1;
  switch (random.int(depth <= 0 ? 7 : 12)) {
    case 0:
      return text(random);
    case 1:
      return random.pick([0, 1, -1, 1e308, -0, 1.5, 2 ** 53, 123456789012345680000]);
    case 2:
      return random.pick([
        '1',
        'true',
        'null',
        '1e999',
        '123456789012345678',
        '{"a":1}',
        '[1,2]',
        'value_1',
        'Value_1',
        'valeu_1',
      ]);
    case 3:
      return random.pick([true, false, null]);
    case 4:
      return random.pick([{}, [], '', [[]], [{}]]);
    case 5:
      return { base64: text(random), filename: text(random), mimeType: text(random) };
    case 6:
      return random.pick(NAMES);
    case 7:
    case 8: {
      const same = random.chance(0.3);
      const first = value(random, depth - 1);
      const count = Math.floor(size(random) / 8);
      if (same) random.left -= count * Math.max(2, JSON.stringify(first).length);
      return Array.from({ length: random.left > 0 ? count : 1 }, (_, index) =>
        same ? first : index > 5 ? `${index}` : value(random, depth - 1),
      );
    }
    case 9: {
      let nested: unknown = 1;
      const wrap = random.pick([
        (inner: unknown): unknown => [inner],
        (inner: unknown): unknown => ({ children: [inner] }),
        (inner: unknown): unknown => ({ next: inner }),
      ]);
      for (let level = Math.min(1_000, size(random)); level > 0; level--) nested = wrap(nested);
      random.left -= 500;
      return nested;
    }
    default: {
      const stem = random.pick(['key', 'property', 'nmae', 'vlaue', '']);
      const count = Math.floor(size(random) / 12);
      random.left -= count * 12;
      return Object.fromEntries(
        Array.from({ length: count }, (_, index) => [
          index < 6 && random.chance(0.7) ? random.pick(NAMES) : `${stem}_${index}`,
          index < 8 ? value(random, depth - 1) : random.pick(['1', 1, 'x', null]),
        ]),
      );
    }
  }
}

export interface Input {
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What a valid answer must look like. */
  readonly era: 'modern' | 'legacy' | 'either';
  /** The id an answer must carry, unless the message could not be understood. */
  readonly id?: string | number;
}

const METHODS = [
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
  'resources/read',
  'prompts/get',
  'completion/complete',
  'server/discover',
  'initialize',
  'ping',
  'subscriptions/unknown',
  'logging/setLevel',
];

function controls(random: Random, often = 0.15): Json {
  const result: Json = {};
  if (random.chance(often)) result.fields = random.chance(0.8) ? text(random) : value(random, 1);
  if (random.chance(0.05)) result.dry_run = random.pick([true, 'true', 1, text(random)]);
  if (random.chance(0.05)) result.confirmation_token = random.chance(0.8) ? text(random) : value(random, 1);
  return result;
}

/** Much of one thing: what stalls is seldom a mixture. */
function muchOfOne(random: Random): unknown {
  const length = Math.floor(random.left * (0.3 + random.int(7) / 10));
  random.left = 100;
  const count = Math.floor(length / 14);
  const piece = random.pick(['.', ' ', '/', 'a', '*', '=', '_', 'A', '-', '%', '<', '"']);
  switch (random.int(6)) {
    case 0:
    case 1:
      return `a${piece.repeat(length)}${random.pick(['b', '!', ''])}`;
    case 2:
      return { base64: `${piece.repeat(length)}!` };
    case 3:
      return Array.from({ length: count }, (_, index) => random.pick(['valeu_', '1234567890', 'x']) + index);
    case 4:
      return Object.fromEntries(Array.from({ length: count }, (_, index) => [`propertz_${index}`, `1234567${index}`]));
    default:
      return Array.from({ length: Math.floor(count / 2) }, (_, index) => ({ kind: `kind_${index}`, nmae: 'x' }));
  }
}

function focusedArguments(random: Random): Json {
  const much = muchOfOne(random);
  const spot = random.pick(['fields', 'fields', 'confirmation_token', 'key', 'all', ...NAMES]);
  if (spot === 'all' && typeof much === 'object' && !Array.isArray(much)) return { key: 'k', ...much };
  return { key: 'k', [spot]: much };
}

function argumentsOf(random: Random): unknown {
  if (random.left > 10_000 && random.chance(0.7)) return focusedArguments(random);
  if (random.chance(0.03)) return value(random, 2);
  // Nothing wrong but perhaps a control: these are looked at only when the rest fits.
  if (random.chance(0.2)) return { key: 'k', ...controls(random, 0.6) };
  return {
    ...(random.chance(0.8) && { key: random.chance(0.7) ? 'k' : text(random) }),
    ...Object.fromEntries(list(random, 5, () => [random.pick(NAMES), value(random, 3)])),
    ...(random.chance(0.1) && (value(random, 2) as object)),
    ...controls(random),
  };
}

function params(random: Random, method: string, search: boolean): Json {
  switch (method) {
    case 'tools/call': {
      const operation = `op_${random.int(OPERATIONS)}`;
      const name = random.chance(0.03) ? text(random) : random.chance(0.03) ? `${operation}s` : operation;
      if (!search) return { name, arguments: argumentsOf(random) };
      const tool = random.pick(['search_operations', 'describe_operation', 'call_operation']);
      const inner: Json =
        tool === 'search_operations'
          ? {
              query: random.chance(0.5) ? text(random) : random.pick(['delete', 'does name', 'owner tags']),
              ...(random.chance(0.1) && { limit: value(random, 1) }),
              ...(random.chance(0.1) && (value(random, 1) as object)),
            }
          : { operation: name, ...(tool === 'call_operation' && { arguments: argumentsOf(random) }) };
      return { name: tool, arguments: inner };
    }
    case 'resources/read':
      return {
        uri: random.chance(0.1)
          ? value(random, 1)
          : random.pick([
              `fuzz://p${random.int(OPERATIONS)}/${text(random)}`,
              text(random),
              'landbridge://domains/fuzz',
              `fuzz:${text(random)}`,
            ]),
      };
    case 'prompts/get':
      return { name: text(random), arguments: value(random, 1) };
    case 'completion/complete':
      return {
        ref: random.pick<unknown>([
          { type: 'ref/prompt', name: text(random) },
          { type: 'ref/resource', uri: `fuzz://p${random.int(OPERATIONS)}/{key}` },
          value(random, 1),
        ]),
        argument: random.chance(0.9)
          ? { name: random.pick(['key', text(random)]), value: text(random) }
          : value(random, 1),
      };
    case 'initialize':
      return {
        protocolVersion: random.pick([MODERN, '2025-11-25', '2025-03-26', text(random)]),
        capabilities: random.pick<unknown>([{}, { elicitation: {} }, value(random, 1)]),
        clientInfo: { name: 'fuzz', version: '0' },
      };
    default:
      return random.chance(0.5) ? {} : { cursor: random.chance(0.7) ? text(random) : value(random, 1) };
  }
}

/** Message number `index` of a seed. */
export function createInput(seed: number, index: number, search: boolean): Input {
  const random = createRandom(seed, index);
  if (random.chance(0.02))
    return {
      text: random.pick([
        text(random),
        JSON.stringify(value(random, 2)) ?? '',
        '{"jsonrpc":"2.0"',
        `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(text(random))}}`,
        `[${'{},'.repeat(random.int(200))}{}]`,
      ]),
      era: 'either',
    };
  const method = random.chance(random.left > 10_000 ? 0.85 : 0.65) ? 'tools/call' : random.pick(METHODS);
  const id = random.pick<string | number>([index, `id-${index}`]);
  const base = params(random, method, search);
  const extra: Json = {
    ...(random.chance(0.05) && { requestState: text(random) }),
    ...(random.chance(0.05) && { inputResponses: value(random, 2) }),
  };
  const meta: Json = {
    ...(random.chance(0.1) && { progressToken: random.pick<unknown>([1, text(random), value(random, 1)]) }),
    ...(random.chance(0.1) && {
      [random.pick(['traceparent', 'tracestate', 'baggage'])]: random.chance(0.7) ? text(random) : value(random, 1),
    }),
    ...(random.chance(0.02) && { [text(random)]: value(random, 1) }),
  };
  const modern = random.chance(0.6);
  if (!modern) {
    const full = { ...base, ...extra, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
    const headers = random.chance(0.3)
      ? {
          'mcp-protocol-version': random.pick(['2025-11-25', '2025-06-18', '2025-03-26']),
          ...(random.chance(0.3) && { 'mcp-session-id': text(random) }),
        }
      : undefined;
    return {
      text: JSON.stringify({ jsonrpc: '2.0', id, method, params: full }),
      era: 'legacy',
      id,
      ...(headers && { headers }),
    };
  }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': random.chance(0.97) ? MODERN : value(random, 1),
    'io.modelcontextprotocol/clientCapabilities': random.chance(0.95)
      ? random.pick([{}, { elicitation: {} }])
      : value(random, 1),
    ...meta,
  };
  const name = base.name ?? base.uri;
  const headers = random.chance(0.3)
    ? {
        'mcp-protocol-version': MODERN,
        'mcp-method': method,
        'mcp-name': random.chance(0.8) ? String(typeof name === 'string' ? name : '') : text(random),
      }
    : undefined;
  // A version that is no string, or not there, leaves the era open.
  const sure = _meta['io.modelcontextprotocol/protocolVersion'] === MODERN;
  return {
    text: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...base, ...extra, _meta } }),
    era: sure ? 'modern' : 'either',
    id,
    ...(headers && { headers }),
  };
}
