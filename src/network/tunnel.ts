// A tunnel through a proxy (CONNECT). Errors say that they come from the proxy.

import type { LookupAddress } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIPv6, type Socket } from 'node:net';
import { bareHost, isPrivateHost } from '../endpoint/address.ts';
import type { ProxyServer } from '../endpoint/model.ts';
import { createPublicLookup, PRIVATE_ADDRESS } from './public-lookup.ts';

export const PROXY_FAILURE = 'LANDBRIDGE_PROXY';

/** The proxy failed; the message is a sentence about it that shows no secret. */
class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code = PROXY_FAILURE;
}

/** The error for a proxy that refuses with this status. */
export function proxyRefusal({ url, from, authorization }: ProxyServer, status: number): ProxyError {
  const subject = `the proxy ${url} (${from})`;
  if (status === 407) {
    const fix =
      authorization === undefined
        ? `add the user name and password to ${from}, as http://user:password@host`
        : `check the user name and password in ${from}`;
    return new ProxyError(
      `${subject} ${authorization === undefined ? 'needs' : 'does not accept the'} credentials (407): ${fix}. The API was not called.`,
    );
  }
  if (status === 403)
    return new ProxyError(
      `${subject} does not allow connections to it (403). Ask the operator of the proxy, or add the host to NO_PROXY if it can be reached directly.`,
    );
  return new ProxyError(
    `${subject} could not make the connection (${status}). Check the host and port of the base URL.`,
  );
}

/** The error for a proxy that cannot be reached. */
export function proxyUnreachable({ url, from }: ProxyServer, code: string): ProxyError {
  const why = code === 'ECONNREFUSED' ? 'nothing listens there' : code === 'ENOTFOUND' ? 'no such host' : code;
  return new ProxyError(`the proxy ${url} cannot be reached (${why}). Check ${from}; the API was not called.`);
}

/** A socket to `hostname:port` through the proxy. With `publicOnly`, the proxy gets a checked address, never the name. */
export async function openTunnel(
  proxy: ProxyServer,
  { hostname, port }: { readonly hostname: string; readonly port: number },
  { timeoutMs, publicOnly = false }: { readonly timeoutMs: number; readonly publicOnly?: boolean },
): Promise<Socket> {
  const bare = bareHost(hostname);
  const host = publicOnly ? await publicAddress(bare) : bare;
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const { protocol, hostname: proxyHost, port: proxyPort } = new URL(proxy.url);
  const isSecure = protocol === 'https:';
  return new Promise((resolve, reject) => {
    const request = (isSecure ? httpsRequest : httpRequest)({
      host: bareHost(proxyHost),
      port: Number(proxyPort) || (isSecure ? 443 : 80),
      method: 'CONNECT',
      path: authority,
      headers: {
        host: authority,
        ...(proxy.authorization !== undefined && { 'proxy-authorization': proxy.authorization }),
      },
      agent: false,
      ...(isSecure && { rejectUnauthorized: true, minVersion: 'TLSv1.2' as const }),
    });
    const timer = setTimeout(() => request.destroy(new Error('no answer in time')), timeoutMs);
    const fail = (error: ProxyError) => {
      clearTimeout(timer);
      reject(error);
    };
    request.on('connect', ({ statusCode = 0 }: IncomingMessage, socket: Socket, head: Buffer) => {
      if (statusCode < 200 || statusCode >= 300) {
        socket.destroy();
        fail(proxyRefusal(proxy, statusCode));
        return;
      }
      clearTimeout(timer);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.on('error', (error: NodeJS.ErrnoException) => fail(proxyUnreachable(proxy, error.code ?? error.message)));
    request.end();
  });
}

/** A public address of the host. The proxy gets the address: it might resolve the name to a private one. */
function publicAddress(hostname: string): Promise<string> {
  return new Promise((resolve, reject) => {
    if (isPrivateHost(hostname)) {
      reject(Object.assign(new Error('private address'), { code: PRIVATE_ADDRESS }));
      return;
    }
    createPublicLookup()(hostname, {}, (error, address: string | LookupAddress[]) => {
      if (error) reject(error);
      else resolve(String(address));
    });
  });
}
