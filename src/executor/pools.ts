// The only file that imports undici. Sockets are pooled by origin and connection settings, so that two domains with different
// certificates or proxies never share one.
import { createRequire } from 'node:module';
import type { Dispatcher, Pool } from 'undici';
import type { ProxyServer, UpstreamConnection } from '../endpoint/model.ts';
import { dial, planRoute } from '../network/dial.ts';
import type { ProxyRules } from '../network/proxy-rules.ts';
import { createPublicLookup } from '../network/public-lookup.ts';
import type { WireRequest } from './request/build-request.ts';

export interface PoolOptions {
  /** Replaces the pools. Called for every request, because nock swaps the global dispatcher. */
  readonly dispatcher?: (origin: string) => Dispatcher;
  /** Sockets per origin; null: no limit. */
  readonly connections?: number | null;
  /** The proxies of the environment. */
  readonly proxies?: ProxyRules;
}

/** Where a request is dispatched. */
interface PoolEntry {
  readonly dispatcher: Dispatcher;
  /** Set if a proxy forwards requests instead of opening a tunnel: it gets the whole URL, and may answer itself. */
  readonly forwardedBy?: ProxyServer;
}

/** The sockets to one origin, and the requests on them. */
export interface PoolLoad {
  readonly origin: string;
  readonly connected: number;
  readonly free: number;
  readonly running: number;
  /** Requests that wait for a socket. */
  readonly pending: number;
}

interface Pools {
  poolFor(request: WireRequest): PoolEntry;
  /** One per pool; several pools may have the same origin. */
  readonly load: readonly PoolLoad[];
  /** Aborts requests in progress. */
  destroy(): void;
  close(): Promise<void>;
}

let library: typeof Pool | undefined;

/**
 * Loaded with the first pool. All of undici includes fetch, WebSocket, caches and mocks: 111 modules, 82 ms and 19 MB. A pool alone
 * needs 25 modules, 27 ms and 10 MB. If a later version has its pool in another file, all of undici is loaded.
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
/** A proxy needs two connections, and often a name look-up. */
const PROXY_TIMEOUT_MS = 10_000;

export function createPools({ dispatcher, connections = 64, proxies }: PoolOptions): Pools {
  const entries = new Map<UpstreamConnection | undefined, Map<string, PoolEntry>>();
  const pools = new Map<Pool, string>();

  function poolFor({ origin, connection, publicOnly = false }: WireRequest): PoolEntry {
    let byOrigin = entries.get(connection);
    if (byOrigin === undefined) {
      byOrigin = new Map();
      entries.set(connection, byOrigin);
    }
    const key = publicOnly ? `public ${origin}` : origin;
    let entry = byOrigin.get(key);
    if (entry === undefined) {
      entry = createEntry(origin, connection, publicOnly);
      byOrigin.set(key, entry);
    }
    return entry;
  }

  function createEntry(origin: string, connection: UpstreamConnection | undefined, publicOnly: boolean): PoolEntry {
    const way = planRoute(origin, { connection, proxies, publicOnly, timeoutMs: PROXY_TIMEOUT_MS });
    const { proxy, tls } = way;
    const timeout = { timeout: CONNECT_TIMEOUT_MS };
    if (proxy === undefined)
      return toEntry(origin, { ...timeout, ...tls, ...(publicOnly && { lookup: createPublicLookup() }) });
    // Proxies rarely allow CONNECT to a port without TLS. An origin that a document chose still needs a tunnel, to the address that
    // was checked.
    if (origin.startsWith('http:') && !publicOnly)
      return toEntry(proxy.url, { ...timeout, rejectUnauthorized: true, minVersion: 'TLSv1.2' }, proxy);
    return toEntry(origin, (_, callback) => {
      dial(way).then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      );
    });
  }

  function toEntry(
    origin: string,
    connect: NonNullable<Pool.Options['connect']>,
    forwardedBy?: ProxyServer,
  ): PoolEntry {
    library ??= loadPool();
    const pool = new library(origin, {
      connections,
      pipelining: 1,
      connect,
      // send.ts has an exact deadline for each request; undici's own timers tick about once a second.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    pools.set(pool, origin);
    return forwardedBy === undefined ? { dispatcher: pool } : { dispatcher: pool, forwardedBy };
  }

  return {
    poolFor: dispatcher === undefined ? poolFor : ({ origin }) => ({ dispatcher: dispatcher(origin) }),
    get load() {
      return [...pools].map(([{ stats }, origin]) => {
        const { connected, free, running, pending } = stats;
        return { origin, connected, free, running, pending };
      });
    },
    destroy() {
      for (const byOrigin of entries.values())
        for (const { dispatcher: pool } of byOrigin.values()) void pool.destroy();
      entries.clear();
    },
    async close() {
      const all = [...entries.values()].flatMap((byOrigin) => [...byOrigin.values()]);
      entries.clear();
      await Promise.all(all.map((entry) => entry.dispatcher.close()));
    },
  };
}
