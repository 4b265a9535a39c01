// One record per call, about the call that was made: whatever runs inside it, and whatever goes wrong on the way out.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  defineTool,
  type ExecutionContext,
  type Gateway,
  type GatewayOptions,
  GroupedToolBuilder,
  type Middleware,
} from '../../src/index.ts';
import { type Line, openLogged } from '../support/logged-gateway.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ id: 7, name: 'Rex', url })),
  );
});
afterAll(() => upstream.close());

function open(options: Partial<GatewayOptions> = {}) {
  const { request, ...opened } = openLogged(upstream.url, options);
  const call = (name: string, args: object = {}) => request('tools/call', { name, arguments: args });
  return { ...opened, call, request };
}

/** Another tool of the gateway, run inside a call. */
const runInside = (gateway: Gateway, context: ExecutionContext, name: string, args: object) =>
  gateway.registry.tools.get(name)!.run(context, { ...args });

describe('a call made inside another one', () => {
  test('by middleware leaves operation and digest of the outer call in the record', async () => {
    const lookFirst: Middleware = async (context, _args, next) => {
      if (context.operation === 'pets.create') await runInside(inside.gateway, context, 'pets_get', { id: 1 });
      const outcome = await next();
      if (context.operation === 'pets.create') await runInside(inside.gateway, context, 'pets_list', { limit: 2 });
      return outcome;
    };
    const [alone, inside] = [open(), open({ middleware: [lookFirst] })];
    await alone.call('pets_create', { name: 'Rex' });
    await inside.call('pets_create', { name: 'Rex' });
    const [expected] = alone.calls();
    expect(expected).toMatchObject({ tool: 'pets_create', operation: 'pets.create', outcome: 'ok' });
    const { tool, operation, args } = expected as Line;
    expect(inside.calls()).toMatchObject([{ tool, operation, args, outcome: 'ok' }]);
    expect(upstream.seen.slice(-3).map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
  });

  test('by a native tool leaves tool, action and operation of the outer call in the record', async () => {
    const users = new GroupedToolBuilder('users')
      .action({
        name: 'look',
        readOnly: true,
        handler: (context) => runInside(gateway, context, 'notes', { action: 'read' }),
      })
      .toEntry();
    const notes = new GroupedToolBuilder('notes')
      .action({
        name: 'read',
        readOnly: true,
        handler: (context) => runInside(gateway, context, 'pets_get', { id: 1 }),
      })
      .toEntry();
    const { gateway, call, calls } = open({ native: { tools: [users, notes] } });
    expect((await call('users', { action: 'look' })).result).not.toHaveProperty('isError');
    expect(calls()).toMatchObject([{ tool: 'users', action: 'look', operation: 'users.look', outcome: 'ok' }]);
  });

  test('does not get the controls of the outer call', async () => {
    const texts: string[] = [];
    const lookFirst: Middleware = async (context, _args, next) => {
      if (context.operation === 'pets.list') {
        const { content } = await runInside(gateway, context, 'pets_get', { id: 1 });
        texts.push(JSON.stringify(content));
      }
      return next();
    };
    const { gateway, call } = open({ middleware: [lookFirst] });
    expect(JSON.stringify((await call('pets_list', { fields: 'id' })).result)).not.toContain('Rex');
    expect(texts).toEqual([expect.stringContaining('Rex')]);
  });
});

describe('a result that cannot be redacted', () => {
  const broken = () =>
    Object.assign(
      (text: string): string => {
        if (text.includes('told')) throw new TypeError('no redactor');
        return text;
      },
      { addSecret: () => {}, keepSecret: () => {}, secrets: () => [] },
    );
  const native: GatewayOptions['native'] = {
    tools: [defineTool({ name: 'tell', description: 'Tells.', run: () => 'told' })],
    resources: [
      {
        definition: { uri: 'a://b', name: 'b' },
        read: async () => ({ contents: [{ uri: 'a://b', text: 'told' }] }),
      } as never,
    ],
    prompts: [
      {
        definition: { name: 'p' },
        values: {},
        get: async () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'told' } }] }),
      } as never,
    ],
  };

  test.each([
    ['tools/call', { name: 'tell' }],
    ['resources/read', { uri: 'a://b' }],
    ['prompts/get', { name: 'p' }],
  ])('nothing leaves, and %s has one record: an error', async (method, params) => {
    const { request, calls } = open({ redact: broken(), native });
    expect(await request(method, params)).toMatchObject({ error: { code: -32603 } });
    expect(calls()).toMatchObject([{ method, outcome: 'error' }]);
  });
});
