// Where a request really comes from, and which Host it was sent to. Anybody can write `Forwarded` (RFC 7239) and `X-Forwarded-*`
// headers. They count only if the connection comes from a trusted proxy, and then only the entries that trusted proxies added, at the
// right end.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { usageError } from '../errors.ts';

export interface RemoteClient {
  /** Undefined if the connection has been closed already. */
  readonly address: string | undefined;
  readonly host: string | undefined;
  /** Why the headers of a trusted proxy cannot be used. */
  readonly problem?: string;
}

export type ClientResolver = (request: IncomingMessage) => RemoteClient;

/** The most proxies in a row; entries further left are ignored. */
const MAX_HOPS = 32;
const UNREADABLE = 'the Forwarded header cannot be read.';
const DISAGREE =
  'Forwarded and X-Forwarded-* contradict each other. Configure the proxy to remove the one that it does not set itself.';

export function createClientResolver(trustedProxies: readonly string[] = []): ClientResolver {
  if (trustedProxies.length === 0) return ({ socket, headers }) => ({ address: addressOf(socket), host: headers.host });
  const isTrusted = compileRanges(trustedProxies);
  return ({ socket, headers }) => {
    const address = addressOf(socket);
    const peer: RemoteClient = { address, host: headers.host };
    if (address === undefined || !isTrusted(address)) return peer;
    const fromList = readXForwarded(headers, address, isTrusted);
    const hops = readForwarded(textOf(headers.forwarded));
    if (hops === undefined) return { ...peer, problem: UNREADABLE };
    const fromElements = hops.length === 0 ? {} : readHops(hops, address, isTrusted);
    if (differ(fromList.address, fromElements.address) || differ(fromList.host, fromElements.host))
      return { ...peer, problem: DISAGREE };
    return {
      address: fromList.address ?? fromElements.address ?? address,
      host: fromList.host ?? fromElements.host ?? peer.host,
    };
  };
}

export function addressOf({ remoteAddress }: { readonly remoteAddress?: string | undefined }): string | undefined {
  return remoteAddress === undefined ? undefined : plainAddress(remoteAddress);
}

type IsTrusted = (address: string) => boolean;

/** The facts from one kind of headers. */
interface ForwardedFacts {
  readonly address?: string | undefined;
  readonly host?: string | undefined;
}

function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one.toLowerCase() !== other.toLowerCase();
}

function textOf(header: string | string[] | undefined): string {
  return Array.isArray(header) ? header.join(', ') : (header ?? '');
}

/** The last items of a comma-separated list, in their order. */
function lastItems(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '').slice(-MAX_HOPS);
}

/** From the right to the first hop that is not a trusted proxy; `depth` is the number of entries that trusted proxies wrote. */
function walkHops(addresses: readonly (string | undefined)[], peer: string, isTrusted: IsTrusted) {
  let address = peer;
  let depth = 0;
  while (depth < addresses.length && isTrusted(address)) {
    const next = addresses[addresses.length - 1 - depth++];
    // An obfuscated or invalid entry: only the nearest proxy is known.
    if (next === undefined) break;
    address = next;
  }
  return { address, depth };
}

function readXForwarded(headers: IncomingMessage['headers'], peer: string, isTrusted: IsTrusted): ForwardedFacts {
  const hops = lastItems(textOf(headers['x-forwarded-for'])).map(parseAddress);
  const hosts = lastItems(textOf(headers['x-forwarded-host']));
  const { address, depth } = walkHops(hops, peer, isTrusted);
  // A proxy either adds to both lists, or sets the Host once.
  const host = hosts[Math.max(0, hosts.length - Math.max(1, depth))];
  return { ...(hops.length > 0 && { address }), host };
}

type Hop = ReadonlyMap<string, string>;

function readHops(hops: readonly Hop[], peer: string, isTrusted: IsTrusted): ForwardedFacts {
  const addresses = hops.map((hop) => parseAddress(hop.get('for') ?? ''));
  const { address, depth } = walkHops(addresses, peer, isTrusted);
  const host = hops.slice(hops.length - depth).find((hop) => hop.has('host'));
  return { address, host: host?.get('host') };
}

const PAIR = /[ \t]*([!#$%&'*+.^_`|~0-9a-z-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;=]+))[ \t]*(;|,|$)/iy;

/** The last elements of `Forwarded`; undefined if any part of it cannot be read. */
function readForwarded(text: string): Hop[] | undefined {
  const hops: Hop[] = [];
  let hop = new Map<string, string>();
  PAIR.lastIndex = 0;
  for (let at = 0; at < text.length; at = PAIR.lastIndex) {
    const pair = PAIR.exec(text);
    if (!pair) return undefined;
    const [, name = '', quote, plain, end] = pair;
    hop.set(name.toLowerCase(), quote?.replace(/\\(.)/g, '$1') ?? plain ?? '');
    if (end === ';') continue;
    hops.push(hop);
    if (hops.length > MAX_HOPS) hops.shift();
    hop = new Map();
  }
  return hop.size > 0 ? undefined : hops;
}

const MAPPED = '::ffff:';
const MAX_ADDRESS_CHARS = 64;
/** With a port, as some proxies write it; an IPv6 address then has brackets. */
const WITH_PORT = /^(?:\[([0-9a-f:.]+)\]|(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}))(?::\d{1,5})?$/i;

/** One spelling for each address: IPv4 inside IPv6 becomes IPv4, and the zone is dropped, since it has a meaning on this machine only. */
export function plainAddress(address: string): string {
  if (address.startsWith(MAPPED) && isIPv4(address.slice(MAPPED.length))) return address.slice(MAPPED.length);
  if (!address.includes(':')) return address;
  const bare = address.split('%', 1)[0]!;
  if (!isIPv6(bare)) return address;
  const short = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const match = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short);
  if (!match) return short;
  const [high, low] = [Number.parseInt(match[1]!, 16), Number.parseInt(match[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The address in a header; undefined if it is not an address. */
function parseAddress(text: string): string | undefined {
  if (text.length > MAX_ADDRESS_CHARS) return undefined;
  const match = WITH_PORT.exec(text);
  const bare = match?.[1] ?? match?.[2] ?? text;
  return isIP(bare) === 0 ? undefined : plainAddress(bare);
}

/** A test whether an address is in one of these addresses and CIDR ranges, of either family. */
function compileRanges(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix, ...rest] = range.split('/');
    const family = isIPv4(network) ? 'ipv4' : 'ipv6';
    const bits = prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix);
    const isRange = isIP(network) !== 0 && rest.length === 0 && (prefix === undefined || /^\d{1,3}$/.test(prefix));
    if (!isRange || bits > (family === 'ipv4' ? 32 : 128))
      throw usageError(
        `trustedProxies (--trusted-proxy): "${range}" is neither an address nor a range such as 10.0.0.0/8 or fd00::/8.`,
      );
    list.addSubnet(network, bits, family);
  }
  return (address) => list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}
