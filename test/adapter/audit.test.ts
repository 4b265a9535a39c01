// The audit trail of a whole gateway: one line per call, built from the sealed context alone.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Middleware } from '../../src/call/handler.ts';
import type { Exposure } from '../../src/catalog/registry.ts';
import type { GatewayOptions, Service } from '../../src/gateway.ts';
import { type Line, openLogged } from '../support/logged-gateway.ts';
import { legacy, modern } from '../support/mcp.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

useRealHttp();

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    if (url === '/pets/99') response.socket?.destroy();
    else response.setHeader('content-type', 'application/json').end('{"id":7}');
  });
});
afterAll(() => upstream.close());

function open(options: Partial<GatewayOptions> = {}) {
  const { request, ...opened } = openLogged(upstream.url, options);
  const call = async (name: string, args: object) => {
    const { result } = await request('tools/call', { name, arguments: args });
    return result as unknown as { structuredContent?: Line; isError?: boolean };
  };
  return { ...opened, call };
}

describe('the audit trail', () => {
  test('names the tool, the action and the operation in every exposure', async () => {
    const flat = open();
    await flat.call('pets_get', { id: 7 });
    const grouped = open({ exposure: 'grouped' });
    const tool = [...grouped.gateway.registry.tools.values()].find(({ operations }) =>
      operations.some(({ endpoint }) => endpoint.toolName === 'pets_get'),
    )!;
    const { enum: actions } = (tool.tool.inputSchema as { properties: { action: { enum: string[] } } }).properties
      .action;
    const action = actions.find((name) => /get/.test(name))!;
    await grouped.call(tool.tool.name, { action, id: 7 });
    const search = open({ exposure: 'search' });
    await search.call('call_operation', { operation: 'pets_get', arguments: { id: 7 } });
    const operation = flat.calls()[0]?.operation;
    expect(operation).toMatch(/^pets\./);
    expect([flat, grouped, search].map(({ calls }) => calls()[0])).toMatchObject([
      { tool: 'pets_get', operation, outcome: 'ok', status: 200 },
      { tool: tool.tool.name, action, operation, outcome: 'ok', status: 200 },
      { tool: 'call_operation', action: 'pets_get', operation, outcome: 'ok', status: 200 },
    ]);
    // Controls, discriminator and wrapping are not part of what was asked.
    expect(new Set([flat, grouped, search].map(({ calls }) => calls()[0]?.args)).size).toBe(1);
  });

  test('has the same digest of the arguments for a refusal and its confirmed repeat', async () => {
    const { call, calls } = open();
    const { confirmation_token } = (await call('pets_delete', { id: 7 })).structuredContent as Line;
    await call('pets_delete', { id: 7, confirmation_token });
    const [refused, repeated] = calls();
    expect([refused?.failureMode, repeated?.outcome]).toEqual(['not_confirmed', 'ok']);
    expect(repeated?.args).toBe(refused?.args);
  });

  test('keeps the upstream request of a call that got no answer, or whose answer middleware replaced', async () => {
    const swallow: Middleware = async (_context, _args, next) => {
      await next().catch(() => {});
      return { content: [{ type: 'text', text: 'never mind' }], isError: false };
    };
    const plain = open();
    await plain.call('pets_get', { id: 99 });
    expect(plain.calls()[0]).toMatchObject({ failureMode: 'unreachable', upstream: `GET ${upstream.url}/pets/99` });
    const swallowed = open({ middleware: [swallow] });
    await swallowed.call('pets_get', { id: 99 });
    expect(swallowed.calls()[0]).toMatchObject({ outcome: 'ok', upstream: `GET ${upstream.url}/pets/99` });
  });

  test('has the same record for an error of middleware in every exposure: a failed tool', async () => {
    const broken: Middleware = async () => {
      throw new TypeError('no such column');
    };
    const modes = [
      ['tools', 'pets_get', { id: 7 }],
      ['search', 'call_operation', { operation: 'pets_get', arguments: { id: 7 } }],
    ] as const;
    for (const [exposure, name, args] of modes) {
      const { call, lines } = open({ exposure, middleware: [broken] });
      expect(await call(name, args)).toMatchObject({
        isError: true,
        structuredContent: { failure_mode: 'handler_failed', message: expect.stringContaining('no such column') },
      });
      expect(lines.map(({ msg }) => msg)).toContain('a handler failed');
    }
  });

  test('records that nothing was sent if middleware changed confirmed arguments', async () => {
    const other: Middleware = (_context, args, next) => next({ ...args, id: 8 });
    const { call } = open({ middleware: [other] });
    const before = upstream.seen.length;
    const { confirmation_token } = (await call('pets_delete', { id: 7 })).structuredContent as Line;
    expect(await call('pets_delete', { id: 7, confirmation_token })).toMatchObject({
      isError: true,
      structuredContent: { failure_mode: 'not_confirmed' },
    });
    expect(upstream.seen.length).toBe(before);
    expect(await call('pets_get', { id: 7 })).not.toHaveProperty('isError');
    expect(upstream.seen.at(-1)?.url).toBe('/pets/8');
  });

  test('names clients that introduced themselves, with their revision', async () => {
    const { gateway, lines } = open();
    const clientInfo = { name: 'inspector', version: '1.2' };
    await gateway.handle(legacy(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }));
    await gateway.handle(modern(2, 'server/discover', { _meta: { 'io.modelcontextprotocol/clientInfo': clientInfo } }));
    expect(lines.filter(({ msg }) => msg === 'client')).toMatchObject([
      { method: 'initialize', version: '2025-06-18', client: clientInfo, transport: 'local', principal: 'local' },
      { method: 'server/discover', version: '2026-07-28', client: clientInfo },
    ]);
  });
});

describe('the record of a call that the caller may not see', () => {
  const reader = { transport: 'http' as const, principal: { id: 'key:reader', effects: ['read'] as const } };
  const profiles = { lists: { include: ['pets.list'] } };

  test.each<Exposure>(['tools', 'grouped', 'search'])(
    'is answered as unknown, and recorded as denied (%s)',
    async (mode) => {
      const { gateway, calls } = open({ exposure: mode, profiles });
      const ask = async (service: Service, name: string, args: object = {}) =>
        (await service.handle(modern(1, 'tools/call', { name, arguments: args }), reader))!.body;
      const { tools, operations } = gateway.registry;
      const deleting = operations.find(({ name }) => name === 'pets_delete')!;
      const { tool, pickOf } = [...tools.values()].find((entry) => entry.operations.includes(deleting))!;
      const part = gateway.serviceOf('', ['read'])!;
      expect(await ask(part, tool.name, pickOf?.(deleting))).not.toMatch(/denied|effects/);
      await ask(part, 'pets_nothing');
      await ask(gateway.serviceOf('lists')!, 'pets_delete');
      expect(calls()).toMatchObject([
        { operation: 'pets.delete', effect: 'destructive', denied: 'the effects of this caller: read' },
        { outcome: 'error' },
        { operation: 'pets.delete', effect: 'destructive', denied: 'the profile lists does not have it' },
      ]);
      expect(calls()[1]).not.toHaveProperty('denied');
      await gateway.close();
    },
  );

  test('does not say `denied` for a name that does not exist, nor for what the caller may call', async () => {
    const { gateway, calls } = open();
    const part = gateway.serviceOf('', ['read'])!;
    for (const name of ['pets_nothing', 'pets_list', 'pets_get'])
      await part.handle(modern(1, 'tools/call', { name, arguments: {} }), reader);
    expect(calls().map(({ denied }) => denied)).toEqual([undefined, undefined, undefined]);
    await gateway.close();
  });
});
