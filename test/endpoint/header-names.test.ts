import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildDomain } from '../../src/domain/definition/build-domain.ts';
import { defineDomain } from '../../src/domain/definition/define-domain.ts';
import { loadDomains } from '../../src/domain/load.ts';
import { readForward } from '../../src/endpoint/caller/forward-names.ts';
import {
  isArgumentHeader,
  isConfigurableHeader,
  isMethodParameter,
  isSecretHeader,
} from '../../src/endpoint/headers/header-names.ts';
import type { Endpoint } from '../../src/endpoint/model.ts';
import type { Problem } from '../../src/endpoint/problems.ts';
import { arg, endpoint, inBody, inHeader, inQuery, run } from '../executor/support.ts';

describe('the table of header names', () => {
  test.each([
    // name, argument of a read, of a write, configurable, secret
    ['X-Request-Id', true, true, true, false],
    ['Accept', true, true, true, false],
    ['Content-Type', false, false, true, false],
    ['Host', false, false, false, false],
    ['Transfer-Encoding', false, false, false, false],
    ['Authorization', false, false, true, true],
    ['Cookie', false, false, true, true],
    ['X-Api-Key', true, true, true, true],
    ['Forwarded', false, false, true, false],
    ['X-Forwarded-Host', false, false, true, false],
    ['X-Forwarded-For', true, true, true, false],
    ['X-Original-URL', false, false, true, false],
    ['x_rewrite_url', false, false, true, false],
    ['X-HTTP-Method-Override', false, true, true, false],
    ['x_http_method', false, true, true, false],
  ])(
    '%s: argument of a read %s, of a write %s, configurable %s, secret %s',
    (name, inRead, inWrite, configurable, secret) => {
      expect([
        isArgumentHeader(name, 'read'),
        isArgumentHeader(name, 'write'),
        isConfigurableHeader(name),
        isSecretHeader(name),
      ]).toEqual([inRead, inWrite, configurable, secret]);
    },
  );

  const PROOF = 'it authenticates the caller to this gateway';
  const PLACE = 'it says where a request came from or where it goes, and any caller can write it';
  const CALL = 'it is written for each request by the HTTP client';
  const WRITTEN = 'it would change what the request does, or its format';
  test.each([
    ['Authorization', PROOF],
    ['Set_Cookie', PROOF],
    ['X-Amzn-Oidc-Data', PROOF],
    ['Proxy-Session', PROOF],
    ['Proxy-Authorization', 'it is meant for a proxy between the caller and the gateway'],
    ['Mcp-Name', 'it belongs to MCP, which ends at the gateway'],
    ['Forwarded', PLACE],
    ['X-Host', PLACE],
    ['X-Forwarded', PLACE],
    ['x_forwarded_for', PLACE],
    ['X-Forwarded-Method', PLACE],
    ['X-Original-Anything', PLACE],
    ['True-Client-IP', PLACE],
    ['Sec-Fetch-Mode', 'it is about a web page and this gateway, not about the API'],
    ['TE', CALL],
    ['Accept-Encoding', CALL],
    ['Content-MD5', CALL],
    ['X-Forwardedness', undefined],
    ['Accept-Language', undefined],
    ['X-HTTP-Method', WRITTEN],
    ['Connection', WRITTEN],
  ])('%s of a caller is passed on, unless %s', (name, why) => {
    const problems: Problem[] = [];
    const headers = readForward([name], problems);
    expect(headers).toEqual(why === undefined ? [{ name: name.toLowerCase(), from: 'request' }] : []);
    expect(problems.map(({ message }) => message)).toEqual(
      why === undefined ? [] : [`${name} is never passed on: ${why}`],
    );
  });

  test.each([
    ['_method', true],
    ['_METHOD[]', true],
    ['X-HTTP-Method-Override', true],
    ['method', false],
    ['payment_method', false],
  ])('the parameter %s changes the method: %s', (name, want) => {
    expect(isMethodParameter(name)).toBe(want);
  });
});

describe('a read stays a read', () => {
  const refusal = { code: 'VALIDATION', message: expect.stringContaining('Nothing was sent') };
  const origin = 'http://127.0.0.1:9';
  const free = { type: 'object' };
  const cases: [string, Partial<Endpoint>, Record<string, unknown>][] = [
    ['header', { args: [arg('a', inHeader('X-HTTP-Method-Override'))] }, { a: 'DELETE' }],
    ['route header', { args: [arg('a', inHeader('X-Original-URL'))], effect: 'write' }, { a: '/admin' }],
    ['query', { args: [arg('a', inQuery('_method'))] }, { a: 'DELETE' }],
    ['member of a query object', { args: [arg('a', inQuery('filter'))] }, { a: { _method: 'DELETE' } }],
    [
      'query string',
      { args: [arg('a', { in: 'querystring', mediaType: 'application/x-www-form-urlencoded' })] },
      { a: 'x=1&%5Fmethod=DELETE' },
    ],
    [
      'form',
      {
        method: 'POST',
        args: [arg('a', { in: 'body-root' })],
        body: { kind: 'form', mediaType: 'application/x-www-form-urlencoded', required: false },
      },
      { a: { _method: 'DELETE' } },
    ],
    [
      'body',
      {
        method: 'POST',
        args: [arg('a', inBody('_method'))],
        body: { kind: 'json', mediaType: 'application/json', required: false },
      },
      { a: 'DELETE' },
    ],
  ];
  test.each(cases)('%s', async (_, changes, args) => {
    const target = endpoint(origin, { effect: 'read', inputSchema: free, ...changes });
    await expect(run(target, args)).rejects.toMatchObject(refusal);
  });

  test('a domain file that declares such an argument for a read is refused; for a write it is not', () => {
    const define = (effect: 'read' | 'write') => () =>
      buildDomain(
        defineDomain({
          name: 'x',
          baseUrl: 'http://127.0.0.1:9',
          endpoints: {
            find: {
              method: 'POST',
              path: '/a',
              summary: 'Finds.',
              effect,
              inputSchema: { type: 'object', properties: { _method: { type: 'string' }, o: { type: 'string' } } },
              place: { o: { in: 'header', name: 'X-HTTP-Method-Override' } },
            },
          },
        }),
        { env: {} },
      );
    expect(define('read')).toThrow(/"_method" would make this read another operation/);
    expect(define('read')).toThrow(/the header X-HTTP-Method-Override cannot be an argument/);
    expect(define('write')).not.toThrow();
  });
});

describe('headers in documents', () => {
  test('that no argument may set are left out, and a secret header of the domain file becomes a credential', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headers-'));
    const parameter = (name: string, place: string) => ({
      name,
      in: place,
      required: true,
      schema: { type: 'string' },
    });
    const operation = {
      parameters: [
        parameter('Forwarded', 'header'),
        parameter('X-HTTP-Method-Override', 'header'),
        parameter('_method', 'query'),
        parameter('q', 'query'),
      ],
      responses: { 200: { description: 'ok' } },
    };
    const document = {
      openapi: '3.1.0',
      info: { title: 'T', version: '1' },
      servers: [{ url: 'http://127.0.0.1:9' }],
      paths: { '/a': { get: operation, put: operation } },
    };
    await writeFile(join(folder, 'api.json'), JSON.stringify(document));
    await writeFile(
      join(folder, 'pets.yaml'),
      'name: pets\nopenapi: api.json\nheaders: { Authorization: "Bearer ${TOKEN:-demo}" }\n',
    );
    const [domain] = await loadDomains({ paths: [join(folder, 'pets.yaml')], env: {} });
    const keys = domain!.endpoints.map(({ method, args }) => [method, ...args.map(({ key }) => key)]);
    expect(keys).toEqual([
      ['GET', 'q'],
      ['PUT', 'x_http_method_override', '_method', 'q'],
    ]);
    expect(domain!.warnings.join('\n')).toContain('the header Forwarded cannot be an argument and was left out');
    expect(domain!.endpoints[0]!.security[0]![0]).toMatchObject({ secret: { variable: 'TOKEN', value: 'demo' } });
    await rm(folder, { recursive: true });
  });
});
