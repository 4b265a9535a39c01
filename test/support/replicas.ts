// Several gateways of one deployment in this process, each with its own server, and in front of them a proxy that gives every
// request to the next one: nothing is sticky. What they share goes through a real Redis, or through a primary as workers do.
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway.ts';
import { createPrimaryState } from '../../src/state/primary-state.ts';
import { openRedisState } from '../../src/state/redis-state.ts';
import type { SharedState } from '../../src/state/shared-state.ts';
import { openWorkerState } from '../../src/state/worker-state.ts';
import { serveHttp } from './mcp.ts';
import { connectState } from './state-channels.ts';

export interface Replica {
  readonly gateway: Gateway;
  readonly state: SharedState;
  /** Its own address, past the proxy. */
  readonly url: string;
}

export interface Replicas {
  /** Of the proxy. */
  readonly url: string;
  readonly all: readonly Replica[];
  close(): Promise<void>;
}

export const SECRET = Buffer.from('a secret that replicas share, long enough');

/** `redis`: its URL; absent: as workers. */
export async function startReplicas(
  count: number,
  options: GatewayOptions,
  redis?: string,
  identify?: Parameters<typeof serveHttp>[1],
): Promise<Replicas> {
  const states = await openStates(count, redis);
  const all = await Promise.all(
    states.map(async (state) => {
      const gateway = createGateway({ secret: SECRET, exposure: 'tools', ...options, state });
      const server = await serveHttp(gateway, identify);
      return { gateway, state, server, url: server.url };
    }),
  );
  const proxy = await startProxy(all.map(({ url }) => url));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`,
    all,
    async close() {
      proxy.closeAllConnections();
      proxy.close();
      for (const { gateway, state, server } of all) {
        await server.close(0);
        await gateway.close();
        state.close();
      }
    },
  };
}

function openStates(count: number, redis: string | undefined): Promise<SharedState[]> {
  const primary = createPrimaryState({ workers: count });
  return Promise.all(
    Array.from({ length: count }, () => {
      // Patient: a busy machine is not to be taken for a Redis that is away.
      if (redis !== undefined)
        return openRedisState({
          url: redis.includes('?') ? redis : `${redis}?timeoutMs=2000`,
          secret: SECRET,
          onChange: () => {},
          onWarning: () => {},
        });
      const pair = connectState();
      primary.attach(pair.primary);
      return openWorkerState({ channel: pair.worker });
    }),
  );
}

/** Every request goes to the next server, whoever sends it and over whichever connection. */
function startProxy(targets: readonly string[]): Promise<Server> {
  let turn = 0;
  const server = createServer((request, response) => {
    const { method, headers } = request;
    const onward = httpRequest(targets[turn++ % targets.length]!, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
