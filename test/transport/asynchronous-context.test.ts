// Requests that arrive in one turn of the event loop are handled together; what an application keeps for each of them
// (AsyncLocalStorage) is still its own, before the API was asked and after.

import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { createGateway, type Middleware, serveHttp } from '../../src/index.ts';
import { legacy } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';
import { openRaw, rawPost } from '../support/raw.ts';
import { useRealHttp } from '../support/real-http.ts';
import { startUpstream } from '../support/upstream.ts';

useRealHttp();

test('every call runs in the context of its own request, however many come at once', async () => {
  const callers = Array.from({ length: 20 }, (_, index) => `caller-${index}`);
  // Nobody is answered before all have asked, so that the answers come at once as well.
  const owed: (() => void)[] = [];
  const upstream = await startUpstream((_, response) => {
    owed.push(() => response.end('[]'));
    if (owed.length === callers.length) for (const answer of owed) answer();
  });
  const caller = new AsyncLocalStorage<string>();
  const contexts: unknown[] = [];
  const note: Middleware = async ({ principal }, _args, next) => {
    const before = caller.getStore();
    const outcome = await next();
    contexts.push([principal.id, before, caller.getStore()]);
    return outcome;
  };
  const gateway = createGateway({ domains: [petsDomain(upstream.url)], exposure: 'tools', middleware: [note] });
  const server = await serveHttp(gateway, {
    port: 0,
    identify: ({ headers }) => {
      const id = String(headers['x-caller']);
      caller.enterWith(id);
      return { principal: { id } };
    },
  });
  try {
    const clients = await Promise.all(callers.map(() => openRaw(server.port)));
    const ask = async (body: string, answer: string) => {
      for (const [index, { socket }] of clients.entries()) socket.write(rawPost(body, { 'x-caller': callers[index]! }));
      await Promise.all(clients.map(({ wait }) => wait((text) => text.includes(answer))));
    };
    // Connections are accepted one per turn: only once all of them are open, their requests come at once.
    await ask(JSON.stringify(legacy('ping', 'ping')), '"id":"ping"');
    await ask(JSON.stringify(legacy('call', 'tools/call', { name: 'pets_list' })), '"id":"call"');
    for (const { socket } of clients) socket.destroy();
  } finally {
    await server.close(0);
    await gateway.close();
    await upstream.close();
  }
  expect(contexts.sort()).toEqual(callers.map((id) => [id, id, id]).sort());
});
