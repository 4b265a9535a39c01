// Swagger 2.0, OpenAPI 3.0 and 3.2, from the official client to the bytes on the wire.
import { describe, expect, test } from 'vitest';
import { useRealHttp } from '../support/real-http.ts';
import { BYTES } from './echo.ts';
import { openDuring } from './gateway.ts';
import { readParts } from './multipart.ts';
import { check } from './sheet.ts';
import { OPENAPI_30_LINES, OPENAPI_32_LINES, SWAGGER_LINES } from './versions.ts';

useRealHttp();

describe('Swagger 2.0', () => {
  const opened = openDuring({ documents: ['swagger-2.0.yaml'], env: { LANDBRIDGE_CRED_SWAGGER_KEY: 'k&y' } });
  test.each(SWAGGER_LINES)('$name', (line) => check(opened, line));

  test('a file in a form is sent as its bytes; lists follow their collection format', async () => {
    const { requests } = await opened.call('post_upload', {
      file: { base64: BYTES.toString('base64'), filename: 'x.bin' },
      note: 'n',
      tags: ['a', 'b'],
      multi: ['c', 'd'],
    });
    const part = (name: string, text: string) => ({
      headers: { 'content-disposition': `form-data; name="${name}"` },
      body: Buffer.from(text),
    });
    expect(requests[0]).toMatchObject({ method: 'POST', target: '/v1/upload' });
    expect(readParts(requests[0]!)).toEqual([
      {
        headers: {
          'content-disposition': 'form-data; name="file"; filename="x.bin"',
          'content-type': 'application/octet-stream',
        },
        body: BYTES,
      },
      part('note', 'n'),
      part('tags', 'a,b'),
      part('multi', 'c'),
      part('multi', 'd'),
    ]);
  });
});

describe('OpenAPI 3.0', () => {
  const opened = openDuring({ documents: ['openapi-3.0.yaml'] });
  test.each(OPENAPI_30_LINES)('$name', (line) => check(opened, line));

  test('a multipart file has the type of its encoding; format byte stays base64 text', async () => {
    const { requests } = await opened.call('post_upload', {
      file: { base64: BYTES.toString('base64') },
      picture: 'AAECAw==',
    });
    expect(readParts(requests[0]!)).toEqual([
      {
        headers: {
          'content-disposition': 'form-data; name="file"; filename="file"',
          'content-type': 'application/pdf',
        },
        body: BYTES,
      },
      { headers: { 'content-disposition': 'form-data; name="picture"' }, body: Buffer.from('AAECAw==') },
    ]);
  });
});

describe('OpenAPI 3.2', () => {
  const opened = openDuring({ documents: ['openapi-3.2.yaml'] });
  test.each(OPENAPI_32_LINES)('$name', (line) => check(opened, line));
});
