// Answers, from the bytes of a real API to what the official client receives.
import { afterEach, describe, expect, test } from 'vitest';
import { useRealHttp } from '../support/real-http.ts';
import { ANSWERS, answersDocument, PROBLEM, prepareAnswers, ROWS } from './answers.ts';
import { BYTES, PNG, reply } from './echo.ts';
import { openDuring } from './gateway.ts';
import { written } from './sheet.ts';

useRealHttp();

const opened = openDuring({ documents: [['answers.json', answersDocument()]], prepare: prepareAnswers });

describe('an answer becomes content', () => {
  const image = { type: 'image', data: PNG.toString('base64'), mimeType: 'image/png' };
  test.each<[name: string, answer: string, text: string]>([
    ['JSON as it came', 'json', '{"a":1,"b":[true,null,"ü"]}'],
    ['JSON of a vendor type', 'vendor', '{"a":1}'],
    ['JSON nobody called so', 'untyped', '{"a":1}'],
    [
      'JSON that does not parse, as text with a note',
      'broken',
      '{"a":\nthe API labels this answer JSON, but it does not parse: it may be cut off or mixed with other output; do not treat it as a result, and tell the user',
    ],
    [
      'numbers to the last digit',
      'big',
      '{"id":12345678901234567890,"price":1.10,"list":[{"id":9007199254740993,"x":1}]}',
    ],
    ['hidden characters made visible', 'hidden', '{"text":"a\\u200bb\\u202ec\\udb40\\udc41"}'],
    ['names that mean something to JavaScript', 'proto', '{"__proto__":{"polluted":1},"constructor":2,"a":3}'],
    ['text that claims to be a picture', 'fakepng', 'this is text'],
    ['SVG as text', 'svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['text', 'text', 'żółć\nline 2'],
    ['text of another charset', 'latin', 'größe'],
    [
      'HTML reduced to what it says, with a note where nobody asked for it',
      'html',
      'Title\n\na & b\nthe API answered with a web page instead of data; if that is not what this operation gives, the base URL or path is wrong: tell the user',
    ],
    ['CSV', 'csv', 'a,b\n1,2\n'],
    ['NDJSON as a list', 'ndjson', '[{"a":1},{"a":2}]'],
    ['an event stream as a list', 'sse', '[{"a":1},{"event":"end","data":"bye"}]'],
    ['gzip', 'gzip', '{"packed":"gzip"}'],
    ['brotli', 'brotli', '{"packed":"br"}'],
    ['deflate', 'deflate', '{"packed":"deflate"}'],
    ['an empty body', 'empty', 'OK (200)'],
    ['no content', 'nocontent', 'OK (204)'],
    ['created, and where', 'created', 'OK (201)\nlocation: /v1/things/9'],
    ['not modified', 'unchanged', 'Not modified (304)'],
    ['what drifts from its schema', 'drifted', '[{"id":"not a number","extra":true}]'],
  ])('%s', async (_name, answer, text) => {
    const { result, requests } = await opened.call(`get_${answer}`);
    expect(requests.map(written)).toEqual([{ line: `GET /v1/answers/${answer}` }]);
    expect(result).toEqual({ content: [{ type: 'text', text }], isError: false, text });
  });

  test.each(['png', 'octetpng'])('as an image if it is a picture (%s)', async (answer) => {
    const { result } = await opened.call(`get_${answer}`);
    const text = `image/png, ${PNG.length} bytes`;
    expect(result).toEqual({ content: [{ type: 'text', text }, image], isError: false, text });
  });

  test('after the Accept header requested the type it will have', async () => {
    expect((await opened.call('get_png')).requests[0]!.headers.accept).toBe('image/png, */*;q=0.5');
    expect((await opened.call('get_json')).requests[0]!.headers.accept).toBe('application/json, */*;q=0.5');
  });

  test('as an embedded resource if it is other bytes', async () => {
    const { result } = await opened.call('get_pdf');
    expect(result.content).toEqual([
      { type: 'text', text: '"r.pdf": application/pdf, 20 bytes' },
      {
        type: 'resource',
        resource: {
          uri: expect.stringMatching(/^answer:\/\/[0-9a-f]{16}\/r\.pdf$/),
          mimeType: 'application/pdf',
          blob: BYTES.toString('base64'),
        },
      },
    ]);
    expect(result.isError).toBe(false);
  });

  test('as a refusal if it is a decompression bomb', async () => {
    const { result } = await opened.call('get_bomb');
    expect(result.structuredContent).toMatchObject({ failure_mode: 'too_large', max_bytes: 10 * 1024 * 1024 });
    expect(result.isError).toBe(true);
  });

  test('without the cookies that the API sets, which are never sent back', async () => {
    await opened.call('get_cookie');
    const { requests } = await opened.call('get_cookie');
    expect(requests.map(written)).toEqual([{ line: 'GET /v1/answers/cookie' }]);
  });
});

describe('a long answer', () => {
  /** The JSON and the sentence below it. */
  const split = (text: string) => {
    const at = text.lastIndexOf('\n');
    return { value: JSON.parse(text.slice(0, at)) as unknown, note: text.slice(at + 1) };
  };

  test('of 700 KB is cut between items and says how to see the rest', async () => {
    const { result } = await opened.call('get_rows');
    expect(JSON.stringify(ROWS).length).toBeGreaterThan(700_000);
    expect(result.text.length).toBeLessThanOrEqual(20_000);
    const { value, note } = split(result.text);
    const shown = (value as unknown[]).length;
    expect(shown).toBeGreaterThan(100);
    expect(value).toEqual(ROWS.slice(0, shown));
    expect(note).toBe(`showing ${shown} of 6000 items; pass fields=id,name,note,…`);
    expect(result.structuredContent).toBeUndefined();
  });

  test('inside an envelope keeps the envelope, and goes on by offset', async () => {
    const { result } = await opened.call('get_page', { offset: 100 });
    const { value, note } = split(result.text);
    const { total, items } = value as { total: number; items: unknown[] };
    expect(total).toBe(90_000);
    expect(items).toEqual(ROWS.slice(0, items.length));
    expect(note).toBe(
      `showing ${items.length} of 6000 items; next: offset=${100 + items.length}, or pass fields=items.id,items.name,items.note,…`,
    );
  });

  test('shows more items with fields', async () => {
    const { result } = await opened.call('get_rows', { fields: 'id,owner.login' });
    const { value } = split(result.text);
    const items = value as unknown[];
    expect(items.length).toBeGreaterThan(400);
    expect(items[0]).toEqual({ id: 0, owner: { login: 'ann' } });
  });

  test('of one long value is cut and stays valid JSON', async () => {
    const { result } = await opened.call('get_blob');
    expect(result.text.length).toBeLessThanOrEqual(20_000);
    const { value, note } = split(result.text);
    expect(value).toMatchObject({ id: 1, text: expect.stringMatching(/^y+… \(\+\d+ characters\)$/) });
    expect(note).toMatch(/^long values were shortened to fit; pass fields=/);
  });

  test('says which argument brings the next page, from the Link header', async () => {
    const { result } = await opened.call('get_linked');
    expect(split(result.text).note).toMatch(/next: page=2, per_page=1$/);
  });
});

describe('fields', () => {
  test.each<[name: string, answer: string, fields: unknown, text: string]>([
    ['keep what they name', 'json', 'a', '{"a":1}'],
    ['keep digits', 'big', 'id,list.id', '{"id":12345678901234567890,"list":[{"id":9007199254740993}]}'],
    ['may be a list', 'json', ['a', 'b'], '{"a":1,"b":[true,null,"ü"]}'],
    ['reach names that mean something to JavaScript', 'proto', 'constructor', '{"constructor":2}'],
    ['work on NDJSON', 'ndjson', 'a', '[{"a":1},{"a":2}]'],
    [
      'say what there is where they name nothing',
      'json',
      'zz',
      '{"a":1,"b":[true,null,"ü"]}\nno such field: zz (available: a, b)',
    ],
    [
      'are ignored, with a word, where the answer is no JSON',
      'csv',
      'a',
      'a,b\n1,2\n\nfields was ignored: the answer is not JSON',
    ],
  ])('%s', async (_name, answer, fields, text) => {
    const { result, requests } = await opened.call(`get_${answer}`, { fields });
    expect(requests.map(written)).toEqual([{ line: `GET /v1/answers/${answer}` }]);
    expect(result.text).toBe(text);
  });

  test('of an answer that is not valid JSON are a failure that shows its beginning', async () => {
    const { result } = await opened.call('get_broken', { fields: 'a' });
    expect(result.structuredContent).toMatchObject({ failure_mode: 'bad_response' });
    expect(result.text).toContain('{"a":');
  });
});

describe('an error of the API', () => {
  const failure = (mode: string, details: Record<string, unknown>, text: string) => ({
    content: [{ type: 'text', text }],
    isError: true,
    structuredContent: { ...details, failure_mode: mode, message: text },
    text,
  });

  test('422 with problem details', async () => {
    const { result } = await opened.call('get_problem');
    const { type, title, status, detail, errors } = PROBLEM;
    expect(result).toEqual(
      failure(
        'upstream_error',
        { tool: 'get_problem', status, title, detail, type, errors },
        `get_problem failed: the API answered 422 (Invalid order: quantity must be positive).\nThe call has no arguments to fix; tell the user what the API answered.\nerrors: ${JSON.stringify(errors)}`,
      ),
    );
  });

  test('429 says when to call again', async () => {
    const { result } = await opened.call('get_limited');
    expect(result).toEqual(
      failure(
        'rate_limited',
        { tool: 'get_limited', status: 429, detail: 'slow down', retry_after_seconds: 17 },
        'get_limited failed: the API answered 429 (slow down).\nToo many requests: wait 17 seconds, then call again.',
      ),
    );
  });

  test.each<[answer: string, status: number, said: string, advice: RegExp]>([
    ['plainproblem', 400, 'no such colour', /no arguments to fix; tell the user what the API answered/],
    ['fastapi', 422, '{"loc":["body","name"],"msg":"field required"}', /no arguments to fix/],
    ['nested', 403, 'not yours', /a permission, scope or role is missing/],
    ['unauthorised', 401, 'bad key', /Changing the arguments will not help/],
    ['missing', 404, '', /has nothing at .* the base URL or the document is not this API/],
    ['conflict', 409, 'taken', /Read it again/],
    ['failing', 500, 'Oops', /safe to try again/],
    ['away', 503, '', /try again in 3 seconds/],
  ])('%s keeps its status, what was said and what to do', async (answer, status, said, advice) => {
    const { result, requests } = await opened.call(`get_${answer}`);
    expect(requests).toHaveLength(1);
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ failure_mode: 'upstream_error', status });
    expect(result.text).toContain(`the API answered ${status}`);
    expect(result.text).toContain(said);
    expect(result.text).toMatch(advice);
  });

  test('after a write does not say that it is safe to repeat', async () => {
    const { result, requests } = await opened.call('post_failing');
    expect(requests).toHaveLength(1);
    expect(result.text).toMatch(/may have taken effect/);
  });

  test('includes members beyond the usual ones', async () => {
    const body = { title: 'Too poor', detail: 'Your balance is 30.', balance: 30, accounts: ['/a/1'] };
    opened.echo.answers.set('/v1/answers/json', reply(403, 'application/problem+json', JSON.stringify(body)));
    const { result } = await opened.call('get_json');
    expect(result.text).toContain(JSON.stringify(body));
    expect(result.structuredContent).toMatchObject({ title: body.title, detail: body.detail });
    opened.echo.answers.set('/v1/answers/json', ANSWERS.json!);
  });
});

describe('a redirect', () => {
  const target = '/v1/answers/json';
  afterEach(() => {
    opened.echo.answers.set(target, ANSWERS.json!);
    opened.echo.answers.delete('/v1/answers/slow');
    opened.echo.answers.set('/v1/answers/failing', ANSWERS.failing!);
  });
  const redirect = (from: string, status: number, location: string) =>
    opened.echo.answers.set(from, reply(status, undefined, '', { location }));

  test('inside the API is followed by a read', async () => {
    redirect('/v1/answers/slow', 302, '/v1/answers/json');
    const { result, requests } = await opened.call('get_slow');
    expect(requests.map(written)).toEqual([{ line: 'GET /v1/answers/slow' }, { line: 'GET /v1/answers/json' }]);
    expect(result.text).toBe('{"a":1,"b":[true,null,"ü"]}');
  });

  test.each([301, 302, 303, 307, 308])('to another origin is not (%i)', async (status) => {
    redirect('/v1/answers/slow', status, `${opened.other.origin}/v1/answers/json`);
    const { result, requests, elsewhere } = await opened.call('get_slow');
    expect(requests).toHaveLength(1);
    expect(elsewhere).toEqual([]);
    expect(result.structuredContent).toMatchObject({ failure_mode: 'redirect_blocked', status });
  });

  test.each([
    '//evil.test/x',
    'http://127.0.0.1:1/x',
    'http://user:pw@localhost/',
    'file:///etc/passwd',
    '/admin',
    'http://[',
  ])('to %s is not', async (location) => {
    redirect('/v1/answers/slow', 302, location);
    const { result, requests } = await opened.call('get_slow');
    expect(requests).toHaveLength(1);
    expect(result.structuredContent).toMatchObject({ failure_mode: 'redirect_blocked' });
    expect(result.text).not.toContain('user:pw');
  });

  test.each([301, 302, 303, 307, 308])('is never followed by a write (%i)', async (status) => {
    redirect('/v1/answers/failing', status, '/v1/answers/json');
    const { result, requests } = await opened.call('post_failing');
    expect(requests).toHaveLength(1);
    expect(result.structuredContent).toMatchObject({ failure_mode: 'redirect_blocked' });
  });

  test('in an endless chain is given up', async () => {
    redirect('/v1/answers/slow', 302, '/v1/answers/slow');
    const { result, requests } = await opened.call('get_slow');
    expect(requests.length).toBeLessThanOrEqual(4);
    expect(result.structuredContent).toMatchObject({ failure_mode: 'redirect_blocked' });
  });
});
