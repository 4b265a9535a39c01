// Which Host names are served: what keeps a web page from reaching this gateway under a name of its own (DNS rebinding).
import { networkInterfaces } from 'node:os';
import { isLoopback } from '../../endpoint/address.ts';
import { usageError } from '../../errors.ts';
import { plainAddress } from './addresses.ts';

export interface HostOptions {
  /** What the server is bound to. */
  readonly host: string;
  /** Host names that are served, besides loopback ones on a loopback bind. */
  readonly allowedHosts: readonly string[];
  /** Where clients reach this gateway: its host is served as well. */
  readonly publicUrl?: string | undefined;
}

const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i;
/** Addresses of a machine change while it runs; asking for them costs as much as a small call. */
const LOOK_AGAIN_MS = 5_000;

/** Names other than those of loopback must be configured, even if the server listens on all addresses. */
export function createHostCheck({ host, allowedHosts, publicUrl }: HostOptions): (name: string | undefined) => boolean {
  const names = new Set(allowedHosts.map(parseAllowedHost));
  if (publicUrl !== undefined) names.add(nameOf(new URL(publicUrl).host)!);
  const isLocal = isLoopback(host);
  const isNamed = names.size > 0;
  const isOwnAddress = createOwnAddresses();
  return (header) => {
    const name = nameOf(header);
    if (name === undefined) return false;
    if (names.has(name)) return true;
    if (isLocal) return isLoopback(name);
    // Without configured names, addresses of this machine are served: unlike a name, an address cannot be made to point
    // elsewhere.
    return !isNamed && (isLoopback(name) || isOwnAddress(name));
  };
}

/** A Host header without its port, in one way of writing. */
function nameOf(host: string | undefined): string | undefined {
  const name = host === undefined ? undefined : HOST.exec(host)?.[1]?.toLowerCase();
  return name?.startsWith('[') ? plainAddress(name.slice(1, -1)) : name;
}

function parseAllowedHost(text: string): string {
  // An IPv6 address is easily written without its brackets.
  const name = nameOf(text) ?? nameOf(`[${text}]`);
  if (name !== undefined) return name;
  throw usageError(
    `allowedHosts (--allowed-host): "${text}" is not a Host name; write it like mcp.example.com, without https:// and path.`,
  );
}

function createOwnAddresses(): (name: string) => boolean {
  let own: ReadonlySet<string> = new Set();
  let lookAgainAt = 0;
  return (name) => {
    if (own.has(name)) return true;
    if (performance.now() < lookAgainAt) return false;
    lookAgainAt = performance.now() + LOOK_AGAIN_MS;
    const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
    own = new Set(all.map(({ address }) => plainAddress(address)));
    return own.has(name);
  };
}
