// Outbound contracts: what leaves for an API we do not run, seen through nock on the global dispatcher.
import nock from 'nock';
import { getGlobalDispatcher } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';
import { createExecutor } from '../../src/executor/executor.ts';
import { contextOf } from '../support/context.ts';
import { arg, endpoint, inBody, inHeader, inPath, inQuery, textOf } from './support.ts';

const executor = createExecutor({ dispatcher: () => getGlobalDispatcher() });
const signal = () => new AbortController().signal;

afterEach(() => {
  expect(nock.isDone()).toBe(true);
  nock.cleanAll();
});

describe('through an injected dispatcher', () => {
  test('a read: path, query, headers', async () => {
    nock('https://api.pets.test', {
      reqheaders: { accept: 'application/json', 'x-trace': 'abc', 'user-agent': 'landbridge' },
    })
      .get('/v2/pets/a%2Fb')
      .query({ limit: '2', tag: ['x', 'y'] })
      .reply(200, { name: 'Rex' });
    const target = executor.compile(
      endpoint('https://api.pets.test/v2', {
        path: '/pets/{id}',
        args: [
          arg('id', inPath('id')),
          arg('limit', inQuery('limit')),
          arg('tag', inQuery('tag')),
          arg('trace', inHeader('X-Trace')),
        ],
        response: { accept: 'application/json' },
      }),
    );
    const context = contextOf({ tool: 'get_pet', signal: signal() });
    const answer = await target.run(context, { id: 'a/b', limit: 2, tag: ['x', 'y'], trace: 'abc' });
    expect(textOf(answer)).toBe('{"name":"Rex"}');
    expect(context.journal.upstream?.url).toBe('https://api.pets.test/v2/pets/a%2Fb');
  });

  test('a write: body and credential', async () => {
    nock('https://api.pets.test', { reqheaders: { authorization: 'Bearer tok-1', 'content-type': 'application/json' } })
      .post('/pets', { name: 'Rex', owner: { id: 7 } })
      .reply(201, '', { location: '/pets/9' });
    const target = executor.compile(
      endpoint('https://api.pets.test', {
        method: 'POST',
        path: '/pets',
        args: [arg('name', inBody('name')), arg('owner_id', inBody('owner', 'id'))],
        body: { kind: 'json', mediaType: 'application/json', required: true },
        security: [[{ kind: 'bearer', name: 'b', secret: { variable: 'TOKEN', value: 'tok-1' } }]],
      }),
    );
    const answer = await target.run(contextOf({ tool: 'create_pet', signal: signal() }), { name: 'Rex', owner_id: 7 });
    expect(answer).toMatchObject({
      status: 201,
      ok: true,
      content: [{ type: 'text', text: 'OK (201)\nlocation: /pets/9' }],
    });
  });

  test('a form body, an error answer, and a failing network', async () => {
    nock('https://api.pets.test')
      .post('/form', 'a=1&b=x%20y')
      .reply(422, { title: 'no' }, { 'content-type': 'application/problem+json' });
    nock('https://api.pets.test')
      .get('/things')
      .replyWithError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
    const form = executor.compile(
      endpoint('https://api.pets.test', {
        method: 'POST',
        path: '/form',
        args: [arg('a', inBody('a')), arg('b', inBody('b'))],
        body: { kind: 'form', mediaType: 'application/x-www-form-urlencoded', required: true },
      }),
    );
    expect(await form.run(contextOf({ tool: 'form', signal: signal() }), { a: 1, b: 'x y' })).toMatchObject({
      status: 422,
      problem: { title: 'no' },
    });
    await expect(
      executor.compile(endpoint('https://api.pets.test')).run(contextOf({ tool: 'get_thing', signal: signal() }), {}),
    ).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });

  test('a call that is cancelled while the answer is delayed', async () => {
    nock('https://api.pets.test').get('/things').delay(300).reply(200, {});
    const leave = new AbortController();
    const call = executor
      .compile(endpoint('https://api.pets.test'))
      .run(contextOf({ tool: 'get_thing', signal: leave.signal }), {});
    setTimeout(() => leave.abort(), 20);
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});
