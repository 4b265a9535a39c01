// Answers that do not come to their end by themselves: what came until the deadline or the byte cap is an answer that says so.
import type { ServerResponse } from 'node:http';
import { createGzip, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../src/endpoint/redaction/redact.ts';
import { createExecutor } from '../../src/executor/executor.ts';
import { contextOf } from '../support/context.ts';
import { until } from '../support/until.ts';
import { endpoint, run, startRaw, startUpstream, textOf } from './support.ts';

const upstream = await startUpstream();
const SHORT = { timeoutMs: 400, maxResponseBytes: 1024 * 1024 };
const TIME = 'the answer was cut after 0.4 s, the time limit of this call; the API was still sending';

/** Says how it begins, and never ends; `closed` when somebody hung up. */
function stream(contentType: string, text: string, headers: Record<string, string> = {}) {
  const state = { closed: false };
  upstream.answer = (_, response) => {
    response.on('close', () => {
      state.closed = true;
    });
    response.writeHead(200, { 'content-type': contentType, ...headers });
    response.write(text);
  };
  return state;
}

const get = (changes: Parameters<typeof endpoint>[1] = {}) =>
  run(endpoint(upstream.origin, { limits: SHORT, ...changes }));

describe('an answer that is cut at the deadline', () => {
  test('whole events of a stream come as a list, and the connection is closed', async () => {
    const state = stream('text/event-stream', 'event: tick\ndata: {"n":1}\n\ndata: two\n\ndata: hal');
    const answer = await get();
    expect(answer.ok).toBe(true);
    expect(textOf(answer)).toBe(`[{"event":"tick","data":{"n":1}},"two"]\n${TIME}`);
    await until(() => state.closed);
  });

  test('events of any line ends are whole', async () => {
    stream('text/event-stream', 'data: 1\r\n\r\ndata: 2\r\n\r\ndata: 3\r\n');
    expect(textOf(await get())).toBe(`[1,2]\n${TIME}`);
    stream('text/event-stream', 'data: 1\r\rdata: 2\r');
    expect(textOf(await get())).toBe(`[1]\n${TIME}`);
  });

  test('whole lines of NDJSON come as a list', async () => {
    stream('application/x-ndjson', '{"a":1}\n{"a":2}\n{"a":');
    expect(textOf(await get())).toBe(`[{"a":1},{"a":2}]\n${TIME}`);
  });

  test('lines of JSON that are called JSON, as Docker and Podman do, come as a list', async () => {
    stream('application/json', '{"Type":"container","Action":"start"}\n{"Type":"image"}\n{"Ty');
    expect(textOf(await get())).toBe(`[{"Type":"container","Action":"start"},{"Type":"image"}]\n${TIME}`);
  });

  test('text ends with a line', async () => {
    stream('text/plain', 'line one\nline two\nline thr');
    expect(textOf(await get())).toBe(`line one\nline two\n\n${TIME}`);
  });

  test('text of one line ends between characters', async () => {
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write(Buffer.from('größ').subarray(0, 5));
    };
    expect(textOf(await get())).toBe(`grö\n${TIME}`);
  });

  test('a stream that is compressed is read as far as it came', async () => {
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      const packer = createGzip();
      packer.pipe(response as ServerResponse);
      packer.write('data: {"n":1}\n\ndata: {"n":2}\n\n');
      packer.flush();
    };
    expect(textOf(await get())).toBe(`[{"n":1},{"n":2}]\n${TIME}`);
  });

  test('a stream without any event says so', async () => {
    stream('text/event-stream', ': hello\n');
    expect(textOf(await get())).toBe(`No whole line or event came: ${TIME}`);
  });

  test('fields are selected from the part that arrived', async () => {
    stream('application/x-ndjson', '{"a":1,"b":2}\n{"a":2,"b":3}\n');
    const answer = await get({ response: { pick: ['a'], structured: true } });
    expect(answer).toMatchObject({ ok: true, structured: [{ a: 1 }, { a: 2 }] });
    expect(textOf(answer)).toBe(`[{"a":1},{"a":2}]\n${TIME}`);
  });

  test('a long one is read in a thread, though the time of the call is over', async () => {
    const line = `${JSON.stringify({ text: 'x'.repeat(100) })}\n`;
    stream('application/x-ndjson', line.repeat(4_000));
    const text = textOf(await get());
    expect(text).toMatch(/^\[\{"text":"x+"\},/);
    expect(text).toMatch(/\nshowing \d+ of 4000 items; .*the answer was cut after 0\.4 s/);
  });

  test('after a write the answer says that the request was sent', async () => {
    stream('text/event-stream', 'data: 1\n\n');
    const answer = await get({ method: 'POST', effect: 'write' });
    expect(textOf(answer)).toBe(`[1]\n${TIME}; the request itself was sent, so check before repeating it`);
  });

  test('half a JSON document is a timeout that shows how it began', async () => {
    stream('application/json', '{"items":[{"id":1},');
    await expect(get()).rejects.toMatchObject({
      code: 'TIMEOUT',
      message:
        'get_thing did not answer within 0.4 s.\nThe answer is incomplete, and not a result. It began: {"items":[{"id":1},',
    });
  });

  test('half a picture is a timeout', async () => {
    stream('image/png', '\x89PNG');
    await expect(get()).rejects.toMatchObject({ code: 'TIMEOUT', message: 'get_thing did not answer within 0.4 s.' });
  });

  test('an error keeps its status', async () => {
    upstream.answer = (_, response) => {
      response.writeHead(503, { 'content-type': 'application/json' });
      response.write('{"message":"over');
    };
    expect(await get()).toMatchObject({ status: 503, ok: false, problem: { body: '{"message":"over' } });
  });

  test('a caller who leaves gets nothing, and the connection is closed', async () => {
    const state = stream('text/event-stream', 'data: 1\n\n');
    const controller = new AbortController();
    const pending = run(endpoint(upstream.origin), {}, { signal: controller.signal });
    const failure = expect(pending).rejects.toMatchObject({ code: 'CANCELLED' });
    await until(() => upstream.seen.length > 0);
    controller.abort();
    await failure;
    await until(() => state.closed);
  });
});

describe('an answer that is cut at the byte limit', () => {
  const limits = { timeoutMs: 30_000, maxResponseBytes: 1_000 };
  const SIZE = 'the answer was cut after 1000 bytes, the size limit; there was more';
  const line = `${'x'.repeat(99)}\n`;

  test.each([true, false])('text ends with a line (length announced: %s)', async (announced) => {
    const body = line.repeat(50);
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', ...(announced && { 'content-length': body.length }) });
      response.end(body);
    };
    expect(textOf(await get({ limits }))).toBe(`${line.repeat(10)}\n${SIZE}`);
  });

  test('endless events are read up to the limit, and the connection is closed', async () => {
    let isClosed = false;
    upstream.answer = (_, response) => {
      response.on('close', () => {
        isClosed = true;
      });
      response.on('error', () => {});
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = () => {
        while (!response.destroyed && response.write('data: {"n":1}\n\n'));
      };
      response.on('drain', more);
      more();
    };
    const text = textOf(await get({ limits }));
    expect(text.split('\n')).toEqual([`[${Array.from({ length: 66 }, () => '{"n":1}').join(',')}]`, SIZE]);
    await until(() => isClosed);
  });

  test('compressed answers count by their expanded size', async () => {
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/csv', 'content-encoding': 'gzip' });
      response.end(gzipSync(line.repeat(1_000)));
    };
    expect(textOf(await get({ limits }))).toBe(`${line.repeat(10)}\n${SIZE}`);
  });

  test('a JSON document is refused, and says how to ask for less', async () => {
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(Array.from({ length: 500 }, (_value, id) => ({ id }))));
    };
    await expect(get({ limits })).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringMatching(/Ask for less: .*\n.* It began: \[\{"id":0\},/s),
    });
  });

  test('a file is refused with the way to save it', async () => {
    upstream.answer = (_, response) => response.setHeader('content-type', 'application/zip').end(Buffer.alloc(2_000));
    await expect(get({ limits })).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringContaining('"landbridge call" with --output <file> saves it'),
    });
  });
});

describe('an API that closes the connection early', () => {
  const broken = (type: string, text: string) =>
    startRaw((socket) => {
      socket.once('data', () => {
        const size = Buffer.byteLength(text).toString(16);
        socket.end(
          `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n${size}\r\n${text}\r\n`,
        );
      });
    });

  test('in a stream: the part that arrived is an answer', async () => {
    const { origin } = await broken('text/event-stream', 'data: 1\n\ndata: 2\n\n');
    expect(textOf(await run(endpoint(origin)))).toBe(
      '[1,2]\nthe API closed the connection in the middle of its answer',
    );
  });

  test('in a text: it is a failure', async () => {
    const { origin } = await broken('text/plain', 'one\ntwo\n');
    await expect(run(endpoint(origin))).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
  });
});

describe('a cut answer shows no half of a secret', () => {
  const secret = 'a-secret-of-some-length';
  const half = secret.slice(0, 14);
  async function outcome(changes: Parameters<typeof endpoint>[1] = {}): Promise<string> {
    const executor = createExecutor({ redact: createRedactor([secret]) });
    try {
      const answer = await executor
        .compile(endpoint(upstream.origin, { limits: SHORT, ...changes }))
        .run(contextOf(), {});
      return JSON.stringify(answer);
    } catch (error) {
      return (error as Error).message;
    } finally {
      await executor.close();
    }
  }

  test('if the beginning that is shown ends in it', async () => {
    stream('application/json', `{"x":"${'y'.repeat(585)}${secret}${'z'.repeat(100)}`);
    const message = await outcome();
    expect(message).toContain('It began: {"x":"yyy');
    expect(message).not.toContain('a-se');
  });

  test.each([half, 'a\\u002dsecret\\u00', 'a%2Dsecret%2'])('if the document ends in it, as %s', async (part) => {
    stream('application/json', `{"x":"${part}`);
    expect(await outcome()).toMatch(/It began: \{"x":"\[redacted\]$/);
  });

  test.each(['text/plain', 'text/html'])('if %s ends in it at the deadline', async (type) => {
    stream(type, `key ${half}`);
    const text = await outcome();
    expect(text).toContain(`key [redacted]`);
    expect(text).toContain('the answer was cut after 0.4 s');
  });

  test('if text read in a thread ends in it at the byte limit', async () => {
    const size = 200_000;
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.end(`${' '.repeat(size - 14)}${secret} and more`);
    };
    const limits = { timeoutMs: 30_000, maxResponseBytes: size };
    const text = (await outcome({ limits, response: { maxChars: 2 * size } })).slice(-200);
    expect(text).toContain('   [redacted]');
    expect(text).toContain('the answer was cut after 200000 bytes');
  });

  test('if an error ends in it', async () => {
    upstream.answer = (_, response) => {
      response.writeHead(503, { 'content-type': 'application/json' });
      response.write(`{"message":"${half}`);
    };
    const text = await outcome();
    expect(text).toContain('"status":503');
    expect(text).toContain('[redacted]');
    expect(text).not.toContain('a-se');
  });

  test('if the name of a file is cut in it', async () => {
    upstream.answer = (_, response) => {
      const name = `${'n'.repeat(110)}${secret}.bin`;
      response.writeHead(200, {
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${name}"`,
      });
      response.end(Buffer.from([0, 1, 2, 3]));
    };
    const text = await outcome();
    expect(text).toContain('nnn');
    expect(text).not.toContain('a-se');
  });

  test('and a file that contains it is described, not passed on', async () => {
    const bytes = Buffer.concat([Buffer.from([0, 0xff, 1]), Buffer.from(secret), Buffer.from([0, 0xfe])]);
    for (const type of ['application/zip', 'image/png', 'audio/mpeg', 'application/octet-stream']) {
      upstream.answer = (_, response) => response.setHeader('content-type', type).end(bytes);
      const text = await outcome();
      expect(text).toContain('Its bytes contain a credential of the gateway');
      expect(text).not.toContain(bytes.toString('base64'));
      expect(text).not.toMatch(/"(?:blob|data)"/);
    }
  });
});

test('an answer of which only white space came shows no beginning', async () => {
  stream('application/json', ' \n  ');
  await expect(get()).rejects.toMatchObject({ code: 'TIMEOUT', message: 'get_thing did not answer within 0.4 s.' });
});
