// URLs, hosts and origins: which are this machine, and which are private, so that no document from the network can send a request
// there.
import { BlockList, isIP, isIPv4 } from 'node:net';

const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT, and where some clouds keep their metadata
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 127],
  ['64:ff9b::', 96], // NAT64: contains any IPv4 address
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  PRIVATE.addSubnet(network, prefix, familyOf(network));
}

/** Loopback, link-local, private and reserved addresses; an IPv4 address inside IPv6 is treated as IPv4. */
export function isPrivateAddress(address: string): boolean {
  return isIP(address) !== 0 && PRIVATE.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}

/** A URL's `hostname` without the brackets that URLs put around IPv6 addresses. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** This machine, as an operator, a socket or a URL writes it (a URL with the brackets of IPv6). */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Also every name below localhost, and an IPv4 loopback address inside IPv6, as a URL's `hostname` spells it. */
export function isThisMachine(hostname: string): boolean {
  return isLoopback(hostname) || /^(?:(?:.+\.)?localhost\.?|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/i.test(hostname);
}

/** Whether a URL's `hostname` is such an address, or a name for this machine. Other names are checked when they are resolved. */
export function isPrivateHost(hostname: string): boolean {
  const bare = bareHost(hostname).replace(/\.$/, '');
  return isPrivateAddress(bare) || /(?:^|\.)localhost$/i.test(bare);
}

/** Secrets may be sent over TLS, to this machine, or to the origin of the API itself. */
export function maySeeSecrets({ protocol, hostname, origin }: URL, apiOrigin: string | undefined): boolean {
  if (protocol === 'https:') return true;
  return protocol === 'http:' && (origin === apiOrigin || isLoopback(hostname));
}

/** Whether a source is an http(s) URL, and not a path. */
export function isWebAddress(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/** Whether it is http or https; `file:`, `ftp:` and others cannot be requested over HTTP. */
export function isWebUrl({ protocol }: Pick<URL, 'protocol'>): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

/** The origins of operations, each once; '' for those that have no base URL. */
export function originsOf(endpoints: readonly { readonly baseUrl: string }[]): string[] {
  // Thousands of operations share a handful of base URLs.
  const urls = new Set(endpoints.map(({ baseUrl }) => baseUrl));
  return [...new Set([...urls].map((url) => originOf(url) ?? ''))];
}

/** undefined if it is not a URL: an operation may have no base URL yet. */
export function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}

/** The origin of most operations of an API: credentials of its domain file are sent only there. */
export function homeOrigin(endpoints: readonly { readonly baseUrl: string }[]): string | undefined {
  // Thousands of endpoints share a handful of base URLs; parsing one is the expensive part.
  const countsByUrl = new Map<string, number>();
  for (const { baseUrl } of endpoints) countsByUrl.set(baseUrl, (countsByUrl.get(baseUrl) ?? 0) + 1);
  const counts = new Map<string | undefined, number>();
  for (const [baseUrl, count] of countsByUrl) {
    const origin = originOf(baseUrl);
    counts.set(origin, (counts.get(origin) ?? 0) + count);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}
