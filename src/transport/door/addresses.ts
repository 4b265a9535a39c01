// Addresses of networks: as a socket or a header writes them, and whether they lie in ranges an operator named.
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { usageError } from '../../errors.ts';

const MAPPED = '::ffff:';
const MAX_CHARS = 64;
/** With a port, as some proxies write it; an IPv6 address then stands in brackets. */
const WITH_PORT = /^(?:\[([0-9a-f:.]+)\]|(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}))(?::\d{1,5})?$/i;

/**
 * One spelling for each address: IPv4 inside IPv6 becomes IPv4, and the zone is dropped, since it only has a meaning on this
 * machine.
 */
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

/** What a header says; undefined where it is no address. */
export function parseAddress(text: string): string | undefined {
  if (text.length > MAX_CHARS) return undefined;
  const match = WITH_PORT.exec(text);
  const bare = match?.[1] ?? match?.[2] ?? text;
  return isIP(bare) === 0 ? undefined : plainAddress(bare);
}

/** Addresses and CIDR ranges of both families, as one test. */
export function compileRanges(ranges: readonly string[]): (address: string) => boolean {
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
