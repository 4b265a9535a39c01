// Large answers are read in threads: the same answer as on the main thread, and a failure that stays one call's own.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_RESPONSE, type ResponsePlan } from '../../src/endpoint/model.ts';
import { createRedactor } from '../../src/endpoint/redaction/redact.ts';
import { GatewayError, ToolError } from '../../src/errors.ts';
import { type AnswerJob, AnswerThreads } from '../../src/executor/answer/answer-threads.ts';
import { type Answer, type AnswerInput, compileAnswer } from '../../src/executor/answer/build-answer.ts';
import { createExecutor } from '../../src/executor/executor.ts';
import { contextOf } from '../support/context.ts';
import { arg, endpoint, inQuery, run, startUpstream, textOf, type Upstream } from './support.ts';

const SECRET = 'sk-thread-secret';
const STAYS = { signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY };

/** In memory of its own, as the sender leaves it. */
function ownBuffer(text: string | Buffer): Buffer {
  const bytes = Buffer.from(text);
  const own = Buffer.alloc(bytes.length);
  bytes.copy(own);
  return own;
}

interface JobParts {
  readonly response?: Partial<ResponsePlan>;
  readonly pagination?: AnswerJob['plan']['paging']['pagination'];
  readonly input?: Partial<Omit<AnswerInput, 'raw'>>;
  readonly status?: number;
  readonly headers?: AnswerInput['raw']['headers'];
  readonly body?: string | Buffer;
}

function buildJob({ response, pagination, input, status = 200, headers = {}, body = '{}' }: JobParts): AnswerJob {
  return {
    plan: {
      response: { ...DEFAULT_RESPONSE, ...response },
      paging: { byWireName: new Map([['page', 'page']]), pagination },
    },
    secrets: [SECRET],
    input: {
      method: 'GET',
      isRead: true,
      args: {},
      tool: 'get_thing',
      fields: undefined,
      ...input,
      raw: { status, headers, body: ownBuffer(body) },
    },
  };
}

const settle = (answer: () => Answer | Promise<Answer>): Promise<unknown> =>
  (async () => answer())().catch((error: unknown) => {
    if (!(error instanceof GatewayError)) throw error;
    const { code, message, details } = error;
    return { code, message, details, ...(error instanceof ToolError && { why: error.why }) };
  });

describe('an answer read in a thread', () => {
  const threads = new AnswerThreads();
  afterAll(() => threads.close());

  const text = fc.oneof(
    fc.string(),
    fc.constantFrom(SECRET, '\\u0073k-thread-secret', '\u200b', '12345678901234567890'),
  );
  const value = fc.array(
    fc.record({ id: fc.integer(), name: text, tags: fc.array(text), owner: fc.record({ login: text }) }),
    { maxLength: 40 },
  );
  const body = fc.oneof(
    value.map((rows) => ({ type: 'application/json', text: JSON.stringify({ rows, next_page: 3 }) })),
    value.map((rows) => ({ type: 'application/json', text: `${JSON.stringify(rows)}}` })),
    value.map((rows) => ({ type: 'application/x-ndjson', text: rows.map((row) => JSON.stringify(row)).join('\n') })),
    value.map((rows) => ({ type: 'text/event-stream', text: rows.map((row) => `data: ${row.name}\n\n`).join('') })),
    value.map((rows) => ({ type: 'text/html', text: `<html>${rows.map((row) => `<p>${row.name}</p>`).join('')}` })),
    value.map((rows) => ({ type: 'text/plain; charset=latin1', text: rows.map((row) => row.name).join('\n') })),
    text.map((bytes) => ({ type: 'application/octet-stream', text: bytes })),
  );

  test('is the same as on the main thread', async () => {
    await fc.assert(
      fc.asyncProperty(
        body,
        fc.record({
          status: fc.constantFrom(200, 200, 200, 422, 500),
          fields: fc.constantFrom(undefined, ['rows.id'], ['*'], ['no.such', 'name']),
          response: fc.record(
            {
              format: fc.constantFrom('auto' as const, 'json' as const, 'toon' as const, 'text' as const),
              maxChars: fc.constantFrom(100, 1_000, 20_000),
              structured: fc.boolean(),
              pick: fc.constantFrom([], ['rows.name'], ['rows.*.login']),
              drop: fc.constantFrom([], ['tags'], ['*_id', 'rows.owner']),
            },
            { requiredKeys: [] },
          ),
          pagination: fc.constantFrom(undefined, { kind: 'page' as const, arg: 'page', sizeArg: 'size' }),
          link: fc.constantFrom(undefined, '</x?page=2>; rel="next"'),
        }),
        async (content, { status, fields, response, pagination, link }) => {
          const job = () =>
            buildJob({
              response: response as Partial<ResponsePlan>,
              pagination,
              status,
              headers: { 'content-type': content.type, ...(link !== undefined && { link }) },
              body: content.text,
              input: { fields, args: { page: 1 } },
            });
          const { plan, secrets, input } = job();
          const here = await settle(() => compileAnswer(plan, createRedactor(secrets))(input));
          const there = await settle(() => threads.read(job(), STAYS));
          expect(JSON.stringify(there)).toBe(JSON.stringify(here));
        },
      ),
    );
  });

  test('fails with the same error as on the main thread', async () => {
    const swarm = () => buildJob({ headers: { 'content-type': 'application/json' }, body: '[],'.repeat(1_000_001) });
    const { plan, input } = swarm();
    const there = await settle(() => threads.read(swarm(), STAYS));
    expect(there).toMatchObject({ code: 'TOO_LARGE', why: expect.any(String) });
    expect(there).toEqual(await settle(() => compileAnswer(plan, createRedactor([]))(input)));
  });
});

describe('AnswerThreads', () => {
  const script = new URL('./failing-worker.mjs', import.meta.url);
  const job = (tool: string, body = 'x') => buildJob({ input: { tool, method: 'POST', isRead: false }, body });
  const after = 'The request may have been carried out: check before repeating it.';

  test.each([
    ['dies', `dies: reading the API's answer failed, and it was dropped. ${after}`],
    ['throws', `throws: reading the API's answer failed, and it was dropped. ${after}`],
    ['hangs', `hangs: reading the API's answer took longer than 5 s, so it was dropped. ${after}`],
  ])('a thread that ends (%s) fails its call and is replaced', async (tool, message) => {
    const threads = new AnswerThreads({ script, maxThreads: 1, maxRunMs: 5_000 });
    const first = threads.read(job(tool), STAYS);
    const second = threads.read(job('works'), STAYS);
    await expect(first).rejects.toMatchObject({ code: 'BAD_RESPONSE', message, details: { tool } });
    expect(textOf(await second)).toBe('works');
    await threads.close();
  });

  test('a thread that cannot be started fails its call', async () => {
    const threads = new AnswerThreads({ script: new URL('./no-such-worker.mjs', import.meta.url) });
    await expect(threads.read(job('works'), STAYS)).rejects.toMatchObject({ code: 'BAD_RESPONSE' });
    await threads.close();
  });

  test('a thread that runs out of memory makes the answer too large', async () => {
    const threads = new AnswerThreads({ maxThreads: 1, maxHeapMb: 16 });
    const body = JSON.stringify(Array.from({ length: 300_000 }, (_, id) => ({ id, name: `name ${id}` })));
    const large = buildJob({ headers: { 'content-type': 'application/json' }, body });
    await expect(threads.read(large, STAYS)).rejects.toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringContaining(
        'takes more memory to read than the gateway allows for one answer and was dropped.',
      ),
    });
    expect(textOf(await threads.read(buildJob({ body: '{"a":1}' }), STAYS))).toBe('{"a":1}');
    await threads.close();
  });

  test('an answer is refused if too many others are waiting', async () => {
    const threads = new AnswerThreads({ script, maxThreads: 1, maxWaitingBytes: 10 });
    const running = threads.read(job('is slow'), STAYS);
    const waiting = threads.read(job('waits', 'x'.repeat(20)), STAYS);
    await expect(threads.read(job('refused'), STAYS)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      message: `refused: the gateway reads too many large answers at once, so this one was dropped. ${after}`,
    });
    expect(textOf(await running)).toBe('is slow');
    expect(textOf(await waiting)).toBe('waits');
    await threads.close();
  });

  test('an answer is not read if its caller has left', async () => {
    const threads = new AnswerThreads({ script, maxThreads: 1 });
    const running = threads.read(job('is slow'), STAYS);
    const leaving = new AbortController();
    const left = threads.read(job('never read'), { ...STAYS, signal: leaving.signal });
    leaving.abort();
    expect(textOf(await running)).toBe('is slow');
    await expect(left).rejects.toBeInstanceOf(GatewayError);
    await threads.close();
  });
});

describe('a call with a large answer', () => {
  let upstream: Upstream;
  beforeAll(async () => {
    upstream = await startUpstream();
  });
  const rowsOf = (count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, id) => ({ id, name: `name ${id}`, note: SECRET })));
  const target = () =>
    endpoint(upstream.origin, {
      args: [arg('offset', inQuery('offset'))],
      pagination: { kind: 'offset', arg: 'offset' },
      security: [[{ kind: 'bearer', name: 'key', secret: { variable: 'KEY', value: SECRET } }]],
    });

  test('is read the same way on either side of the size limit for the main thread', async () => {
    const texts: string[] = [];
    for (const bytes of [-1, 0, 1, 1_000_000].map((more) => 128 * 1024 + more)) {
      upstream.answer = (_, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(rowsOf(2_000).padEnd(bytes));
      texts.push(textOf(await run(target(), { offset: 2 }, { controls: { fields: ['id', 'note'] } })));
    }
    expect(texts[0]).toContain('{"id":0,"note":"[redacted]"}');
    expect(texts[0]).toMatch(/\nshowing 635 of 2000 items; next: offset=637$/);
    expect(new Set(texts).size).toBe(1);
  });

  test('is explained if it is an error', async () => {
    upstream.answer = (_, response) =>
      response
        .writeHead(422, { 'content-type': 'application/problem+json' })
        .end(JSON.stringify({ title: 'No', detail: SECRET, more: rowsOf(10_000) }));
    expect(await run(target())).toMatchObject({
      status: 422,
      ok: false,
      problem: { title: 'No', detail: '[redacted]' },
    });
  });

  test('ends when its caller leaves', async () => {
    const leaving = new AbortController();
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(rowsOf(100_000));
      response.on('close', () => leaving.abort());
    };
    const executor = createExecutor();
    const call = executor.compile(target()).run(contextOf({ tool: 'get_thing', signal: leaving.signal }), {});
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    await executor.close();
  });

  test('leaves nothing behind that keeps the process alive', async () => {
    const threads = new URL('../../dist/executor/answer/answer-threads.js', import.meta.url);
    // The interval is what a caller's deadline is: it holds the process only while somebody waits.
    const script = `
      import { AnswerThreads } from '${threads}';
      const caller = setInterval(() => {}, 1_000);
      const threads = new AnswerThreads({ idleMs: 2 ** 30 });
      const answer = await threads.read(
        {
          plan: { response: ${JSON.stringify(DEFAULT_RESPONSE)}, paging: { byWireName: new Map() } },
          secrets: [],
          input: { method: 'GET', args: {}, tool: 't', raw: { status: 200, headers: {}, body: Buffer.alloc(9, 'x') } },
        },
        { signal: new AbortController().signal, deadline: Infinity },
      );
      clearInterval(caller);
      console.log(answer.content[0].text);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    expect(stdout).toBe('xxxxxxxxx\n');
  });
});
