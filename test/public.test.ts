// Pins: what others build on changes only on purpose.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ERRORS } from '../src/errors.ts';
import * as landbridge from '../src/index.ts';

test('the package exports exactly these names', () => {
  expect(Object.keys(landbridge).sort()).toEqual([
    'BaseModel',
    'ConverterBase',
    'DefinitionError',
    'ERRORS',
    'ExecutionContext',
    'GatewayError',
    'Group',
    'GroupConverter',
    'GroupConverterBase',
    'GroupItem',
    'GroupedToolBuilder',
    'PROTOCOL_VERSION',
    'Prompt',
    'PromptArgument',
    'PromptArgumentConverter',
    'PromptArgumentConverterBase',
    'PromptConverter',
    'PromptConverterBase',
    'Resource',
    'ResourceConverter',
    'ResourceConverterBase',
    'Tool',
    'ToolAnnotations',
    'ToolAnnotationsConverter',
    'ToolAnnotationsConverterBase',
    'ToolConverter',
    'ToolConverterBase',
    'ToolRegistry',
    'ToolTimeoutError',
    'aggregateAnnotations',
    'buildActionKey',
    'buildDescription',
    'buildDomain',
    'buildGroupedSchema',
    'buildToonDescription',
    'compileChains',
    'createGateway',
    'createStateCodec',
    'defineDomain',
    'defineTool',
    'defineTools',
    'errorResult',
    'importDocument',
    'loadDomains',
    'openAuditTrail',
    'serveHttp',
    'startSampleApi',
    'startStdio',
    'startTcp',
    'textResult',
  ]);
});

test('every failure has its wire shape', () => {
  const modes = Object.values(ERRORS).flatMap((row) => (row.wire === 'tool' ? [row.mode] : []));
  expect(modes).toEqual([
    'validation',
    'not_confirmed',
    'denied',
    'missing_credential',
    'timeout',
    'unreachable',
    'upstream_error',
    'bad_response',
    'too_large',
    'redirect_blocked',
    'rate_limited',
    'cancelled',
    'not_recorded',
    'shutting_down',
    'handler_failed',
  ]);
  const codes = Object.fromEntries(
    Object.entries(ERRORS).flatMap(([name, row]) => (row.wire === 'jsonrpc' ? [[name, row.code]] : [])),
  );
  expect(codes).toEqual({
    PARSE_ERROR: -32700,
    INVALID_REQUEST: -32600,
    METHOD_NOT_FOUND: -32601,
    INVALID_PARAMS: -32602,
    INVALID_ENVELOPE: -32602,
    INTERNAL: -32603,
    INSUFFICIENT_SCOPE: -32600,
    UNKNOWN_TOOL: -32602,
    RESOURCE_NOT_FOUND: -32602,
    SESSION_NOT_FOUND: -32001,
    ANSWER_UNDELIVERED: -32603,
    HEADER_MISMATCH: -32020,
    MISSING_CLIENT_CAPABILITY: -32021,
    UNSUPPORTED_PROTOCOL_VERSION: -32022,
  });
});

test('a definition in place of a domain is refused with what to write', () => {
  const definition = landbridge.defineDomain({ name: 'shop', baseUrl: 'http://127.0.0.1:1', endpoints: {} });
  expect(() => landbridge.createGateway({ domains: [definition as never] })).toThrow(
    '"shop" is a definition. Pass buildDomain(definition, { env: process.env }).',
  );
});

const ROOT = new URL('..', import.meta.url).pathname;
const SOURCES = ['src', 'sample'].flatMap((folder) =>
  (readdirSync(join(ROOT, folder), { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(ROOT, folder, file), 'utf8')),
);

/** The comments directly above the declarations of a name. */
function commentsOf(name: string): string[] {
  const declaration = new RegExp(
    `(/\\*\\*(?:(?!\\*/)[^])*\\*/\\n)?export (?:async )?(?:abstract )?(?:function|class|const|interface|type) ${name}\\b`,
    'g',
  );
  return SOURCES.flatMap((text) => [...text.matchAll(declaration)].map((match) => match[1] ?? ''));
}

// documentation.test.ts compiles and runs the examples.
test('every public name has a sentence, and every public value an example', () => {
  const index = readFileSync(join(ROOT, 'src/index.ts'), 'utf8');
  const names = [...index.matchAll(/export (type )?\{([^}]*)\} from/g)].flatMap(([, isTypes, list]) =>
    list!
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .map((name) => ({
        name: name.replace(/^type /, '').split(' as ')[0]!,
        isType: isTypes !== undefined || name.startsWith('type '),
      })),
  );
  const offences = names.flatMap(({ name, isType }) => {
    const comments = commentsOf(name);
    if (!comments.some((comment) => /\w/.test(comment))) return [`${name} has no sentence`];
    return isType || comments.some((comment) => comment.includes('```ts')) ? [] : [`${name} has no example`];
  });
  expect(offences).toEqual([]);
});
