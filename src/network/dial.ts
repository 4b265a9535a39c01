// Opens a socket to an origin: directly or through a proxy, with TLS for https. Certificates are always checked,
// whatever NODE_TLS_REJECT_UNAUTHORIZED says.
import { connect as connectTcp, type Socket } from 'node:net';
import * as tls from 'node:tls';
import { connect as connectTls, createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { bareHost } from '../endpoint/address.ts';
import type { ProxyServer, TlsVersion, UpstreamConnection } from '../endpoint/model.ts';
import { chooseProxy, type ProxyRules } from './proxy-rules.ts';
import { openTunnel } from './tunnel.ts';

/** How an origin is reached. */
export interface Route {
  readonly origin: string;
  readonly tls: RouteTls;
  readonly proxy: ProxyServer | undefined;
  /** The origin must not lead to a private address. */
  readonly publicOnly: boolean;
  readonly timeoutMs: number;
}

interface RouteTls {
  readonly rejectUnauthorized: true;
  readonly minVersion: TlsVersion;
  readonly secureContext?: SecureContext;
  readonly servername?: string;
}

export interface DialOptions {
  readonly connection?: UpstreamConnection | undefined;
  readonly proxies?: ProxyRules | undefined;
  readonly publicOnly?: boolean | undefined;
  readonly timeoutMs: number;
}

const DEFAULT_TLS: RouteTls = Object.freeze({ rejectUnauthorized: true, minVersion: 'TLSv1.2' });

export function planRoute(origin: string, { connection, proxies, publicOnly = false, timeoutMs }: DialOptions): Route {
  const proxy = chooseProxy(origin, connection, proxies);
  return { origin, tls: planTls(origin, connection), proxy, publicOnly, timeoutMs };
}

/** Client certificate and server name are used for the origin of the connection only. */
function planTls(origin: string, connection: UpstreamConnection | undefined): RouteTls {
  if (connection === undefined) return DEFAULT_TLS;
  const { authorities, certificate, minVersion = DEFAULT_TLS.minVersion, serverName } = connection;
  const isOwnOrigin = connection.origin === origin;
  const own = isOwnOrigin ? certificate : undefined;
  const ca = authorities && (isOwnOrigin ? [...authorities] : [...listTrustedAuthorities(), ...authorities]);
  return {
    ...DEFAULT_TLS,
    minVersion,
    // Created once: parsing authorities for every socket would cost milliseconds each.
    ...((ca ?? own) !== undefined && { secureContext: createSecureContext({ ...(ca && { ca }), ...own, minVersion }) }),
    ...(isOwnOrigin && serverName !== undefined && { servername: serverName }),
  };
}

/** Newer Node.js lists all trusted authorities, with NODE_EXTRA_CA_CERTS; older versions only the bundled ones. */
function listTrustedAuthorities(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return getCACertificates?.('default') ?? rootCertificates;
}

/** Returns a connected socket; the TLS handshake and its checks are done. */
export async function dial(route: Route): Promise<Socket> {
  const { origin, proxy, timeoutMs, publicOnly } = route;
  const { protocol, hostname, port } = new URL(origin);
  const isSecure = protocol === 'https:';
  const target = { hostname, port: Number(port) || (isSecure ? 443 : 80) };
  const bare = bareHost(hostname);
  const tunnel = proxy && (await openTunnel(proxy, target, { timeoutMs, publicOnly }));
  if (!isSecure) return tunnel ?? untilReady(connectTcp({ host: bare, port: target.port }), 'connect', timeoutMs);
  const socket = connectTls({
    host: bare,
    port: target.port,
    // SNI carries a name; it must not carry an address (RFC 6066, 3).
    ...(/^[\d.]+$|:/.test(bare) ? {} : { servername: bare }),
    ...route.tls,
    ...(tunnel && { socket: tunnel }),
    ALPNProtocols: ['http/1.1'],
  });
  return untilReady(socket, 'secureConnect', timeoutMs);
}

function untilReady(socket: Socket, event: 'connect' | 'secureConnect', timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const expire = () =>
      socket.destroy(Object.assign(new Error('no connection in time'), { code: 'UND_ERR_CONNECT_TIMEOUT' }));
    const timer = setTimeout(expire, timeoutMs);
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    const close = () => fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    socket.once('error', fail);
    socket.once('close', close);
    socket.once(event, () => {
      clearTimeout(timer);
      socket.off('error', fail);
      socket.off('close', close);
      resolve(socket);
    });
  });
}
