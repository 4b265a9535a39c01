// With thousands of operations, a gateway reads next to nothing of them before one is used.
import { expect, test } from 'vitest';
import type { Endpoint } from '../../src/endpoint/model.ts';
import { createGateway } from '../../src/gateway.ts';
import { aDomain, anEndpoint } from './support.ts';

const LATE = [
  'title',
  'summary',
  'description',
  'args',
  'inputSchema',
  'outputSchema',
  'response',
  'examples',
] as const;

/** A gateway over `count` operations, and which of their fields were read so far. */
function watch(count: number, fieldsOf: (index: number) => number = () => 1) {
  const reads: string[] = [];
  const endpoints = Array.from({ length: count }, (_, index) => {
    const names = Array.from({ length: fieldsOf(index) }, (_, field) => [`field_${index}_${field}`, {}]);
    const endpoint = anEndpoint('a', `op_${index}`, { properties: Object.fromEntries(names) });
    const getters = LATE.map((field): [string, PropertyDescriptor] => [
      field,
      {
        enumerable: true,
        get() {
          reads.push(`${endpoint.action}.${field}`);
          return endpoint[field];
        },
      },
    ]);
    return Object.defineProperties({ ...endpoint }, Object.fromEntries(getters)) as Endpoint;
  });
  const gateway = createGateway({ domains: [aDomain('a', endpoints)] });
  const ask = (method: string, more: object = {}) =>
    gateway.handle({ jsonrpc: '2.0', id: 1, method, params: { ...META, ...more } });
  return { gateway, reads, ask };
}

const META = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};

test('tools/list in search mode reads no operation, and describe_operation reads only the one it describes', async () => {
  const { gateway, reads, ask } = watch(600);
  expect((await ask('tools/list'))?.body).toContain('(600 in all)');
  expect([gateway.registry.exposure, reads]).toEqual(['search', []]);
  const reply = await ask('tools/call', { name: 'describe_operation', arguments: { operation: 'op_7' } });
  expect(reply?.body).toContain('field_7_0');
  expect(new Set(reads.map((read) => read.split('.')[0]))).toEqual(new Set(['op_7']));
});

test('choosing search over grouped tools reads only as many operations as it takes to exceed the limit of groups', async () => {
  const { gateway, reads } = watch(460, (index) => (index < 5 ? 30 : 1));
  expect(gateway.registry.exposure).toBe('search');
  expect([...new Set(reads.map((read) => read.split('.')[0]))]).toEqual(['op_0', 'op_1']);
});
