import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { escapeHiddenCharacters, mayHide } from '../../src/endpoint/hidden.ts';
import { arg, endpoint, inQuery, type Overrides, run, startUpstream, textOf, type Upstream } from './support.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
beforeEach(() => {
  upstream.seen.length = 0;
});

function answerWith(body: string | Buffer, headers: Record<string, string | string[]> = {}, status = 200): void {
  upstream.answer = (_, response) => response.writeHead(status, headers).end(body);
}

function get(
  body: string | Buffer,
  contentType: string | undefined,
  overrides: Overrides = {},
  options: {
    fields?: string[];
    args?: Record<string, unknown>;
    headers?: Record<string, string | string[]>;
    status?: number;
  } = {},
) {
  answerWith(
    body,
    { ...(contentType !== undefined && { 'content-type': contentType }), ...options.headers },
    options.status,
  );
  return run(
    endpoint(upstream.origin, overrides),
    options.args ?? {},
    options.fields === undefined ? {} : { controls: { fields: options.fields } },
  );
}

const text = (value: string) => [{ type: 'text', text: value }];
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

describe('an answer is decoded by its type', () => {
  test.each([
    ['small JSON as it came, spaces and all', '{ "a": 1 }', 'application/json', '{ "a": 1 }'],
    ['JSON with a charset', '{"a":"ü"}', 'application/json; charset=UTF-8', '{"a":"ü"}'],
    ['a vendor JSON type', '[1]', 'application/vnd.api+json', '[1]'],
    ['plain text', 'hello\nworld', 'text/plain', 'hello\nworld'],
    ['CSV', 'a,b\n1,2', 'text/csv', 'a,b\n1,2'],
    ['YAML', 'a: 1', 'application/yaml', 'a: 1'],
    ['XML', '<a/>', 'application/xml', '<a/>'],
    ['XML of a kind', '<a/>', 'application/atom+xml', '<a/>'],
    ['an SVG is text', '<svg/>', 'image/svg+xml', '<svg/>'],
    ['a BOM is dropped', '\ufeff{"a":1}', 'application/json', '{"a":1}'],
    ['no type: JSON by its looks', ' {"a":1}', undefined, '{"a":1}'],
    ['*/*: text by its looks', 'hi', '*/*', 'hi'],
    ['an unknown type that is JSON', '{"a":1}', 'application/vnd.acme', '{"a":1}'],
    ['an unknown type that is text', 'plain', 'application/x-acme', 'plain'],
  ])('%s', async (_, body, contentType, want) => {
    expect(await get(body, contentType)).toMatchObject({ ok: true, content: text(want) });
  });

  const long = `{"items":[${'{"a":1},'.repeat(300)}`;
  test.each([
    ['broken off', '{"id":7,"name":', 'does not parse: it may be cut off'],
    ['broken off far behind', long, 'does not parse: it may be cut off'],
    ['mixed with other output', '{"id":7}\nWarning: x in y.php', 'does not parse'],
    ['broken in the middle', '{"id":,"name":"x"}', 'does not parse'],
    ['a web page', '<html><body>Oops</body></html>', 'is a web page or XML'],
  ])('an answer labelled JSON that is %s carries a note', async (_, body, note) => {
    const { ok, content } = await get(body, 'application/json');
    const [block] = content;
    const shown = block?.type === 'text' ? block.text : '';
    expect(ok).toBe(true);
    expect(shown.startsWith(`${body}\nthe API labels this answer JSON, but it ${note}`)).toBe(true);
  });

  test.each([
    ['by its field', '<html><body><form><input name="p" type="password"></form></body></html>'],
    ['by its title', '<html><head><title>Sign in to Acme</title></head><body>SSO</body></html>'],
  ])('a login page instead of data carries a note, known %s', async (_, body) => {
    const answer = await get(body, 'text/html', {}, { status: 200 });
    expect(answer.ok).toBe(true);
    expect(textOf(answer)).toContain('the API answered with a login page instead of data: the gateway’s credential is');
  });

  test('a web page carries a note unless the operation asks for one', async () => {
    const page = '<html><body>Hello</body></html>';
    expect(textOf(await get(page, 'text/html'))).toContain('Hello\nthe API answered with a web page instead of data');
    expect(textOf(await get(page, 'text/html', { response: { accept: 'text/html' } }))).toBe('Hello');
  });

  test.each([
    ['iso-8859-1', Buffer.from('caf\xe9', 'latin1'), 'café'],
    ['windows-1252', Buffer.from([0x80]), '€'],
    ['utf-16le', Buffer.from('hü', 'utf16le'), 'hü'],
    ['shift_jis', Buffer.from([0x82, 0xa0]), 'あ'],
    ['nonsense', Buffer.from('ü'), 'ü'],
  ])('charset %s is decoded', async (charset, body, want) => {
    expect(textOf(await get(body, `text/plain; charset="${charset}"`))).toBe(want);
  });

  test.each([
    [204, 'OK (204)'],
    [200, 'OK (200)'],
    [205, 'OK (205)'],
    [304, 'Not modified (304)'],
  ])('an empty answer with status %i says so', async (status, want) => {
    expect(await get('', undefined, {}, { status })).toMatchObject({ status, ok: true, content: text(want) });
  });

  test('an empty 201 says where the new resource is', async () => {
    expect(textOf(await get('', undefined, {}, { status: 201, headers: { location: '/things/7' } }))).toBe(
      'OK (201)\nlocation: /things/7',
    );
  });

  test('the answer to HEAD shows the useful headers', async () => {
    answerWith('', { 'content-type': 'text/csv', etag: '"x"', 'content-length': '12' });
    expect(textOf(await run(endpoint(upstream.origin, { method: 'HEAD' })))).toBe(
      'OK (200)\ncontent-type: text/csv\ncontent-length: 12\netag: "x"',
    );
  });

  test.each([
    ['image/png', png, 'image/png'],
    ['image/jpeg', Buffer.from('ffd8ffe000104a46', 'hex'), 'image/jpeg'],
    ['image/gif', Buffer.from('GIF89a..'), 'image/gif'],
    ['image/webp', Buffer.from('RIFF....WEBPVP8 '), 'image/webp'],
    ['image/png', Buffer.from('GIF89a..'), 'image/gif'],
    [undefined, png, 'image/png'],
  ])('an image of type %s', async (contentType, body, mimeType) => {
    expect((await get(body, contentType)).content).toEqual([
      { type: 'text', text: `${mimeType}, ${body.length} bytes` },
      { type: 'image', data: body.toString('base64'), mimeType },
    ]);
  });

  test('a body that is no image is not shown as one, whatever its type says', async () => {
    expect(textOf(await get('{"error":"no picture"}', 'image/png'))).toBe('{"error":"no picture"}');
    const [line, block] = (await get(Buffer.from([0, 1, 2]), 'image/png')).content;
    expect(line).toEqual({ type: 'text', text: 'application/octet-stream, 3 bytes' });
    expect(block).toMatchObject({ type: 'resource', resource: { mimeType: 'application/octet-stream', blob: 'AAEC' } });
  });

  test('a huge picture becomes a note', async () => {
    const body = Buffer.concat([png, Buffer.alloc(1024 * 1024)]);
    expect(textOf(await get(body, 'image/png'))).toMatch(/^image\/png, 1048592 bytes, sha256 [0-9a-f]{64}\. Too large/);
  });

  test.each(['audio/wav', 'audio/mpeg', 'audio/ogg'])('%s is audio content', async (contentType) => {
    const body = Buffer.from('RIFF....WAVE');
    expect((await get(body, contentType)).content).toEqual([
      { type: 'text', text: `${contentType}, 12 bytes` },
      { type: 'audio', data: body.toString('base64'), mimeType: contentType },
    ]);
  });

  const file = { 'content-disposition': 'attachment; filename="a.bin"' };
  const bytes = Buffer.from([0, 255, 1, 2]);
  const sha = createHash('sha256').update(bytes).digest('hex');

  test.each(['application/pdf', 'application/octet-stream', 'application/zip', 'video/mp4', 'application/x-own'])(
    '%s is an embedded resource beside a line that says what it is',
    async (contentType) => {
      expect((await get(bytes, contentType, {}, { headers: file })).content).toEqual([
        { type: 'text', text: `"a.bin": ${contentType}, 4 bytes` },
        {
          type: 'resource',
          resource: {
            uri: `answer://${sha.slice(0, 16)}/a.bin`,
            mimeType: contentType,
            blob: bytes.toString('base64'),
          },
        },
      ]);
    },
  );

  test.each<[string, string]>([
    [`attachment; filename="x.bin"; filename*=UTF-8''gr%C3%B6%C3%9Fe.pdf`, '"größe.pdf": '],
    ['attachment; filename=plain.pdf', '"plain.pdf": '],
    ['attachment; filename="../../etc/passwd"', '"passwd": '],
    [`attachment; filename*=UTF-8''%zz`, ''],
  ])('the name of a file comes from %s', async (disposition, words) => {
    const { content } = await get(bytes, 'application/pdf', {}, { headers: { 'content-disposition': disposition } });
    expect(content[0]).toEqual({ type: 'text', text: `${words}application/pdf, 4 bytes` });
  });

  test('a file beyond the limit of the domain file is described, with the way to get it', async () => {
    expect(textOf(await get(bytes, 'application/pdf', { response: { maxFileBytes: 3 } }, { headers: file }))).toBe(
      `"a.bin": application/pdf, 4 bytes, sha256 ${sha}. Too large to show: the limit is 3 bytes. Tell the user: "landbridge call" with --output a.bin saves it.`,
    );
    expect(textOf(await get(bytes, 'application/pdf', { response: { maxFileBytes: 0 } }))).toBe(
      `application/pdf, 4 bytes, sha256 ${sha}. Its bytes are not shown.`,
    );
  });

  test('text that is called octet-stream is text', async () => {
    expect(textOf(await get('a,b\n1,2\n', 'application/octet-stream'))).toBe('a,b\n1,2\n');
    expect(textOf(await get('<html><p>x</html>', 'application/octet-stream'))).toBe('<html><p>x</html>');
  });

  test('bytes without a type that are not text are a resource as well', async () => {
    expect((await get(Buffer.from([0xff, 0xfe, 0, 1]), undefined)).content).toMatchObject([
      { text: 'application/octet-stream, 4 bytes' },
      { resource: { blob: '//4AAQ==' } },
    ]);
  });

  test('HTML is reduced to its text', async () => {
    const html = `<!doctype html><html><head><title>Docs &amp; more</title><style>p{}</style><script>evil("<p>")</script></head>
      <body><!-- secret --><h1>Hello</h1><p>One &lt;b&gt; <b>two</b></p><ul><li>x<li>y</ul><noscript>no</noscript>
      <svg><text>s</text></svg>caf&#233; &#x1F600;</body></html>`;
    const asked = { response: { accept: 'text/html, */*;q=0.5' } };
    expect(textOf(await get(html, 'text/html; charset=utf-8', asked))).toBe(
      'Docs & more\n\nHello\n\nOne <b> two\n\nx\ny\n\ncafé 😀',
    );
  });

  test('hostile HTML takes linear time', async () => {
    for (const piece of ['<svg>', '<', '<!--', '<script', '<p ', '&#', '<a b="']) {
      await get(piece.repeat(400_000 / piece.length), 'text/html');
    }
  });

  test('NDJSON and event streams are collected', async () => {
    expect(textOf(await get('{"a":1}\n{"a":2}\n\nnot json\n', 'application/x-ndjson'))).toBe(
      '[{"a":1},{"a":2},"not json"]',
    );
    const events =
      'event: tick\r\ndata: {"n":1}\r\n\r\n: comment\ndata: a\ndata: b\n\ndata:{"n":2}\n\ndata: [DONE]\n\n';
    expect(textOf(await get(events, 'text/event-stream'))).toBe('[{"event":"tick","data":{"n":1}},"a\\nb",{"n":2}]');
  });

  test('hidden characters are made visible, in JSON without changing its meaning', async () => {
    const hidden = 'a\u200bb\u202ec\u{e0041}d\u{e0100}\u{e01ef}e\u3164\uffa0\u1160f';
    const json = JSON.stringify({ x: hidden });
    const shown = textOf(await get(json, 'application/json'));
    expect(shown).toBe('{"x":"a\\u200bb\\u202ec\\udb40\\udc41d\\udb40\\udd00\\udb40\\uddefe\\u3164\\uffa0\\u1160f"}');
    expect(JSON.parse(shown)).toEqual({ x: hidden });
    expect(textOf(await get('a\u001b[31mred\u0000\u009b\tb\r\n', 'text/plain'))).toBe(
      'a\\u001b[31mred\\u0000\\u009b\tb\r\n',
    );
    expect(textOf(await get(json, 'application/json', {}, { fields: ['x'] }))).toBe(shown);
  });
});

describe('mayHide()', () => {
  const hidden = fc.constantFrom(
    ...'\u0000\u0007\u001b\u007f\u0085\u00ad\u061c\u180e\u200b\u202e\u2066\ufeff\u{e0041}',
    '\t',
    '\n',
    'é',
    '“',
    '漢',
    '😀',
  );
  const mixed = fc
    .array(fc.oneof({ weight: 5, arbitrary: fc.string() }, hidden), { maxLength: 12 })
    .map((parts) => parts.join(''));

  test('never overlooks what visible() would change, at any alignment', () => {
    fc.assert(
      fc.property(mixed, fc.integer({ min: 0, max: 7 }), (text, offset) => {
        const bytes = Buffer.concat([Buffer.alloc(offset, 'x'), Buffer.from(text)]).subarray(offset);
        if (!mayHide(bytes)) expect(escapeHiddenCharacters(text)).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  test('lets ordinary text pass', () => {
    for (const text of ['', 'a', 'plain {"json": [1, 2]}\n\t\r\n', 'Größe café naïve', '漢字', '😀']) {
      expect(mayHide(Buffer.from(text))).toBe(false);
    }
  });
});

describe('structured content', () => {
  const structured = { response: { structured: true } } as const;

  test('is there only when asked for, parsed and shaped', async () => {
    expect(await get('{"a":1}', 'application/json')).not.toHaveProperty('structured');
    expect(
      await get('{ "a":1, "b":2 }', 'application/json', { response: { structured: true, drop: ['b'] } }),
    ).toMatchObject({
      structured: { a: 1 },
      content: text('{"a":1}'),
    });
    expect(await get('[1,2]', 'application/json', structured)).toMatchObject({ structured: [1, 2] });
    expect(await get('', undefined, structured, { status: 204 })).not.toHaveProperty('structured');
    expect(await get('{"a":1}', 'text/plain', structured)).toMatchObject({ structured: { a: 1 } });
  });

  test('JSON that does not parse is BAD_RESPONSE where it is needed', async () => {
    for (const overrides of [structured, { response: { pick: ['a'] } }, { response: { format: 'toon' as const } }]) {
      await expect(get('{oops', 'application/json', overrides)).rejects.toMatchObject({
        code: 'BAD_RESPONSE',
        message: 'get_thing: the API says its answer is JSON, but it does not parse. It begins: {oops',
      });
    }
    await expect(get('{oops', 'application/json', {}, { fields: ['a'] })).rejects.toMatchObject({
      code: 'BAD_RESPONSE',
    });
  });

  test('absurdly deep JSON is an answer or BAD_RESPONSE, never a crash', async () => {
    const deep = '['.repeat(400_000) + ']'.repeat(400_000);
    const wide = { limits: { timeoutMs: 20_000, maxResponseBytes: 10_000_000 } };
    for (const overrides of [wide, { ...wide, ...structured }, { ...wide, response: { drop: ['*_url'] } }]) {
      const outcome = await get(deep, 'application/json', overrides).catch((error: unknown) => error);
      expect(outcome).toSatisfy(
        (value: { code?: string; ok?: boolean }) => value.ok === true || value.code === 'BAD_RESPONSE',
      );
    }
  });

  test('large integers survive shaping', async () => {
    const body =
      '{"id":12345678901234567890,"s":"x 12345678901234567890 \\" y","n":[-9223372036854775808,9007199254740993,1e400,1.5,1234567890123456]}';
    const want = '{"id":12345678901234567890,"n":[-9223372036854775808,9007199254740993,null,1.5,1234567890123456]}';
    const answer = await get(body, 'application/json', { response: { drop: ['s'], structured: true } });
    expect(textOf(answer)).toBe(want);
    expect(answer.structured).toEqual({
      id: '12345678901234567890',
      n: ['-9223372036854775808', '9007199254740993', Number.POSITIVE_INFINITY, 1.5, 1234567890123456],
    });
    expect(textOf(await get(body, 'application/json', {}, { fields: ['s'] }))).toBe(
      '{"s":"x 12345678901234567890 \\" y"}',
    );
  });
});

describe('projection', () => {
  const issues = JSON.stringify([
    {
      id: 1,
      title: 'a',
      user: { login: 'x', avatar_url: 'u' },
      labels: [{ name: 'l1', url: 'u' }],
      html_url: 'h',
      'a.b': 1,
    },
    { id: 2, title: 'b', user: null, labels: [], html_url: 'h' },
  ]);

  test('pick keeps dot paths through arrays, in the order of the answer', async () => {
    expect(
      textOf(await get(issues, 'application/json', { response: { pick: ['labels.name', 'id', 'user.login'] } })),
    ).toBe('[{"id":1,"user":{"login":"x"},"labels":[{"name":"l1"}]},{"id":2,"labels":[]}]');
  });

  test('drop takes paths away, and globs at any depth', async () => {
    expect(
      textOf(
        await get(issues, 'application/json', { response: { drop: ['*_url', 'labels.url', 'a.b', 'user.login'] } }),
      ),
    ).toBe(
      '[{"id":1,"title":"a","user":{},"labels":[{"name":"l1"}],"a.b":1},{"id":2,"title":"b","user":null,"labels":[]}]',
    );
  });

  test.each([[['id']], [['[].id']], [['$.id']], [['[0].id']]])('fields %j', async (fields) => {
    expect(textOf(await get(issues, 'application/json', {}, { fields }))).toBe('[{"id":1},{"id":2}]');
  });

  test.each([
    [['id,labels(name)'], '[{"id":1,"labels":[{"name":"l1"}]},{"id":2,"labels":[]}]'],
    [['id', 'a.b'], '[{"id":1,"a.b":1},{"id":2}]'],
    [['user.*'], '[{"user":{"login":"x","avatar_url":"u"}},{}]'],
    [['user', 'user.login'], '[{"user":{"login":"x","avatar_url":"u"}},{"user":null}]'],
  ])('fields %j gives %s', async (fields, want) => {
    expect(textOf(await get(issues, 'application/json', {}, { fields }))).toBe(want);
  });

  test('an unknown field is tolerated, and the available ones are listed', async () => {
    expect(textOf(await get(issues, 'application/json', {}, { fields: ['id', 'nope'] }))).toBe(
      '[{"id":1},{"id":2}]\nno such field: nope (available: id, title, user, user.login, user.avatar_url, labels, labels.name, labels.url, html_url, a.b)',
    );
    const none = textOf(await get('{"a":1}', 'application/json', {}, { fields: ['x', 'y.z'] }));
    expect(none).toBe('{"a":1}\nno such field: x, y.z (available: a)');
  });

  test('fields on something that is not JSON says so', async () => {
    expect(textOf(await get('plain', 'text/plain', {}, { fields: ['x'] }))).toBe(
      'plain\nfields was ignored: the answer is not JSON',
    );
  });

  test.each([
    ['{"error":"none"}', '{}'],
    ['[{"secret":1},"hidden"]', '[]'],
    ['"hidden"', '{}'],
    ['{"items":["hidden",{"secret":1}]}', '{}'],
  ])('a pick that matches nothing in %s shows nothing and says so', async (body, want) => {
    expect(textOf(await get(body, 'application/json', { response: { pick: ['items.id'] } }))).toBe(
      `${want}\nthe answer has nothing at items.id; the rest is not shown`,
    );
  });

  test('a dropped name means the same in one item and in a list of them; $. is the root', async () => {
    const one = '{"id":1,"type-id":"x","area":{"type-id":"y","name":"n"},"meta":{"meta":1}}';
    const response = { drop: ['type-id', '$.meta'] };
    const want = '{"id":1,"area":{"name":"n"}}';
    expect(textOf(await get(one, 'application/json', { response }))).toBe(want);
    expect(textOf(await get(`{"items":[${one}]}`, 'application/json', { response }))).toBe(
      '{"items":[{"id":1,"area":{"name":"n"},"meta":{"meta":1}}]}',
    );
  });

  test('paths that no answer can have, and wildcards that multiply, end quickly', async () => {
    const long = `a${'.'.repeat(100_000)}b`;
    expect(textOf(await get('{"a":{"b":1,"c":2}}', 'application/json', {}, { fields: [long] }))).toContain('"b":1');
    const nest = (depth: number): unknown =>
      depth === 0 ? 1 : { x0: nest(depth - 1), [`x${depth}`]: nest(depth - 1) };
    const wild = Array.from({ length: 14 }, (_, at) =>
      Array.from({ length: 14 }, (__, index) => (index === at ? `x${14 - index}` : '*')).join('.'),
    );
    const text = textOf(await get(JSON.stringify(nest(14)), 'application/json', {}, { fields: wild }));
    expect(text).toContain('fields was ignored: its * match too many paths');
  });

  test('`__proto__` in an answer is harmless', async () => {
    const body = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1}';
    await get(body, 'application/json', { response: { drop: ['*x'], structured: true } });
    await get(body, 'application/json', { response: { pick: ['__proto__.polluted', 'constructor'] } });
    expect(textOf(await get(body, 'application/json', {}, { fields: ['__proto__'] }))).toContain('polluted');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe('TOON', () => {
  test('is used when asked for and shorter', async () => {
    const rows = JSON.stringify(Array.from({ length: 5 }, (_, id) => ({ id, name: `n${id}` })));
    const toon = textOf(await get(rows, 'application/json', { response: { format: 'toon' } }));
    expect(toon).toBe('[5]{id,name}:\n  0,n0\n  1,n1\n  2,n2\n  3,n3\n  4,n4');
    expect(textOf(await get(rows, 'application/json'))).toBe(rows);
  });
});

describe('the character budget', () => {
  const rows = Array.from({ length: 137 }, (_, id) => ({ id, title: `row ${id}`, body: 'x'.repeat(100), flag: true }));
  const small = { response: { maxChars: 3_000 } } as const;
  const split = (value: string) => {
    const at = value.lastIndexOf('\n');
    return [JSON.parse(value.slice(0, at)) as unknown, value.slice(at + 1)] as const;
  };

  test('cuts whole items of a list and says so in the last line', async () => {
    const cut = textOf(await get(JSON.stringify(rows), 'application/json', small));
    expect(cut.length).toBeLessThanOrEqual(3_000);
    const [value, note] = split(cut);
    const shown = (value as unknown[]).length;
    expect(value).toEqual(rows.slice(0, shown));
    expect(shown).toBeGreaterThan(10);
    expect(note).toBe(`showing ${shown} of 137 items; pass fields=id,title,flag,…`);
  });

  test('finds the list inside an envelope', async () => {
    const body = JSON.stringify({ total: 137, data: { items: rows }, ok: [1, 2] });
    const [value, note] = split(textOf(await get(body, 'application/json', small)));
    const { data } = value as { data: { items: unknown[] } };
    expect(value).toEqual({ total: 137, data: { items: rows.slice(0, data.items.length) }, ok: [1, 2] });
    expect(note).toMatch(
      /^showing \d+ of 137 items; pass fields=data\.items\.id,data\.items\.title,data\.items\.flag,…$/,
    );
  });

  test('says how to go on by offset, page or size', async () => {
    const at = async (pagination: NonNullable<Overrides['pagination']>, args: Record<string, unknown>) =>
      split(textOf(await get(JSON.stringify(rows), 'application/json', { ...small, pagination }, { args })))[1];
    expect(await at({ kind: 'offset', arg: 'offset', sizeArg: 'limit' }, { offset: 50 })).toMatch(
      /^showing (\d+) of 137 items; next: offset=\d+, or pass fields=/,
    );
    expect(await at({ kind: 'page', arg: 'page', sizeArg: 'per_page' }, {})).toMatch(
      /; next: per_page=(\d+), page=2, or pass/,
    );
    expect(await at({ kind: 'page', arg: 'page', sizeArg: 'per_page' }, { page: 3 })).toMatch(
      /; next: per_page=\d+, or pass/,
    );
    expect(await at({ kind: 'cursor', arg: 'cursor', sizeArg: 'limit' }, {})).toMatch(/; next: limit=\d+, or pass/);
  });

  test('a compact form that fits is not cut', async () => {
    const body = JSON.stringify(rows.slice(0, 10), null, 8);
    expect(body.length).toBeGreaterThan(2_000);
    const answer = textOf(await get(body, 'application/json', { response: { maxChars: 2_000 } }));
    expect(JSON.parse(answer)).toEqual(rows.slice(0, 10));
  });

  test.each([
    ['one huge string', { a: 'y'.repeat(50_000), b: 1 }],
    ['a bare string', 'z'.repeat(50_000)],
    ['one huge item', [{ text: 'y'.repeat(50_000), id: 1 }]],
    ['many keys', Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`key${i}`, i]))],
    ['many lists', Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, [1, 2, 3, 'x'.repeat(50)]]))],
    ['long keys', { ['k'.repeat(30_000)]: 1 }],
    ['deep nesting', JSON.parse(`${'{"a":['.repeat(900)}1${']}'.repeat(900)}`)],
    ['surrogates at the cut', { a: '😀'.repeat(30_000) }],
  ])('shortens %s and stays JSON', async (_, value) => {
    const answer = textOf(await get(JSON.stringify(value), 'application/json', small));
    expect(answer.length).toBeLessThanOrEqual(3_100);
    const [, note] = split(answer);
    expect(note).toMatch(/^long values were shortened to fit; pass fields=/);
    expect(() => encodeURIComponent(answer)).not.toThrow();
  });

  test('cuts text at a line', async () => {
    const lines = Array.from({ length: 1_000 }, (_, i) => `line ${i}`).join('\n');
    const answer = textOf(await get(lines, 'text/plain', small));
    expect(answer.length).toBeLessThanOrEqual(3_000);
    const kept = answer.split('\n');
    const note = kept.pop();
    expect(lines.startsWith(`${kept.join('\n')}\n`)).toBe(true);
    expect(note).toMatch(/^showing \d+ of 1000 lines \(\d+ of \d+ characters\)$/);
    expect(note).toContain(`showing ${kept.length} of`);
    expect(textOf(await get('w'.repeat(9_000), 'text/plain', small)).length).toBeLessThanOrEqual(3_000);
  });

  test('JSON that does not parse is cut as text', async () => {
    const answer = textOf(await get(`[${'1,'.repeat(5_000)}`, 'application/json', small));
    expect(answer).toMatch(/showing 1 of 1 lines \(\d+ of 10001 characters\)$/);
  });
});

describe('the next page', () => {
  const list = {
    args: ['page', 'per_page', 'cursor', 'starting_after', 'q'].map((name) => arg(`${name}_`, inQuery(name))),
  };
  const last = (value: string) => value.split('\n').at(-1);

  test.each([
    [
      'Link header',
      '[1,2]',
      { link: '<https://x.test/?q=a&page=3&per_page=2>; rel="next", <https://x.test/?page=9>; rel="last"' },
      { page_: 2, per_page_: 2, q_: 'a' },
      'page_=3',
    ],
    ['Link header behind one item', '[1]', { link: '</things?cursor=b>; rel="next"' }, {}, 'cursor_=b'],
    ['Link header, bare rel', '[1,2]', { link: '</things?cursor=ab%3D>; rel=next' }, {}, 'cursor_=ab='],
  ])('is found in a %s', async (_, body, headers, args, want) => {
    const answer = textOf(
      await get(body, 'application/json', list, { headers: headers as Record<string, string>, args }),
    );
    expect(last(answer)).toBe(`showing ${body === '[1]' ? '1 item' : '2 items'}; next: ${want}`);
  });

  test.each([
    ['only a last link', { link: '<https://x.test/?page=9>; rel="last"' }],
    ['a link to nowhere', { link: '<http://[>; rel="next"' }],
    ['a link without our parameters', { link: '<https://x.test/?other=1>; rel="next"' }],
    ['nonsense', { link: '<<<<;;;rel=next' }],
  ])('is not found in the header: %s', async (_, headers) => {
    expect(textOf(await get('[1,2]', 'application/json', list, { headers }))).toBe('[1,2]');
  });

  const MANY_FIELDS = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`field${index}`, index]));

  test.each([
    ['next_cursor', { items: [1, 2], next_cursor: 'abc' }, {}, 'cursor_=abc'],
    ['a nested cursor', { items: [1, 2], response_metadata: { next_cursor: 'abc' } }, {}, 'cursor_=abc'],
    ['a cursor behind many other fields', { items: [1, 2], ...MANY_FIELDS, next_cursor: 'abc' }, {}, 'cursor_=abc'],
    ['a next URL', { items: [1, 2], next: 'https://x.test/?page=4&api_key=s' }, { page_: 3 }, 'page_=4'],
    ['has_more and the last id', { data: [{ id: 'a' }, { id: 'b' }], has_more: true }, {}, 'starting_after_=b'],
  ])('is found in %s of a shaped answer', async (_, body, args, want) => {
    const answer = textOf(
      await get(JSON.stringify(body), 'application/json', list, { args, fields: ['items', 'data'] }),
    );
    expect(last(answer)).toContain(`next: ${want}`);
  });

  test.each([
    ['an empty cursor', { items: [1, 2], next_cursor: '' }],
    ['a null cursor', { items: [1, 2], next: null }],
    ['has_more false', { items: [1, 2], next_cursor: 'x', has_more: false }],
  ])('is not found in the body: %s', async (_, body) => {
    expect(textOf(await get(JSON.stringify(body), 'application/json', list, { fields: ['items'] }))).toBe(
      '{"items":[1,2]}',
    );
  });

  test.each([
    [
      { kind: 'page', arg: 'page_', sizeArg: 'per_page_' },
      { page_: 2, per_page_: 2 },
      { items: [1, 2], total: 5 },
      'page_=3',
    ],
    [
      { kind: 'page', arg: 'page_', sizeArg: 'per_page_' },
      { page_: 3, per_page_: 2 },
      { items: [1], total: 5 },
      undefined,
    ],
    [{ kind: 'offset', arg: 'offset_' }, { offset_: 2 }, { items: [1, 2], total_count: 5 }, 'offset_=4'],
    [{ kind: 'offset', arg: 'offset_' }, {}, { items: [1, 2], total_count: 2 }, undefined],
    [{ kind: 'page', arg: 'page_', sizeArg: 'per_page_' }, { per_page_: 2 }, { items: [1, 2] }, 'page_=2'],
    [
      { kind: 'cursor', arg: 'cursor_', nextFrom: 'meta.after' },
      {},
      { items: [1, 2], meta: { after: 'z' } },
      'cursor_=z',
    ],
  ] as const)('by counting or by plan: %j', async (pagination, args, body, want) => {
    const answer = textOf(
      await get(JSON.stringify(body), 'application/json', { ...list, pagination }, { args, fields: ['items'] }),
    );
    const note = want === undefined ? '' : `\nshowing ${body.items.length} items; next: ${want}`;
    expect(answer).toBe(JSON.stringify({ items: body.items }) + note);
    // An answer that is passed on whole says it as well.
    const whole = await get(JSON.stringify(body), 'application/json', { ...list, pagination }, { args });
    expect(textOf(whole)).toBe(JSON.stringify(body) + note);
  });

  test.each([
    ['tersely', '{"items":[{"id":1,"price":1.50,"note":"a, \\"b\\""}]}', undefined],
    ['tersely, with a line break behind it', '{"items":[1]}\n', '{"items":[1]}'],
    ['with digits beyond a number', '{"items":[12345678901234567890]}', undefined],
    ['with blanks', '{"items": [1, 2]}', '{"items":[1,2]}'],
    ['in lines', '{"items":[\n1,\n2\n]}', '{"items":[1,2]}'],
    ['with escapes that need not be', '{"items":["caf\\u00e9 \\/"]}', '{"items":["café /"]}'],
    ['with what nobody sees', '{"items":["a\u200bb"]}', '{"items":["a\\u200bb"]}'],
  ])('a page that is written %s', async (_, body, want = body) => {
    const pagination = { kind: 'offset', arg: 'offset', sizeArg: 'limit' } as const;
    expect(textOf(await get(body, 'application/json', { ...list, pagination }))).toBe(want);
  });
});

describe('an error of the API is a value', () => {
  test('problem+json', async () => {
    const problem = {
      type: 'https://x.test/oops',
      title: 'Not valid',
      status: 422,
      detail: 'name is too long',
      errors: [{ pointer: '#/name' }],
    };
    expect(await get(JSON.stringify(problem), 'application/problem+json', {}, { status: 422 })).toEqual({
      status: 422,
      ok: false,
      content: text(JSON.stringify(problem)),
      problem: { type: problem.type, title: 'Not valid', detail: 'name is too long', errors: [{ pointer: '#/name' }] },
    });
  });

  test.each([
    [
      { message: 'Not Found', documentation_url: 'u' },
      { detail: 'Not Found', body: '{"message":"Not Found","documentation_url":"u"}' },
    ],
    [
      { error: 'invalid_request', error_description: 'no' },
      { title: 'invalid_request', detail: 'no' },
    ],
    [
      { error: { message: 'bad key', code: 'k1', errors: [{ a: 1 }] } },
      { title: 'k1', detail: 'bad key', errors: [{ a: 1 }] },
    ],
    [
      { errors: [{ message: 'first' }, { message: 'second' }] },
      { detail: 'first', errors: [{ message: 'first' }, { message: 'second' }] },
    ],
    [
      { detail: [{ loc: ['body', 'name'], msg: 'field required' }] },
      { errors: [{ loc: ['body', 'name'], msg: 'field required' }] },
    ],
  ])('%j is understood as JSON of a common shape', async (body, want) => {
    const answer = await get(JSON.stringify(body), 'application/json', {}, { status: 400 });
    expect(answer.problem).toMatchObject(want);
    expect(JSON.stringify(answer.problem).length).toBeLessThanOrEqual(4_200);
  });

  test.each([
    ['text', 'oops', 'text/plain', 'oops'],
    ['HTML', '<html><body><h1>502 Bad Gateway</h1><script>x</script></body></html>', 'text/html', '502 Bad Gateway'],
    ['XML', '<error>no</error>', 'application/xml', '<error>no</error>'],
    ['JSON that is none', '{oops', 'application/json', '{oops'],
  ])('%s errors', async (_, body, contentType, want) => {
    expect(await get(body, contentType, {}, { status: 502 })).toMatchObject({
      status: 502,
      ok: false,
      problem: { body: want },
    });
  });

  test('empty, binary and huge errors', async () => {
    expect(await get('', undefined, {}, { status: 500 })).toMatchObject({
      ok: false,
      problem: {},
      content: text('Status 500, no body'),
    });
    expect(await get(Buffer.from([0, 255]), 'application/octet-stream', {}, { status: 500 })).toMatchObject({
      ok: false,
      problem: {},
    });
    const huge = JSON.stringify({
      title: 't'.repeat(9_000),
      detail: 'd'.repeat(9_000),
      errors: Array.from({ length: 500 }, (_, i) => ({ i, m: 'x'.repeat(50) })),
      more: 'm'.repeat(9_000),
    });
    const answer = await get(huge, 'application/problem+json', {}, { status: 400 });
    expect(JSON.stringify(answer.problem).length).toBeLessThanOrEqual(4_100);
    expect(textOf(answer).length).toBeLessThanOrEqual(4_000);
  });

  test('hidden characters are visible in problems too', async () => {
    const body = JSON.stringify({ title: 'a\u202eb', errors: ['\u200bx'] });
    expect((await get(body, 'application/problem+json', {}, { status: 400 })).problem).toEqual({
      title: 'a\\u202eb',
      errors: ['\\u200bx'],
    });
  });

  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();
  /** `Sun Nov  6 08:49:37 1994`, in GMT. */
  const asctime = (seconds: number) =>
    inSeconds(seconds).replace(/^(\w+), (\d+) (\w+) (\d+) (\S+) GMT$/, '$1 $3 $2 $5 $4');
  const epochIn = (seconds: number) => String(Math.floor(Date.now() / 1000) + seconds);
  // Dates are written when the test runs: on a busy machine that is long after they are listed.
  test.each<[name: string, headers: () => Record<string, string>, least: number, most: number]>([
    ['a number', () => ({ 'retry-after': '120' }), 120, 120],
    ['a date to come', () => ({ 'retry-after': inSeconds(100) }), 90, 101],
    ['a date without a zone', () => ({ 'retry-after': asctime(100) }), 90, 101],
    ['an ISO date', () => ({ 'retry-after': new Date(Date.now() + 100_000).toISOString() }), 90, 101],
    ['epoch seconds', () => ({ 'retry-after': epochIn(100) }), 90, 101],
    ['a date gone by', () => ({ 'retry-after': inSeconds(-100) }), 0, 0],
    ['a reset time', () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': epochIn(60) }), 50, 61],
    ['seconds until the reset', () => ({ 'ratelimit-remaining': '0', 'ratelimit-reset': '30' }), 30, 30],
  ])('has a time to retry from %s', async (_, headers, least, most) => {
    const answer = { status: 429, headers: headers() };
    const { retryAfterSeconds } = await get('{}', 'application/json', {}, answer);
    expect(retryAfterSeconds).toBeGreaterThanOrEqual(least);
    expect(retryAfterSeconds).toBeLessThanOrEqual(most);
  });

  test.each([
    [{}],
    [{ 'retry-after': 'soon' }],
    [{ 'retry-after': '-5' }],
    [{ 'x-ratelimit-remaining': '5', 'x-ratelimit-reset': '30' }],
  ])('has no time to retry from %j', async (headers) => {
    expect(
      await get('{}', 'application/json', {}, { status: 429, headers: headers as Record<string, string> }),
    ).not.toHaveProperty('retryAfterSeconds');
  });

  test('is not shaped, whatever the endpoint says', async () => {
    expect(
      await get(
        '{"message":"no"}',
        'application/json',
        { response: { pick: ['id'], structured: true } },
        { status: 404, fields: ['id'] },
      ),
    ).toMatchObject({ ok: false, problem: { detail: 'no' } });
  });
});
