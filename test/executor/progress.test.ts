import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { arg, endpoint, inBody, run, startUpstream, textOf, type Upstream } from './support.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});

type Reported = [progress: number, total: number | undefined, message: string | undefined];

async function watch(
  call: (progress: (p: number, t?: number, m?: string) => void) => Promise<unknown>,
): Promise<Reported[]> {
  const reported: Reported[] = [];
  await call((progress, total, message) => reported.push([progress, total, message]));
  for (const [index, [progress, total]] of reported.entries()) {
    if (index > 0) expect(progress).toBeGreaterThan((reported[index - 1] as Reported)[0]);
    if (total !== undefined) expect(total).toBeGreaterThanOrEqual(progress);
  }
  return reported;
}

describe('progress', () => {
  test('is not reported for a quick call', async () => {
    upstream.answer = (_, response) => response.end('{}');
    expect(await watch((progress) => run(endpoint(upstream.origin), {}, { progress }))).toEqual([]);
  });

  // The upstream goes on only when the report it waits for has come: no test here depends on how fast anything is.
  test('reports waiting and received bytes, with increasing values', async () => {
    let answer: ServerResponse | undefined;
    upstream.answer = (_, response) => {
      answer = response;
    };
    const reported = await watch((progress) =>
      run(
        endpoint(upstream.origin),
        {},
        {
          progress: (value, total, message = '') => {
            progress(value, total, message);
            if (message === 'waiting for the API (2 s)') {
              answer?.writeHead(200, { 'content-type': 'text/plain', 'content-length': '4096' });
              answer?.write('x'.repeat(2048));
            }
            if (message.startsWith('received')) answer?.end('x'.repeat(2048));
          },
        },
      ),
    );
    expect(reported.map(([, , message]) => message).slice(0, 3)).toEqual([
      'waiting for the API (1 s)',
      'waiting for the API (2 s)',
      'received 2 KB of 4 KB',
    ]);
  });

  test('reports sent bytes of a large body, which arrives complete and with its length', async () => {
    const text = 'abcdefgh'.repeat(1024 * 1024);
    let length: string | undefined;
    let bytes = 0;
    let read = () => {};
    upstream.server.removeAllListeners('request');
    upstream.server.on('request', (request, response) => {
      length = request.headers['content-length'];
      read = () => {
        read = () => {};
        request.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
      };
      request.on('end', () => response.setHeader('content-type', 'text/plain').end('thanks'));
    });
    const target = endpoint(upstream.origin, {
      method: 'POST',
      args: [arg('text', inBody('text'))],
      body: { kind: 'json', mediaType: 'application/json', required: true },
    });
    const reported = await watch(async (progress) => {
      const answer = await run(
        target,
        { text },
        {
          progress: (...report) => {
            progress(...report);
            read();
          },
        },
      );
      expect(textOf(answer)).toBe('thanks');
    });
    const size = text.length + '{"text":""}'.length;
    expect([length, bytes]).toEqual([String(size), size]);
    expect(reported[0]?.[2]).toMatch(/^sent \d+(\.\d)? [KM]B of 8\.0 MB$/);
  });
});
