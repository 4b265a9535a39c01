// A: documents that must neither stall nor kill the start.
import type { Case } from '../case.ts';
import { StartError } from '../gateway.ts';
import { document, handWritten, operation, tryLaunch } from './small-api.ts';

/** Documents that must neither stall nor kill the start. */
function startsInTime(id: string, files: (url: string) => Record<string, string>, args: readonly string[]): Case {
  return {
    part: 'A',
    id: `document: ${id}`,
    limitMs: 25_000,
    run: async (attack) => {
      const gateway = await tryLaunch(attack, {
        files: files(attack.upstream.url),
        args: [...args, '--log-level', 'error'],
      });
      if (gateway instanceof StartError)
        return /not ready in time|heap|FATAL|Maximum call stack/.test(gateway.message)
          ? gateway.message.slice(0, 300)
          : undefined;
      return undefined;
    },
  };
}

const deepSchema = (depth: number) => `${'{"type":"array","items":'.repeat(depth)}{}${'}'.repeat(depth)}`;
const withSchema = (url: string, schema: string) =>
  `{"openapi":"3.1.0","info":{"title":"D","version":"1"},"servers":[{"url":"${url}"}],"paths":{"/x":{"post":{"operationId":"x","requestBody":{"content":{"application/json":{"schema":${schema}}}},"responses":{"200":{"description":"x"}}}}}}`;

export const DOCUMENT_CASES: readonly Case[] = [
  startsInTime(
    'YAML alias bomb',
    (url) => ({
      'a.yaml': `openapi: 3.1.0\ninfo: { title: A, version: '1' }\nservers: [{ url: '${url}' }]\nx-a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
        .split('')
        .map((letter, index) => `x-${letter}: &${letter} [${Array(9).fill(`*${'abcdefghi'[index]}`).join(',')}]`)
        .join('\n')}\npaths: { /x: { get: { operationId: x, x-all: *i, responses: { 200: { description: x } } } } }\n`,
    }),
    ['a.yaml'],
  ),
  startsInTime(
    '$ref loop',
    (url) => ({
      'a.json': document(
        url,
        {
          '/x': {
            post: operation('x', {
              requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } },
            }),
          },
        },
        { components: { schemas: { A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } } } },
      ),
    }),
    ['a.json'],
  ),
  startsInTime(
    '$refs that double 40 times',
    (url) => ({
      'a.json': document(
        url,
        {
          '/x': {
            post: operation('x', {
              requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } },
            }),
          },
        },
        {
          components: {
            schemas: Object.fromEntries(
              Array.from({ length: 41 }, (_, index) => [
                `S${index}`,
                index === 40
                  ? { type: 'string' }
                  : {
                      type: 'object',
                      properties: {
                        l: { $ref: `#/components/schemas/S${index + 1}` },
                        r: { $ref: `#/components/schemas/S${index + 1}` },
                      },
                    },
              ]),
            ),
          },
        },
      ),
    }),
    ['a.json'],
  ),
  startsInTime(
    'allOf that doubles 30 times',
    (url) => ({
      'a.json': document(
        url,
        {
          '/x': {
            post: operation('x', {
              requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } },
            }),
          },
        },
        {
          components: {
            schemas: Object.fromEntries(
              Array.from({ length: 31 }, (_, index) => [
                `S${index}`,
                index === 30
                  ? { type: 'object', properties: { x: { type: 'string' } } }
                  : {
                      allOf: [
                        { $ref: `#/components/schemas/S${index + 1}` },
                        { $ref: `#/components/schemas/S${index + 1}` },
                      ],
                    },
              ]),
            ),
          },
        },
      ),
    }),
    ['a.json'],
  ),
  startsInTime('schema 5,000 deep', (url) => ({ 'a.json': withSchema(url, deepSchema(5_000)) }), ['a.json']),
  startsInTime(
    'schema of 20,000 properties',
    (url) => ({
      'a.json': withSchema(
        url,
        JSON.stringify({
          type: 'object',
          properties: Object.fromEntries(
            Array.from({ length: 20_000 }, (_, index) => [`p${index}`, { type: 'string' }]),
          ),
        }),
      ),
    }),
    ['a.json'],
  ),
  startsInTime(
    'enum of 100,000 values',
    (url) => ({
      'a.json': withSchema(
        url,
        JSON.stringify({
          type: 'object',
          properties: { e: { enum: Array.from({ length: 100_000 }, (_, index) => `v${index}`) } },
        }),
      ),
    }),
    ['a.json'],
  ),
  startsInTime(
    'oneOf of 3,000 branches',
    (url) => ({
      'a.json': withSchema(
        url,
        JSON.stringify({
          oneOf: Array.from({ length: 3_000 }, (_, index) => ({
            type: 'object',
            properties: { [`k${index}`]: { type: 'string' }, same: { type: 'integer' } },
          })),
        }),
      ),
    }),
    ['a.json'],
  ),
  startsInTime(
    'description of 1,000,000 open tags and blanks',
    (url) => ({
      'a.json': document(url, {
        '/x': {
          get: operation('x', {
            description: `${'<'.repeat(300_000)}${'<script '.repeat(40_000)}${' '.repeat(300_000)}x${'. '.repeat(100_000)}${'`'.repeat(100_000)}`,
          }),
        },
      }),
    }),
    ['a.json'],
  ),
  startsInTime(
    'operationId of 300,000 capitals and underscores',
    (url) => ({
      'a.json': document(url, { '/x': { get: operation(`${'A'.repeat(150_000)}${'_'.repeat(150_000)}x`) } }),
    }),
    ['a.json'],
  ),
  startsInTime(
    'path of 100,000 braces and colons',
    (url) => ({
      'a.json': document(url, {
        [`/${'{'.repeat(50_000)}${':'.repeat(50_000)}`]: { get: operation('x') },
        [`/${'{a}'.repeat(5_000)}`]: { get: operation('y') },
      }),
    }),
    ['a.json'],
  ),
  startsInTime(
    'pattern of 50,000 brackets, and one of 50,000 groups',
    (url) => ({
      'a.json': withSchema(
        url,
        JSON.stringify({
          type: 'object',
          properties: {
            a: { type: 'string', pattern: '['.repeat(50_000) },
            b: { type: 'string', pattern: `${'('.repeat(50_000)}a${')'.repeat(50_000)}` },
            c: { type: 'string', pattern: `a{${'0'.repeat(50_000)}` },
          },
        }),
      ),
    }),
    ['a.json'],
  ),
  startsInTime(
    'server URL of 100,000 slashes',
    (url) => ({ 'a.json': document(`${url}${'/'.repeat(100_000)}x`, { '/x': { get: operation('x') } }) }),
    ['a.json'],
  ),
  startsInTime(
    'prompt text of 100,000 open braces',
    (url) => ({ 'a.yaml': handWritten(url, {}, { prompts: { p: { text: `{{${' '.repeat(100_000)}` } } }) }),
    ['a.yaml'],
  ),
];
