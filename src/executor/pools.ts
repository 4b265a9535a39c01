// The only door to undici: sockets, pooled by origin and connection, so that two domains with different certificates never share
// one, nor a proxy's.
import { createRequire } from 'node:module';
import type { Dispatcher, Pool } from 'undici';
import type { Connection, ProxyServer } from '../endpoint/model.ts';
import { dial, planWay } from '../network/dial.ts';
import type { ProxyRules } from '../network/proxy-rules.ts';
import { createPublicLookup } from '../network/public-lookup.ts';
import type { WireRequest } from './request/build-request.ts';

export interface PoolOptions {
  /** Replaces the pools; asked at every call, because nock swaps the global dispatcher. */
  readonly dispatcher?: (origin: string) => Dispatcher;
  /** Sockets per origin; null: as many as there are calls. */
  readonly connections?: number | null;
  /** What the environment says of proxies. */
  readonly proxies?: ProxyRules;
}

/** Where a request is handed in. */
export interface Outlet {
  readonly dispatcher: Dispatcher;
  /** Set if a proxy forwards the request instead of opening a tunnel: it gets the whole URL, and its answers are its own. */
  readonly forwardedBy?: ProxyServer;
}

/** The sockets to one origin, and what they carry. */
export interface PoolLoad {
  readonly origin: string;
  readonly connected: number;
  readonly free: number;
  readonly running: number;
  /** Requests that wait for a socket. */
  readonly pending: number;
}

export interface Pools {
  outletFor(request: WireRequest): Outlet;
  /** Of each pool; several may lead to one origin. */
  readonly load: readonly PoolLoad[];
  /** Cuts what is under way. */
  destroy(): void;
  close(): Promise<void>;
}

let library: typeof Pool | undefined;

/**
 * Loaded with the first pool. All of undici includes fetch, WebSocket, caches and mocks: 111 modules, 82 ms and 19 MB, of which a
 * pool needs 25 modules, 27 ms and 10 MB. If a later version has its pool in another file, all of undici is loaded.
 */
function loadPool(): typeof Pool {
  const require = createRequire(import.meta.url);
  try {
    return require('undici/lib/dispatcher/pool.js') as typeof Pool;
  } catch {
    return (require('undici') as { Pool: typeof Pool }).Pool;
  }
}

const CONNECT_TIMEOUT_MS = 3_000;
/** Through a proxy there are two connections to make, and often a name to look up. */
const PROXY_TIMEOUT_MS = 10_000;

export function createPools({ dispatcher, connections = 64, proxies }: PoolOptions): Pools {
  const outlets = new Map<Connection | undefined, Map<string, Outlet>>();
  const pools = new Map<Pool, string>();

  function outletFor({ origin, connection, publicOnly = false }: WireRequest): Outlet {
    let byOrigin = outlets.get(connection);
    if (byOrigin === undefined) {
      byOrigin = new Map();
      outlets.set(connection, byOrigin);
    }
    const key = publicOnly ? `public ${origin}` : origin;
    let outlet = byOrigin.get(key);
    if (outlet === undefined) {
      outlet = createOutlet(origin, connection, publicOnly);
      byOrigin.set(key, outlet);
    }
    return outlet;
  }

  function createOutlet(origin: string, connection: Connection | undefined, publicOnly: boolean): Outlet {
    const way = planWay(origin, { connection, proxies, publicOnly, timeoutMs: PROXY_TIMEOUT_MS });
    const { proxy, tls } = way;
    const timeout = { timeout: CONNECT_TIMEOUT_MS };
    if (proxy === undefined)
      return toOutlet(origin, { ...timeout, ...tls, ...(publicOnly && { lookup: createPublicLookup() }) });
    // Proxies rarely allow CONNECT to a port without TLS. An address chosen by a document still needs a tunnel, to an address we
    // checked.
    if (origin.startsWith('http:') && !publicOnly)
      return toOutlet(proxy.url, { ...timeout, rejectUnauthorized: true, minVersion: 'TLSv1.2' }, proxy);
    return toOutlet(origin, (_, callback) => {
      dial(way).then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      );
    });
  }

  function toOutlet(origin: string, connect: NonNullable<Pool.Options['connect']>, forwardedBy?: ProxyServer): Outlet {
    library ??= loadPool();
    const pool = new library(origin, {
      connections,
      pipelining: 1,
      connect,
      // The deadline of the call is ours and exact; undici's own timers tick about once a second.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    pools.set(pool, origin);
    return forwardedBy === undefined ? { dispatcher: pool } : { dispatcher: pool, forwardedBy };
  }

  return {
    outletFor: dispatcher === undefined ? outletFor : ({ origin }) => ({ dispatcher: dispatcher(origin) }),
    get load() {
      return [...pools].map(([{ stats }, origin]) => {
        const { connected, free, running, pending } = stats;
        return { origin, connected, free, running, pending };
      });
    },
    destroy() {
      for (const byOrigin of outlets.values())
        for (const { dispatcher: pool } of byOrigin.values()) void pool.destroy();
      outlets.clear();
    },
    async close() {
      const all = [...outlets.values()].flatMap((byOrigin) => [...byOrigin.values()]);
      outlets.clear();
      await Promise.all(all.map((outlet) => outlet.dispatcher.close()));
    },
  };
}
