// The same sheets through grouped tools and call_operation: the same requests reach the API, and the same are refused.
import { describe, expect, test } from 'vitest';
import { useRealHttp } from '../support/real-http.ts';
import { answersDocument, PROBLEM, prepareAnswers } from './answers.ts';
import { CHECK_LINES, REST_LINES, TYPE_LINES } from './arguments.ts';
import { BYTE_LINES, FORM_LINES, JSON_LINES, UNION_LINES } from './bodies.ts';
import { BYTES, PNG } from './echo.ts';
import { listAll, open, openDuring } from './gateway.ts';
import { readParts } from './multipart.ts';
import { NEIGHBOUR_LINES } from './neighbours.ts';
import { HEADER_LINES, PATH_LINES, QUERY_LINES } from './parameters.ts';
import { check, type Line, written } from './sheet.ts';
import { OPENAPI_32_LINES, SWAGGER_LINES } from './versions.ts';

useRealHttp();

const SHEETS: readonly [name: string, document: string, lines: readonly Line[]][] = [
  ['parameters', 'parameters.yaml', [...PATH_LINES, ...QUERY_LINES, ...HEADER_LINES]],
  ['bodies', 'bodies.yaml', [...JSON_LINES, ...UNION_LINES, ...FORM_LINES, ...BYTE_LINES]],
  ['arguments', 'arguments.yaml', [...CHECK_LINES, ...TYPE_LINES, ...REST_LINES]],
  ['neighbours', 'neighbours.yaml', NEIGHBOUR_LINES],
  ['Swagger 2.0', 'swagger-2.0.yaml', SWAGGER_LINES],
  ['OpenAPI 3.2', 'openapi-3.2.yaml', OPENAPI_32_LINES],
];

describe.each(['grouped', 'search'] as const)('%s', (exposure) => {
  describe.each(SHEETS)('%s', (_name, document, lines) => {
    const opened = openDuring({ documents: [document], exposure, env: { LANDBRIDGE_CRED_SWAGGER_KEY: 'k&y' } });
    // Each line runs in one of the two exposures, in turn: both share all that depends on the line.
    const parity = exposure === 'grouped' ? 0 : 1;
    test.each(lines.filter((_, index) => index % 2 === parity))('$name', (line) => check(opened, line));
  });

  describe('answers', () => {
    const opened = openDuring({
      documents: [['answers.json', answersDocument()], 'bodies.yaml'],
      exposure,
      prepare: prepareAnswers,
    });

    test('a picture', async () => {
      const { result } = await opened.call('get_png');
      expect(result.content).toEqual([
        { type: 'text', text: `image/png, ${PNG.length} bytes` },
        { type: 'image', data: PNG.toString('base64'), mimeType: 'image/png' },
      ]);
    });

    test('problem details', async () => {
      const { result } = await opened.call('get_problem');
      expect(result.isError).toBe(true);
      const { title, detail, errors } = PROBLEM;
      expect(result.structuredContent).toMatchObject({
        failure_mode: 'upstream_error',
        status: 422,
        title,
        detail,
        errors,
      });
    });

    test('a long list, and fields', async () => {
      const long = await opened.call('get_rows');
      expect(long.result.text).toMatch(/\nshowing \d+ of 6000 items; pass fields=/);
      const { result } = await opened.call('get_big', { fields: 'id' });
      expect(result.text).toBe('{"id":12345678901234567890}');
    });

    test('no content', async () => {
      expect((await opened.call('post_nocontent')).result.text).toBe('OK (204)');
    });

    test('a file in a form', async () => {
      const { requests } = await opened.call('upload_file', {
        file: { base64: BYTES.toString('base64'), filename: 'x' },
      });
      expect(readParts(requests[0]!)).toEqual([
        {
          headers: {
            'content-disposition': 'form-data; name="file"; filename="x"',
            'content-type': 'application/octet-stream',
          },
          body: BYTES,
        },
      ]);
    });
  });

  test('a credential is sent where its scheme says, and not listed', async () => {
    const opened = await open({
      documents: ['credentials.yaml'],
      exposure,
      env: { LANDBRIDGE_CRED_CREDENTIALS_KEY_HEADER: 's3cret' },
    });
    const { requests } = await opened.call('key_header');
    expect(requests.map(written)).toEqual([{ line: 'GET /v1/header', headers: { 'x-api-key': 's3cret' } }]);
    const missing = await opened.call('by_default');
    expect(missing.requests).toEqual([]);
    expect(missing.result.structuredContent).toMatchObject({ failure_mode: 'missing_credential' });
    expect(JSON.stringify(await listAll(opened.client))).not.toContain('s3cret');
    await opened.close();
  });
});
