// Hints name operations by what can be called, whatever the exposure mode.
import { expect, test } from 'vitest';
import { createUnknownToolError } from '../../src/catalog/operation-lookup.ts';
import { createGateway } from '../../src/gateway.ts';
import { modern } from '../support/mcp.ts';
import { petsDomain } from '../support/pets.ts';

test.each([
  ['grouped', 'Unknown tool: pets_delete. It is an operation: call pets_write with {"action":"delete"}.'],
  [
    'search',
    'Unknown tool: pets_delete. It is an operation: call call_operation with {"operation":"pets_delete","arguments":{}}.',
  ],
] as const)(
  'in %s mode an operation called as a tool is answered with the call that works',
  async (exposure, message) => {
    const gateway = createGateway({ domains: [petsDomain('http://127.0.0.1:1')], exposure });
    const reply = await gateway.handle(modern(1, 'tools/call', { name: 'pets_delete', arguments: {} }));
    await gateway.close();
    expect(JSON.parse(reply!.body)).toMatchObject({ error: { code: -32602, message } });
  },
);

test('the operations are looked through once, however many wrong names are called', async () => {
  const gateway = createGateway({ domains: [petsDomain('http://127.0.0.1:1')], exposure: 'grouped' });
  await gateway.close();
  const { registry } = gateway;
  let looks = 0;
  const operations = registry.operations.map((operation) => ({
    ...operation,
    get qualifiedNames() {
      looks++;
      return operation.qualifiedNames;
    },
  }));
  const refuse = createUnknownToolError({ ...registry, operations });
  expect(looks).toBe(0);
  const names = ['nothing_like_it', 'pets_delete', 'pets.delete', 'another'];
  const refusals = await Promise.all(names.map(refuse));
  expect(refusals.map(({ code }) => code)).toEqual(names.map(() => 'UNKNOWN_TOOL'));
  expect(looks).toBe(operations.length);
});

test.each([
  ['tools', { name: 'pets_list', arguments: {} }, 'pets_list'],
  ['grouped', { name: 'pets_read', arguments: { action: 'list' } }, 'pets_read/list'],
  [
    'search',
    { name: 'call_operation', arguments: { operation: 'pets_list', arguments: {} } },
    'call_operation/pets_list',
  ],
] as const)('in %s mode an operation without a base URL is named as it was called', async (exposure, params, label) => {
  const { endpoints, ...domain } = petsDomain('http://127.0.0.1:1');
  const homeless = { ...domain, endpoints: endpoints.map((endpoint) => ({ ...endpoint, baseUrl: '' })) };
  const gateway = createGateway({ domains: [homeless], exposure });
  const reply = await gateway.handle(modern(1, 'tools/call', params));
  await gateway.close();
  expect(reply!.body).toMatch(/no base URL is known, so there is nowhere to send the call\./i);
  expect(reply!.body).toContain(label);
});
