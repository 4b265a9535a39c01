import { expect, test } from 'vitest';
import { prepareTools } from '../../src/cli/serve/prepare-tools.ts';
import type { Components } from '../../src/cli/serve/serve-process.ts';
import type { Domain, Endpoint } from '../../src/endpoint/model.ts';
import { createGateway, type GatewayOptions } from '../../src/gateway.ts';
import { createSilentLog } from '../../src/log.ts';
import { modern } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';

/** Counts how often the words of an operation are looked at: an index looks once. */
function counted(domain: Domain): { domain: Domain; looks: () => number } {
  let looks = 0;
  const endpoints = domain.endpoints.map((endpoint): Endpoint => {
    const copy = { ...endpoint };
    Object.defineProperty(copy, 'tags', {
      enumerable: true,
      get: () => {
        looks++;
        return endpoint.tags;
      },
    });
    return copy;
  });
  return { domain: { ...domain, endpoints }, looks: () => looks };
}

function open(options: Partial<GatewayOptions>) {
  const { domain, looks } = counted(petsDomain('http://127.0.0.1:1'));
  const gateway = createGateway({ domains: [domain], ...options });
  const prepare = () =>
    prepareTools({ gateway, authorities: undefined, log: createSilentLog() } as unknown as Components);
  return { gateway, looks, prepare };
}

const SEARCH = modern(1, 'tools/call', { name: 'search_operations', arguments: { query: 'list pets' } });

test('the search index is built before the first search', async () => {
  const { gateway, looks, prepare } = open({ exposure: 'search' });
  const atStart = looks();
  await prepare();
  const prepared = looks();
  expect(prepared).toBeGreaterThan(atStart);
  expect((await gateway.handle(SEARCH))!.body).toContain('pets_list(');
  expect(looks()).toBe(prepared);
  await gateway.close();
});

test('search indexes of profiles are built too', async () => {
  const { gateway, looks, prepare } = open({ exposure: 'tools', profiles: { seekers: { exposure: 'search' } } });
  await prepare();
  const prepared = looks();
  const { protocol, handle } = gateway.serviceOf('seekers')!;
  expect(protocol).toBeDefined();
  expect((await handle(SEARCH))!.body).toContain('pets_list(');
  expect(looks()).toBe(prepared);
  await gateway.close();
});

test('without search tools no index is built', async () => {
  const { gateway, looks, prepare } = open({ exposure: 'tools' });
  const atStart = looks();
  await prepare();
  expect(looks()).toBe(atStart);
  await gateway.close();
});

test('a failed preparation is logged and does not end the process', async () => {
  const { gateway } = open({ exposure: 'search' });
  const errors: unknown[] = [];
  const log = { ...createSilentLog(), error: (facts: { err: Error }) => errors.push(facts.err.message) };
  const [entry] = gateway.registry.tools.values();
  const broken = {
    ...gateway,
    serviceOf: () => ({
      registry: { tools: new Map([['x', { ...entry, prepare: () => Promise.reject(new Error('no')) }]]) },
    }),
  };
  await prepareTools({ gateway: broken, authorities: undefined, log } as unknown as Components);
  expect(errors).toEqual(['no']);
  await gateway.close();
});
