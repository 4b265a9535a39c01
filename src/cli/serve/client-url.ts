// Addresses of the listeners as URLs.
import type { Config } from '../../config/read-config.ts';
import { isLoopback } from '../../endpoint/address.ts';
import { trimEnd } from '../../endpoint/plain-text.ts';

/** The URL for clients: the public one, or else one that can be called from this machine. */
export function clientUrl({ publicUrl, allowedHosts, host }: Config, bound: string): string {
  if (publicUrl !== undefined) return `${trimEnd(publicUrl, '/')}/mcp`;
  const url = new URL(bound);
  // A wildcard address cannot be called.
  if (allowedHosts[0] !== undefined && !isLoopback(host)) url.hostname = allowedHosts[0].replace(/:\d+$/, '');
  else if (host === '0.0.0.0' || host === '::') url.hostname = '127.0.0.1';
  return url.href;
}

/** An address as it is written in a URL. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
