// Opens a socket to an origin: directly or through a proxy, with TLS for https.
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { bareHost } from '../endpoint/address.ts';
import type { Connection, ProxyServer } from '../endpoint/model.ts';
import { chooseProxy, type ProxyRules } from './proxy-rules.ts';
import { type TlsOptions, tlsOptionsFor } from './tls-options.ts';
import { openTunnel } from './tunnel.ts';

export interface Way {
  readonly origin: string;
  readonly tls: TlsOptions;
  readonly proxy: ProxyServer | undefined;
  /** The origin must not lead to a private address. */
  readonly publicOnly: boolean;
  readonly timeoutMs: number;
}

export interface WayOptions {
  readonly connection?: Connection | undefined;
  readonly proxies?: ProxyRules | undefined;
  readonly publicOnly?: boolean | undefined;
  readonly timeoutMs: number;
}

export function planWay(origin: string, { connection, proxies, publicOnly = false, timeoutMs }: WayOptions): Way {
  const proxy = chooseProxy(origin, connection, proxies);
  return { origin, tls: tlsOptionsFor(origin, connection), proxy, publicOnly, timeoutMs };
}

/** A socket that is ready; TLS and its checks are done. */
export async function dial(way: Way): Promise<Socket> {
  const { origin, proxy, timeoutMs, publicOnly } = way;
  const { protocol, hostname, port } = new URL(origin);
  const isSecure = protocol === 'https:';
  const target = { hostname, port: Number(port) || (isSecure ? 443 : 80) };
  const bare = bareHost(hostname);
  const through = proxy && (await openTunnel(proxy, target, { timeoutMs, publicOnly }));
  if (!isSecure) return through ?? ready(connectTcp({ host: bare, port: target.port }), 'connect', timeoutMs);
  const socket = connectTls({
    host: bare,
    port: target.port,
    // A name goes into the hello; an address must not (RFC 6066, 3).
    ...(/^[\d.]+$|:/.test(bare) ? {} : { servername: bare }),
    ...way.tls,
    ...(through && { socket: through }),
    ALPNProtocols: ['http/1.1'],
  });
  return ready(socket, 'secureConnect', timeoutMs);
}

function ready(socket: Socket, event: 'connect' | 'secureConnect', timeoutMs: number): Promise<Socket> {
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
