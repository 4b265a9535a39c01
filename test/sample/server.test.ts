import { connect } from 'node:net';
import { inflateSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type SampleApi, startSampleApi } from '../../sample/server.ts';
import { useRealHttp } from '../support/real-http.ts';

useRealHttp();

let api: SampleApi;
beforeEach(async () => {
  api = await startSampleApi({ now: () => new Date('2026-11-16T12:00:00Z') });
});
afterEach(() => api.close());

const send = (method: string, path: string, body?: unknown, type = 'application/json') =>
  fetch(api.url + path, {
    method,
    ...(body === undefined
      ? {}
      : { body: typeof body === 'string' ? body : JSON.stringify(body), headers: { 'content-type': type } }),
  });
// biome-ignore lint/suspicious/noExplicitAny: answers are read as they come
const json = async (response: Response) => (await response.json()) as Record<string, any>;

describe('the sample API', () => {
  test('starts with the same 24 tasks each time, ten to a page, with links to the others', async () => {
    const first = await send('GET', '/tasks');
    expect((await first.json()) as unknown[]).toHaveLength(10);
    expect(first.headers.get('x-total-count')).toBe('24');
    expect(first.headers.get('link')).toBe(
      `<${api.url}/tasks?page=2&per_page=10>; rel="next", <${api.url}/tasks?page=3&per_page=10>; rel="last"`,
    );
    const last = await send('GET', '/tasks?page=3&status=todo&per_page=5');
    expect(((await last.json()) as unknown[]).length).toBe(2);
    expect(last.headers.get('link')).toContain('status=todo');
    expect(last.headers.get('link')).not.toContain('rel="next"');
  });

  test('following the next links visits every task once', async () => {
    const seen: number[] = [];
    let next: string | undefined = `${api.url}/tasks?per_page=7`;
    while (next !== undefined) {
      const page: Response = await fetch(next);
      seen.push(...((await page.json()) as { id: number }[]).map((task) => task.id));
      next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(Array.from({ length: 24 }, (_, index) => index + 1));
  });

  test('filters and sorts', async () => {
    const urgent = (await (await send('GET', '/tasks?sort=priority&per_page=3')).json()) as { priority: string }[];
    expect(urgent.map((task) => task.priority)).toEqual(['urgent', 'urgent', 'urgent']);
    const due = (await (await send('GET', '/tasks?due_before=2026-11-25&sort=due_on&status=doing')).json()) as {
      id: number;
    }[];
    expect(due.map((task) => task.id)).toEqual([13, 11]);
  });

  test('keeps what is created, changed and deleted', async () => {
    const created = await send('POST', '/tasks', { title: '  Water the plants ', labels: ['home'] });
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(`${api.url}/tasks/25`);
    const task = {
      id: 25,
      title: 'Water the plants',
      description: '',
      status: 'todo',
      priority: 'normal',
      assignee: null,
      labels: ['home'],
      due_on: null,
      created_at: '2026-11-16T12:00:00.000Z',
      updated_at: '2026-11-16T12:00:00.000Z',
    };
    expect(await created.json()).toEqual(task);
    expect(await (await send('PATCH', '/tasks/25', { status: 'done' })).json()).toEqual({ ...task, status: 'done' });
    const gone = await send('DELETE', '/tasks/25');
    expect([gone.status, await gone.text(), gone.headers.get('content-type')]).toEqual([204, '', null]);
    expect((await send('GET', '/tasks/25')).status).toBe(404);
  });

  test('never gives a number twice', async () => {
    await send('POST', '/tasks', { title: 'a' });
    await send('DELETE', '/tasks/25');
    expect(await json(await send('POST', '/tasks', { title: 'b' }))).toMatchObject({ id: 26 });
  });

  test('says field by field what is wrong, as problem+json', async () => {
    const response = await send('POST', '/tasks', { title: 'x', priority: 'extreme', owner: 'me' });
    expect(response.status).toBe(422);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const { errors, title, status } = await json(response);
    expect({ title, status }).toEqual({ title: 'Not valid', status: 422 });
    expect(errors.map((error: { field: string }) => error.field).sort()).toEqual(['owner', 'priority']);
  });

  const refused: [string, string, unknown, string, number][] = [
    ['POST', '/tasks', '{"title":', 'application/json', 400],
    ['POST', '/tasks', 'title=x', 'application/x-www-form-urlencoded', 415],
    ['POST', '/tasks', JSON.stringify({ title: 'x', description: 'y'.repeat(70_000) }), 'application/json', 413],
    ['PUT', '/tasks/1', '{}', 'application/json', 405],
    ['GET', '/nowhere', undefined, '', 404],
    ['GET', '/tasks/1e0', undefined, '', 404],
    ['GET', '/tasks/__proto__', undefined, '', 404],
    ['POST', '/tasks', '{"title":"x","__proto__":{"a":1}}', 'application/json', 422],
  ];
  for (const [method, path, body, type, status] of refused) {
    test(`${method} ${path} ${String(body).slice(0, 30)} is answered ${status}`, async () => {
      const response = await send(method, path, body, type);
      expect(response.status).toBe(status);
      expect(await json(response)).toMatchObject({ status, title: expect.any(String), detail: expect.any(String) });
    });
  }

  test('is full at 1,000 tasks and 100 comments', async () => {
    for (let n = 24; n < 1000; n++) await (await send('POST', '/tasks', { title: 't' })).arrayBuffer();
    expect((await send('POST', '/tasks', { title: 't' })).status).toBe(409);
    for (let n = 0; n < 100; n++)
      await (await send('POST', '/tasks/5/comments', { author: 'a', text: 'b' })).arrayBuffer();
    expect((await send('POST', '/tasks/5/comments', { author: 'a', text: 'b' })).status).toBe(409);
  });

  test('draws a real PNG', async () => {
    const bytes = Buffer.from(await (await send('GET', '/board.png')).arrayBuffer());
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([240, 120]);
    const length = bytes.readUInt32BE(33);
    expect(bytes.subarray(37, 41).toString('latin1')).toBe('IDAT');
    expect(inflateSync(bytes.subarray(41, 41 + length))).toHaveLength(120 * (1 + 240 * 3));
  });

  test('answers HEAD like GET without the body', async () => {
    const head = await send('HEAD', '/tasks/1');
    const get = await send('GET', '/tasks/1');
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
  });

  test('says when to come back', async () => {
    const response = await send('GET', '/diagnostics/error?status=503');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
  });

  test('survives a request line that is no URL', async () => {
    const { hostname, port } = new URL(api.url);
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write('GET //[ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
      );
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect((await send('GET', '/board')).status).toBe(200);
  });

  test('closes while an answer is still waiting', async () => {
    const waiting = send('GET', '/diagnostics/slow?delay_ms=60000').catch((error: Error) => error);
    await send('GET', '/board');
    await api.close();
    expect(await waiting).toBeInstanceOf(Error);
    await expect(send('GET', '/board')).rejects.toThrow();
    api = await startSampleApi();
  });
});
