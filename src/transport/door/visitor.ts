// Where a request really comes from, and which Host it was sent to. Anybody can write `Forwarded` (RFC 7239) and `X-Forwarded-*`
// headers: they count only if the connection comes from a trusted proxy, and only the entries that trusted proxies added, at the
// right end.
import type { IncomingMessage } from 'node:http';
import { compileRanges, parseAddress, plainAddress } from './addresses.ts';

export interface Visitor {
  /** Undefined when the connection is gone already. */
  readonly address: string | undefined;
  readonly host: string | undefined;
  /** Why the headers of a trusted proxy cannot be used. */
  readonly problem?: string;
}

export type VisitorOf = (request: IncomingMessage) => Visitor;

/** Limit of proxies in a row; entries further left are ignored. */
const MAX_HOPS = 32;
const UNREADABLE = 'the Forwarded header cannot be read.';
const DISAGREE =
  'Forwarded and X-Forwarded-* contradict each other. Configure the proxy to remove the one that it does not set itself.';

export function createVisitorOf(trustedProxies: readonly string[] = []): VisitorOf {
  if (trustedProxies.length === 0) return ({ socket, headers }) => ({ address: addressOf(socket), host: headers.host });
  const isTrusted = compileRanges(trustedProxies);
  return ({ socket, headers }) => {
    const address = addressOf(socket);
    const peer: Visitor = { address, host: headers.host };
    if (address === undefined || !isTrusted(address)) return peer;
    const byName = readXForwarded(headers, address, isTrusted);
    const hops = readForwarded(textOf(headers.forwarded));
    if (hops === undefined) return { ...peer, problem: UNREADABLE };
    const byElement = hops.length === 0 ? {} : readHops(hops, address, isTrusted);
    if (differ(byName.address, byElement.address) || differ(byName.host, byElement.host))
      return { ...peer, problem: DISAGREE };
    return {
      address: byName.address ?? byElement.address ?? address,
      host: byName.host ?? byElement.host ?? peer.host,
    };
  };
}

export function addressOf({ remoteAddress }: { readonly remoteAddress?: string | undefined }): string | undefined {
  return remoteAddress === undefined ? undefined : plainAddress(remoteAddress);
}

type IsTrusted = (address: string) => boolean;

/** What the headers of one kind say; undefined where they are silent. */
interface Said {
  readonly address?: string | undefined;
  readonly host?: string | undefined;
}

function differ(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && one.toLowerCase() !== other.toLowerCase();
}

function textOf(header: string | string[] | undefined): string {
  return Array.isArray(header) ? header.join(', ') : (header ?? '');
}

/** The last items of a list, in their order. */
function lastItems(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '').slice(-MAX_HOPS);
}

/** From the right to the first hop that is not our proxy; `depth` is the number of entries that trusted proxies wrote. */
function walk(addresses: readonly (string | undefined)[], peer: string, isTrusted: IsTrusted) {
  let address = peer;
  let depth = 0;
  while (depth < addresses.length && isTrusted(address)) {
    const next = addresses[addresses.length - 1 - depth++];
    // A hidden or invalid entry: only the nearest proxy is certain.
    if (next === undefined) break;
    address = next;
  }
  return { address, depth };
}

function readXForwarded(headers: IncomingMessage['headers'], peer: string, isTrusted: IsTrusted): Said {
  const hops = lastItems(textOf(headers['x-forwarded-for'])).map(parseAddress);
  const hosts = lastItems(textOf(headers['x-forwarded-host']));
  const { address, depth } = walk(hops, peer, isTrusted);
  // A proxy adds to both lists, or sets the Host once and for all.
  const host = hosts[Math.max(0, hosts.length - Math.max(1, depth))];
  return { ...(hops.length > 0 && { address }), host };
}

type Hop = ReadonlyMap<string, string>;

function readHops(hops: readonly Hop[], peer: string, isTrusted: IsTrusted): Said {
  const addresses = hops.map((hop) => parseAddress(hop.get('for') ?? ''));
  const { address, depth } = walk(addresses, peer, isTrusted);
  const host = hops.slice(hops.length - depth).find((hop) => hop.has('host'));
  return { address, host: host?.get('host') };
}

const PAIR = /[ \t]*([!#$%&'*+.^_`|~0-9a-z-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;=]+))[ \t]*(;|,|$)/iy;

/** The last elements of `Forwarded`; undefined where any of it cannot be read. */
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
