// What every replica serves: two APIs, and one that may be called rarely.

const ID = { type: 'string', required: true };

export function buildDomains(shopUrl: string, depotUrl: string): Record<string, object> {
  return {
    'shop.yaml': {
      name: 'shop',
      baseUrl: shopUrl,
      timeoutMs: 10_000,
      endpoints: {
        list: { path: '/items', summary: 'Lists items.', args: { limit: { type: 'integer', in: 'query' } } },
        get: { path: '/items/{id}', summary: 'Gets an item.', args: { id: ID } },
        large: { path: '/large', summary: 'Gets all there is.' },
        create: {
          method: 'POST',
          path: '/items',
          summary: 'Makes an item.',
          args: { id: { ...ID, in: 'body' }, name: { ...ID, in: 'body' } },
        },
        delete: { method: 'DELETE', path: '/items/{id}', summary: 'Removes an item.', args: { id: ID } },
      },
    },
    'depot.yaml': {
      name: 'depot',
      baseUrl: depotUrl,
      timeoutMs: 2_000,
      limits: { concurrent: 8, queue: 8, waitSeconds: 1 },
      endpoints: { get: { path: '/things/{id}', summary: 'Gets a thing.', args: { id: ID } } },
    },
    'meter.yaml': {
      name: 'meter',
      baseUrl: depotUrl,
      limits: { rate: `${METERED_PER_HOUR}/hour`, waitSeconds: 0 },
      endpoints: { get: { path: '/things/{id}', summary: 'Gets a thing, seldom.', args: { id: ID } } },
    },
  };
}

export const METERED_PER_HOUR = 30;
