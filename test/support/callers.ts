// A gateway over HTTP whose callers are known by their token, as a door would know them that has verified it.
import type { Principal } from '../../src/call/caller.ts';
import { buildDomain } from '../../src/domain/definition/build-domain.ts';
import type { DomainDefinition } from '../../src/domain/definition/definition-types.ts';
import type { Domain } from '../../src/endpoint/model.ts';
import { createGateway, type GatewayOptions } from '../../src/gateway.ts';
import { serveHttp } from '../../src/transport/serve-http.ts';
import { headersOf, modern, post, type Rpc } from './mcp.ts';

export interface Shop {
  readonly origin: string;
  /** Calls a tool as the caller of this token; '' is nobody. */
  call(token: string, tool?: string, args?: object, headers?: Record<string, string>): Promise<Called>;
  close(): Promise<void>;
}

export interface Called {
  readonly isError: boolean;
  readonly text: string;
  readonly mode: unknown;
}

/** A caller of an authorization server. */
export function caller(sub: string, token: string, claims: Record<string, unknown> = {}): Principal {
  return { id: `https://id.test|${sub}`, claims: { iss: 'https://id.test', sub, ...claims }, token: () => token };
}

export function shopDomain(baseUrl: string, more: Partial<DomainDefinition>, env = {}): Domain {
  return buildDomain(
    {
      name: 'shop',
      baseUrl,
      endpoints: {
        get_order: { path: '/order', summary: 'Gets an order.' },
        create_order: { method: 'POST', path: '/order', summary: 'Creates an order.' },
      },
      ...more,
    },
    { env },
  );
}

export async function openShop(
  domains: readonly Domain[],
  callers: Readonly<Record<string, Principal>>,
  options: Partial<GatewayOptions> = {},
): Promise<Shop> {
  const gateway = createGateway({ domains, exposure: 'tools', ...options });
  const server = await serveHttp(gateway, {
    port: 0,
    identify: ({ headers }) => ({
      principal: callers[headers.authorization?.replace(/^Bearer /, '') ?? ''] ?? { id: 'anonymous' },
    }),
  });
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    origin,
    async call(token, tool = 'shop_get_order', args = {}, headers = {}) {
      const message = modern(1, 'tools/call', { name: tool, arguments: args });
      const { body } = await post(`${origin}/mcp`, JSON.stringify(message), {
        ...headersOf(message),
        accept: 'application/json',
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...headers,
      });
      const { result, error } = JSON.parse(body) as Rpc;
      const content = (result?.content ?? []) as { text: string }[];
      const structured = result?.structuredContent as { failure_mode?: unknown } | undefined;
      return {
        isError: result?.isError === true || error !== undefined,
        text: error?.message ?? content.map(({ text }) => text).join('\n'),
        mode: structured?.failure_mode,
      };
    },
    async close() {
      await server.close(0);
      await gateway.close();
    },
  };
}
