import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Arg, BodyPlan, Target } from '../../src/endpoint/model.ts';
import type { Recorded } from '../support/recorder.ts';
import { arg, endpoint, inBody, run, startUpstream, type Upstream } from './support.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
beforeEach(() => {
  upstream.seen.length = 0;
});

const root: Target = { in: 'body-root' };

async function post(
  body: Partial<BodyPlan> & Pick<BodyPlan, 'kind' | 'mediaType'>,
  args: readonly Arg[],
  values: Record<string, unknown>,
  method = 'POST',
): Promise<Recorded> {
  await run(endpoint(upstream.origin, { method, args, body: { required: false, ...body } }), values);
  return upstream.last();
}

const json = { kind: 'json', mediaType: 'application/json' } as const;

describe('JSON bodies', () => {
  test('hold the given properties at their paths', async () => {
    const seen = await post(
      json,
      [arg('a', inBody('a')), arg('b', inBody('x', 'y', 'b')), arg('c', inBody('x', 'c'))],
      {
        a: null,
        b: [1],
        c: false,
      },
    );
    expect(seen.body.toString()).toBe('{"a":null,"x":{"y":{"b":[1]},"c":false}}');
    expect(seen.headers['content-type']).toBe('application/json');
    expect(seen.headers['content-length']).toBe('40');
  });

  test('are left out entirely when optional and nothing was given', async () => {
    const seen = await post(json, [arg('a', inBody('a'))], {});
    expect(seen.body).toHaveLength(0);
    expect(seen.headers).not.toHaveProperty('content-type');
  });

  test('are {} when required and nothing was given', async () => {
    const seen = await post({ ...json, required: true }, [arg('a', inBody('a'))], {});
    expect(seen.body.toString()).toBe('{}');
    expect(seen.headers['content-type']).toBe('application/json');
  });

  test.each([[[1, 2]], ['text'], [0], [false], [{ a: 1 }], [null]])('may be any value: %j', async (value) => {
    const seen = await post(json, [arg('body', root)], { body: value });
    expect(seen.body.toString()).toBe(JSON.stringify(value));
  });

  test('are wrapped again where the document wraps them', async () => {
    const wrapped = { ...json, wrap: ['data', 'attributes'] };
    expect((await post(wrapped, [arg('a', inBody('a'))], { a: 1 })).body.toString()).toBe(
      '{"data":{"attributes":{"a":1}}}',
    );
    expect((await post(wrapped, [arg('body', root)], { body: [1] })).body.toString()).toBe(
      '{"data":{"attributes":[1]}}',
    );
    const empty = await post({ ...wrapped, required: true }, [arg('a', inBody('a'))], {});
    expect(empty.body.toString()).toBe('{"data":{"attributes":{}}}');
  });

  test('keep their media type: merge-patch keeps null, json-patch is a list', async () => {
    const merge = await post(
      { kind: 'json', mediaType: 'application/merge-patch+json' },
      [arg('a', inBody('a')), arg('b', inBody('b'))],
      { a: null },
      'PATCH',
    );
    expect([merge.headers['content-type'], merge.body.toString()]).toEqual([
      'application/merge-patch+json',
      '{"a":null}',
    ]);
    const operations = [{ op: 'remove', path: '/a' }];
    const patch = await post({ kind: 'json', mediaType: 'application/json-patch+json' }, [arg('body', root)], {
      body: operations,
    });
    expect([patch.headers['content-type'], JSON.parse(patch.body.toString())]).toEqual([
      'application/json-patch+json',
      operations,
    ]);
    expect(
      (await post({ kind: 'json', mediaType: '*/*' }, [arg('body', root)], { body: 1 })).headers['content-type'],
    ).toBe('application/json');
  });

  test('take fixed values without touching the arguments', async () => {
    const args = { body: { a: { b: 1 } } };
    await run(
      endpoint(upstream.origin, {
        method: 'POST',
        args: [arg('body', root)],
        fixed: [{ value: 'v2', to: inBody('a', 'version') }],
        body: { ...json, required: true },
      }),
      args,
    );
    expect(upstream.last().body.toString()).toBe('{"a":{"b":1,"version":"v2"}}');
    expect(args).toEqual({ body: { a: { b: 1 } } });
  });

  test('go with any method that declares one, and `__proto__` is a property', async () => {
    const seen = await post(
      json,
      [arg('p', inBody('__proto__')), arg('c', inBody('constructor', 'x'))],
      { p: 1, c: 2 },
      'DELETE',
    );
    expect(seen.method).toBe('DELETE');
    expect(seen.body.toString()).toBe('{"__proto__":1,"constructor":{"x":2}}');
  });

  test('any JSON value arrives as it was', async () => {
    const target = endpoint(upstream.origin, {
      method: 'POST',
      args: [arg('a', inBody('a')), arg('b', inBody('n', 'b'))],
      body: { ...json, required: true },
    });
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (a, b) => {
        await run(target, { a, b });
        expect(JSON.parse(upstream.last().body.toString())).toEqual(JSON.parse(JSON.stringify({ a, n: { b } })));
      }),
      { numRuns: 100 },
    );
  });
});

describe('form bodies', () => {
  const form = { kind: 'form', mediaType: 'application/x-www-form-urlencoded' } as const;
  const args = ['a', 'list', 'o', 'n'].map((name) => arg(name, inBody(name)));

  test('repeat arrays, write objects as JSON, leave out what is empty', async () => {
    const seen = await post(form, args, { a: 'x y&z', list: [1, null, 2], o: { k: 'v' }, n: [] });
    expect(seen.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(seen.body.toString()).toBe('a=x%20y%26z&list=1&list=2&o=%7B%22k%22%3A%22v%22%7D');
    expect([...new URLSearchParams(seen.body.toString())]).toEqual([
      ['a', 'x y&z'],
      ['list', '1'],
      ['list', '2'],
      ['o', '{"k":"v"}'],
    ]);
  });

  test('follow the encoding object', async () => {
    const seen = await post(
      {
        ...form,
        encoding: {
          o: { style: 'deepObject', explode: true },
          list: { style: 'form', explode: false },
          a: { allowReserved: true },
          n: { contentType: 'application/json' },
        },
      },
      args,
      { a: 'a/b', list: ['x', 'y,z'], o: { k: { d: 1 }, l: ['p', 'q'] }, n: [1, 2] },
    );
    expect(seen.body.toString()).toBe(
      'a=a/b&list=x,y%2Cz&o%5Bk%5D%5Bd%5D=1&o%5Bl%5D%5B%5D=p&o%5Bl%5D%5B%5D=q&n=%5B1%2C2%5D',
    );
  });

  test('are left out when nothing was given, and keep an empty string', async () => {
    expect((await post(form, args, {})).headers).not.toHaveProperty('content-type');
    expect((await post(form, args, { a: '' })).body.toString()).toBe('a=');
  });
});

describe('multipart bodies', () => {
  const multipart = { kind: 'multipart', mediaType: 'multipart/form-data' } as const;

  async function parts(seen: Recorded) {
    const form = await new Response(new Uint8Array(seen.body), {
      headers: { 'content-type': seen.headers['content-type'] as string },
    }).formData();
    return Promise.all(
      [...form].map(async ([name, value]) =>
        typeof value === 'string'
          ? [name, value]
          : [name, value.name, value.type, Buffer.from(await value.arrayBuffer()).toString('hex')],
      ),
    );
  }

  test('send real files with name, type and decoded bytes', async () => {
    const bytes = Buffer.from([0x89, 0x50, 0, 255, 13, 10]);
    const seen = await post(
      { ...multipart, encoding: { file: { file: true }, other: { file: true, contentType: 'image/png, image/*' } } },
      [arg('title', inBody('title')), arg('file', inBody('file')), arg('other', inBody('other'))],
      {
        title: 'Ünï "q"',
        file: { filename: 'a "b"\r\n.png', mimeType: 'image/png', base64: bytes.toString('base64') },
        other: { text: 'plain' },
      },
    );
    expect(seen.headers['content-type']).toMatch(/^multipart\/form-data; boundary=landbridge-[0-9a-f]{32}$/);
    expect(await parts(seen)).toEqual([
      ['title', 'Ünï "q"'],
      ['file', 'a "b"\r\n.png', 'image/png', bytes.toString('hex')],
      ['other', 'other', 'image/png', Buffer.from('plain').toString('hex')],
    ]);
    expect(seen.body.toString('latin1')).toContain('filename="a %22b%22%0D%0A.png"');
  });

  test('send arrays of files as parts of one name', async () => {
    const seen = await post({ ...multipart, encoding: { files: { file: true } } }, [arg('files', inBody('files'))], {
      files: [
        { text: '1', filename: '1.txt' },
        { base64: 'data:text/csv;base64,Mg==', filename: '2.csv' },
      ],
    });
    expect(await parts(seen)).toEqual([
      ['files', '1.txt', 'text/plain', '31'],
      ['files', '2.csv', 'text/csv', '32'],
    ]);
  });

  test('send JSON parts without a file name, own types and own headers', async () => {
    const seen = await post(
      {
        ...multipart,
        encoding: { meta: { headers: { 'X-Part': 'yes', 'Content-Type': 'x/y' } }, xml: { contentType: 'text/xml' } },
      },
      ['meta', 'xml', 'tags', 'n', 'skip'].map((name) => arg(name, inBody(name))),
      { meta: { a: 1 }, xml: '<a/>', tags: ['x', 'y'], n: 5, skip: [] },
    );
    const boundary = (seen.headers['content-type'] as string).split('boundary=')[1] as string;
    expect(seen.body.toString().replaceAll(boundary, 'B')).toBe(
      [
        '--B\r\ncontent-disposition: form-data; name="meta"\r\ncontent-type: application/json\r\nx-part: yes\r\n\r\n{"a":1}\r\n',
        '--B\r\ncontent-disposition: form-data; name="xml"\r\ncontent-type: text/xml\r\n\r\n<a/>\r\n',
        '--B\r\ncontent-disposition: form-data; name="tags"\r\n\r\nx\r\n',
        '--B\r\ncontent-disposition: form-data; name="tags"\r\n\r\ny\r\n',
        '--B\r\ncontent-disposition: form-data; name="n"\r\n\r\n5\r\n',
        '--B--\r\n',
      ].join(''),
    );
  });

  test('names that hold quotes and line breaks cannot forge a header', async () => {
    const seen = await post(multipart, [arg('body', root)], { body: { 'a"\r\nX-Evil: 1\r\n\r\n': 'v' } });
    expect(seen.body.toString()).not.toMatch(/^x-evil/im);
    expect(seen.body.toString()).toContain('name="a%22%0D%0AX-Evil: 1%0D%0A%0D%0A"');
  });

  test.each([
    [{ base64: '***' }, /`doc` has a `base64` that is not valid base64/],
    [{ base64: 'AAAA', mimeType: 'a\r\nX: y' }, /`doc` has a `mimeType` that is not a media type/],
    [{ nothing: 1 }, /`doc` must be a file/],
  ])('refuses %j, naming the argument', async (file, message) => {
    const call = post({ ...multipart, encoding: { file: { file: true } } }, [arg('doc', inBody('file'))], {
      doc: file,
    });
    await expect(call).rejects.toMatchObject({ code: 'VALIDATION', message: expect.stringMatching(message) });
    expect(upstream.seen).toHaveLength(0);
  });
});

describe('other bodies', () => {
  test('binary: the bytes of the file', async () => {
    const octet = { kind: 'binary', mediaType: 'application/octet-stream' } as const;
    const seen = await post(octet, [arg('file', root)], { file: { base64: 'AP8=', mimeType: 'image/png' } });
    expect([seen.headers['content-type'], seen.body.toString('hex')]).toEqual(['image/png', '00ff']);
    expect((await post(octet, [arg('file', root)], { file: { text: 'ü' } })).body.toString()).toBe('ü');
    expect(
      (await post({ kind: 'binary', mediaType: 'image/*' }, [arg('file', root)], { file: { base64: '' } })).headers[
        'content-type'
      ],
    ).toBe('application/octet-stream');
    expect((await post(octet, [arg('file', root)], {})).headers).not.toHaveProperty('content-type');
    await expect(post(octet, [arg('file', root)], { file: { base64: '!' } })).rejects.toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('`file` has'),
    });
  });

  test('text as it is, with a charset only where it matters', async () => {
    const text = { kind: 'text', mediaType: 'text/csv' } as const;
    const plain = await post(text, [arg('body', root)], { body: 'a,b\r\n1,2' });
    expect([plain.headers['content-type'], plain.body.toString()]).toEqual(['text/csv', 'a,b\r\n1,2']);
    const accents = await post(text, [arg('body', root)], { body: 'ü' });
    expect([accents.headers['content-type'], accents.body.toString()]).toEqual(['text/csv; charset=utf-8', 'ü']);
    const xml = await post({ kind: 'text', mediaType: 'application/xml' }, [arg('body', root)], { body: '<a/>' });
    expect(xml.headers['content-type']).toBe('application/xml');
    await expect(post(text, [arg('body', root)], { body: '\ud800' })).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});

// The media type of an upload: said by the caller, by the document, by the name of the file or by its first bytes.
const base64 = (bytes: readonly number[] | string) =>
  (typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : Buffer.from(bytes)).toString('base64');
const PNG = base64('\x89PNG\r\n\x1a\n\0\0\0\rIHDR');
const JPEG = base64([0xff, 0xd8, 0xff, 0xe0, 0, 16]);
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

async function sendRaw(mediaType: string, file: Record<string, unknown>): Promise<string | undefined> {
  const body: BodyPlan = { kind: 'binary', mediaType, required: true };
  const target = endpoint(upstream.origin, {
    method: 'PUT',
    effect: 'write',
    body,
    args: [arg('file', { in: 'body-root' }, true)],
  });
  await run(target, { file });
  return upstream.last().headers['content-type'];
}

async function sendPart(contentType: string | undefined, file: Record<string, unknown>): Promise<string | undefined> {
  const encoding = { file: { file: true, ...(contentType !== undefined && { contentType }) } };
  const body: BodyPlan = { kind: 'multipart', mediaType: 'multipart/form-data', required: true, encoding };
  const target = endpoint(upstream.origin, {
    method: 'POST',
    effect: 'write',
    body,
    args: [arg('file', inBody('file'))],
  });
  await run(target, { file });
  return /^content-type: (.*)$/im.exec(upstream.last().body.toString('latin1'))?.[1]?.trim();
}

describe('a part of a multipart body', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['the name of the file', { filename: 'Photo.PNG', base64: 'AAAA' }, 'image/png'],
    ['the name before the content', { filename: 'report.docx', base64: base64('PK\x03\x04') }, DOCX],
    ['the first bytes of a PNG', { base64: PNG }, 'image/png'],
    ['the first bytes of a JPEG', { base64: JPEG }, 'image/jpeg'],
    ['the first bytes of a GIF', { base64: base64('GIF89a..') }, 'image/gif'],
    ['the first bytes of a WebP', { base64: base64('RIFF\0\0\0\0WEBPVP8 ') }, 'image/webp'],
    ['the first bytes of a PDF', { base64: base64('%PDF-1.7') }, 'application/pdf'],
    ['the first bytes of a zip', { base64: base64('PK\x03\x04....') }, 'application/zip'],
    ['the first bytes of a gzip', { base64: base64([0x1f, 0x8b, 8]) }, 'application/gzip'],
    ['what comes as text', { text: 'a note' }, 'text/plain'],
    ['text beyond ASCII', { text: 'größe' }, 'text/plain; charset=utf-8'],
    ['a name for text', { text: 'a,b', filename: 'rows.csv' }, 'text/csv'],
    ['nothing it knows', { base64: 'AAAA', filename: 'thing.xyz' }, 'application/octet-stream'],
    ['the caller before everything', { base64: PNG, filename: 'a.png', mimeType: 'image/x-own' }, 'image/x-own'],
  ])('has the type shown by %s', async (_what, file, type) => {
    expect(await sendPart(undefined, file)).toBe(type);
  });

  test('has the type its encoding declares', async () => {
    expect(await sendPart('application/octet-stream', { base64: PNG, filename: 'a.png' })).toBe(
      'application/octet-stream',
    );
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['image/png, image/jpeg', { base64: JPEG }, 'image/jpeg'],
    ['image/png, image/jpeg', { base64: base64('GIF89a') }, 'image/png'],
    ['image/*', { filename: 'a.webp', base64: 'AAAA' }, 'image/webp'],
    ['image/*', { filename: 'a.pdf', base64: 'AAAA' }, 'application/pdf'],
  ])('has, of the types %s, that of the file', async (types, file, type) => {
    expect(await sendPart(types, file)).toBe(type);
  });
});

describe('a body of bytes', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['*/*', { base64: PNG }, 'image/png'],
    ['image/*', { filename: 'a.gif', base64: 'AAAA' }, 'image/gif'],
    ['image/png, image/jpeg', { base64: JPEG }, 'image/jpeg'],
    ['application/octet-stream', { filename: 'a.png', base64: PNG }, 'application/octet-stream'],
    ['application/octet-stream', { base64: PNG, mimeType: 'image/png' }, 'image/png'],
    ['*/*', { base64: 'AAAA' }, 'application/octet-stream'],
  ])('that may be %s is sent with the type of the file', async (mediaType, file, type) => {
    expect(await sendRaw(mediaType, file)).toBe(type);
  });
});
