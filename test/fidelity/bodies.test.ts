// Request bodies, from the official client to the bytes on the wire.
import { describe, expect, test } from 'vitest';
import { useRealHttp } from '../support/real-http.ts';
import { BYTE_LINES, FORM_LINES, JSON_LINES, UNION_LINES } from './bodies.ts';
import { BYTES, PNG } from './echo.ts';
import { openDuring } from './gateway.ts';
import { readParts } from './multipart.ts';
import { check } from './sheet.ts';

useRealHttp();

const opened = openDuring({ documents: ['bodies.yaml'] });

describe('JSON bodies', () => {
  test.each(JSON_LINES)('$name', (line) => check(opened, line));
});

describe('unions, allOf and cycles', () => {
  test.each(UNION_LINES)('$name', (line) => check(opened, line));
});

describe('forms', () => {
  test.each(FORM_LINES)('$name', (line) => check(opened, line));
});

describe('bytes and text', () => {
  test.each(BYTE_LINES)('$name', (line) => check(opened, line));
});

describe('multipart', () => {
  test('a file from base64 is sent as its bytes, with name and type, beside fields and JSON parts', async () => {
    const { requests, result } = await opened.call('upload_file', {
      file: { base64: BYTES.toString('base64'), filename: 'a "b".bin', mimeType: 'application/x-thing' },
      note: 'größe\r\n--x',
      count: 0,
      tags: ['x', 'y'],
      meta: { a: 1 },
      doc: { b: [2] },
    });
    expect(result.isError).toBe(false);
    expect(requests.map(({ method, target }) => `${method} ${target}`)).toEqual(['POST /v1/upload/file']);
    expect(readParts(requests[0]!)).toEqual([
      {
        headers: {
          'content-disposition': 'form-data; name="file"; filename="a %22b%22.bin"',
          'content-type': 'application/x-thing',
        },
        body: BYTES,
      },
      { headers: { 'content-disposition': 'form-data; name="note"' }, body: Buffer.from('größe\r\n--x') },
      { headers: { 'content-disposition': 'form-data; name="count"' }, body: Buffer.from('0') },
      { headers: { 'content-disposition': 'form-data; name="tags"' }, body: Buffer.from('x') },
      { headers: { 'content-disposition': 'form-data; name="tags"' }, body: Buffer.from('y') },
      {
        headers: { 'content-disposition': 'form-data; name="meta"', 'content-type': 'application/json' },
        body: Buffer.from('{"a":1}'),
      },
      {
        headers: {
          'content-disposition': 'form-data; name="doc"',
          'content-type': 'application/vnd.doc+json',
          'x-kind': 'doc',
        },
        body: Buffer.from('{"b":[2]}'),
      },
    ]);
  });

  test('a file from text, several files and an image keep their order and types', async () => {
    const { requests } = await opened.call('upload_file', {
      file: { text: 'hello ü', filename: 'ü.txt', mimeType: 'text/plain; charset=utf-8' },
      extra: [{ text: 'one', filename: '1' }, { base64: BYTES.toString('base64') }],
      icon: { base64: PNG.toString('base64'), mimeType: 'image/png' },
    });
    expect(readParts(requests[0]!)).toEqual([
      {
        headers: {
          'content-disposition': 'form-data; name="file"; filename="ü.txt"',
          'content-type': 'text/plain; charset=utf-8',
        },
        body: Buffer.from('hello ü'),
      },
      {
        headers: {
          'content-disposition': 'form-data; name="extra"; filename="1"',
          'content-type': 'text/plain',
        },
        body: Buffer.from('one'),
      },
      {
        headers: {
          'content-disposition': 'form-data; name="extra"; filename="extra"',
          'content-type': 'application/octet-stream',
        },
        body: BYTES,
      },
      {
        headers: { 'content-disposition': 'form-data; name="icon"; filename="icon"', 'content-type': 'image/png' },
        body: PNG,
      },
    ]);
  });

  test('a file name cannot forge a header', async () => {
    const { requests } = await opened.call('upload_file', {
      file: { text: 'x', filename: 'a"\r\nX-Admin: 1\r\n\r\nb' },
    });
    expect(readParts(requests[0]!)[0]!.headers).toEqual({
      'content-disposition': 'form-data; name="file"; filename="a%22%0D%0AX-Admin: 1%0D%0A%0D%0Ab"',
      'content-type': 'text/plain',
    });
  });

  test.each([
    ['no file', { note: 'x' }, /`file`/],
    ['base64 that is none', { file: { base64: '%%%' } }, /base64/],
    ['a list of files that is one', { file: { text: 'x' }, extra: 'x' }, /extra/],
    ['half a surrogate pair in a field', { file: { text: 'x' }, note: '\ud83e' }, /surrogate/],
    ['half a surrogate pair in a text file', { file: { text: '\ud83e' } }, /surrogate/],
  ])('%s is refused', async (_name, args, why) => {
    const { result, requests } = await opened.call('upload_file', args);
    expect(requests).toEqual([]);
    expect(result.text).toMatch(why);
    expect(result.isError).toBe(true);
  });
});
