// A small domain for tests of the whole gateway: one endpoint of each effect, over whatever upstream a test brings.
import { z } from 'zod';
import { buildDomain } from '../../src/domain/definition/build-domain.ts';
import { defineDomain } from '../../src/domain/definition/define-domain.ts';
import type { Domain } from '../../src/endpoint/model.ts';

/** `more` replaces or adds parts of the definition. */
export function petsDomain(baseUrl: string, env: Record<string, string> = {}, more: object = {}): Domain {
  return buildDomain(
    defineDomain({
      name: 'pets',
      title: 'Pets',
      description: 'Pets and what is known about them.',
      baseUrl,
      // Longer than any test may take: what ends sooner was ended by something else.
      timeoutMs: 60_000,
      endpoints: {
        list: {
          method: 'GET',
          path: '/pets',
          summary: 'Lists pets.',
          args: z.object({ limit: z.int().min(1).max(100).optional(), kind: z.enum(['cat', 'dog']).optional() }),
        },
        get: {
          method: 'GET',
          path: '/pets/{id}',
          summary: 'Gets one pet.',
          args: z.object({ id: z.int().min(1) }),
          expose: 'both',
        },
        create: {
          method: 'POST',
          path: '/pets',
          summary: 'Adds a pet.',
          args: z.object({ name: z.string().min(1), kind: z.enum(['cat', 'dog']).optional() }),
        },
        delete: {
          method: 'DELETE',
          path: '/pets/{id}',
          summary: 'Removes a pet.',
          args: z.object({ id: z.int().min(1) }),
        },
      },
      prompts: {
        introduce: {
          description: 'Introduces a pet.',
          arguments: { kind: { required: true, values: ['cat', 'dog'] } },
          messages: [{ role: 'user', text: 'Tell me about a {{kind}}.' }],
        },
      },
      resources: { 'pets://about': { name: 'about', mimeType: 'text/plain', text: 'All about pets.' } },
      ...more,
    } as never),
    { env },
  );
}
