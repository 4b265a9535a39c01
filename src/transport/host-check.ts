// Which Host names are served. This protects against DNS rebinding, with which a web page reaches this gateway under its own name.
import { networkInterfaces } from 'node:os';
import { isLoopback } from '../endpoint/address.ts';
import { usageError } from '../errors.ts';
import { plainAddress } from './client-address.ts';

export interface HostOptions {
  /** The address the server is bound to. */
  readonly host: string;
  /** Host names that are served, in addition to loopback names on a loopback bind. */
  readonly allowedHosts: readonly string[];
  /** Where clients reach this gateway: its host is served as well. */
  readonly publicUrl?: string | undefined;
}

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;
/** The addresses of a machine change while it runs; reading them costs as much as a small call. */
const REFRESH_MS = 5_000;

/** Names other than those of loopback must be configured, even if the server listens on all addresses. */
export function createHostCheck({ host, allowedHosts, publicUrl }: HostOptions): (name: string | undefined) => boolean {
  const names = new Set(allowedHosts.map(parseAllowedHost));
  if (publicUrl !== undefined) names.add(nameOf(new URL(publicUrl).host)!);
  const isLocal = isLoopback(host);
  const isNamed = names.size > 0;
  const isOwnAddress = createOwnAddressCheck();
  return (header) => {
    const name = nameOf(header);
    if (name === undefined) return false;
    if (names.has(name)) return true;
    if (isLocal) return isLoopback(name);
    // Without configured names, the addresses of this machine are served: unlike a name, an address cannot be rebound.
    return !isNamed && (isLoopback(name) || isOwnAddress(name));
  };
}

/** The name in a Host header, without its port and in one spelling. */
function nameOf(host: string | undefined): string | undefined {
  const name = host === undefined ? undefined : HOST.exec(host)?.[1]?.toLowerCase();
  return name?.startsWith('[') ? plainAddress(name.slice(1, -1)) : name;
}

function parseAllowedHost(text: string): string {
  // Users often write an IPv6 address without its brackets.
  const name = nameOf(text) ?? nameOf(`[${text}]`);
  if (name !== undefined) return name;
  throw usageError(
    `allowedHosts (--allowed-host): "${text}" is not a Host name; write it like mcp.example.com, without https:// and path.`,
  );
}

function createOwnAddressCheck(): (name: string) => boolean {
  let own: ReadonlySet<string> = new Set();
  let refreshAt = 0;
  return (name) => {
    if (own.has(name)) return true;
    if (performance.now() < refreshAt) return false;
    refreshAt = performance.now() + REFRESH_MS;
    const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
    own = new Set(all.map(({ address }) => plainAddress(address)));
    return own.has(name);
  };
}
