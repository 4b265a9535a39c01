// Public tool names: unique in the whole gateway, the same on every start, within what every client accepts.
import { createHash } from 'node:crypto';
import { shortenName } from '../endpoint/conventions/short-name.ts';
import type { Endpoint } from '../endpoint/model.ts';
import { MAX_TOOL_NAME, TOOL_NAME, toToolName } from '../endpoint/names.ts';
import { trimEnd } from '../endpoint/plain-text.ts';
import { groupBy } from './maps.ts';

type Named = Pick<Endpoint, 'id' | 'domain' | 'toolName' | 'source'> & Partial<Pick<Endpoint, 'expose'>>;

/** An endpoint and the name it requests. */
interface Claim {
  readonly endpoint: Named;
  readonly name: string;
  /** It was prefixed with its domain, because another endpoint has the plain name. */
  readonly moved: boolean;
}

/**
 * Endpoint id → public name. Where two domains claim the same name, imported endpoints are prefixed with their domain. So are
 * hand-written ones that clash with each other. What still clashes gets a hash of its id. Endpoints that are only resources keep
 * their names, whatever others are called.
 */
export function assignToolNames(
  endpoints: readonly Named[],
  others: Iterable<string> = [],
): ReadonlyMap<string, string> {
  const reservedNames = new Set(others);
  const claims = claimNames(
    endpoints.filter(({ expose }) => expose !== 'resource'),
    reservedNames,
  );
  const rivals = groupBy(claims, ({ name }) => [name]);
  const names = new Map<string, string>();
  const takenNames = new Set(reservedNames);
  const settle = ({ id }: Named, name: string) => {
    takenNames.add(name);
    names.set(id, name);
  };
  // A prefixed name may equal another endpoint's plain name: the plain one keeps it.
  const isFree = ({ name, moved }: Claim) => !takenNames.has(name) && (!moved || rivals.get(name)?.length === 1);
  const clashes = claims.filter((claim) => {
    if (!isFree(claim)) return true;
    settle(claim.endpoint, claim.name);
    return false;
  });
  for (const { endpoint, name } of clashes) {
    const digest = createHash('sha256').update(endpoint.id).digest('hex');
    let length = 6;
    while (takenNames.has(withSuffix(name, digest.slice(0, length)))) length++;
    settle(endpoint, withSuffix(name, digest.slice(0, length)));
  }
  for (const { id, toolName } of endpoints) if (!names.has(id)) names.set(id, toolName);
  return names;
}

/** Imported and checked names are valid already. */
function toolNameOf({ toolName }: Named): string {
  return TOOL_NAME.test(toolName) ? toolName : toToolName(toolName);
}

/** The plain name if no other endpoint has it, or if this is the only hand-written one; otherwise the prefixed name. */
function claimNames(endpoints: readonly Named[], reservedNames: ReadonlySet<string>): Claim[] {
  const plain = endpoints.map((endpoint) => ({ endpoint, name: toolNameOf(endpoint) }));
  const rivals = groupBy(plain, ({ name }) => [name]);
  return plain.map(({ endpoint, name }) => {
    const others = rivals.get(name) ?? [];
    const isOnlyOwner = isHandWritten(endpoint) && others.filter((rival) => isHandWritten(rival.endpoint)).length === 1;
    const isMoved = reservedNames.has(name) || (others.length > 1 && !isOnlyOwner);
    return { endpoint, name: isMoved ? prefixName(endpoint.domain, name) : name, moved: isMoved };
  });
}

/** `github` + `list_issues` → `github_list_issues`. If that is too long, both are shortened. */
function prefixName(prefix: string, name: string): string {
  const domainName = toToolName(prefix);
  if (name === domainName || name.startsWith(`${domainName}_`)) return name;
  const short = cutWords(domainName, Math.max(MAX_PREFIX, MAX_TOOL_NAME - name.length - 1));
  return `${short}_${shortenName(name.split('_'), MAX_TOOL_NAME - short.length - 1)}`;
}

/** Length of the prefix if the name has to be cut: the rest is needed for what the tool does. */
const MAX_PREFIX = 16;

/** A name cut at the end of a word. */
export function cutWords(name: string, limit: number): string {
  if (name.length <= limit) return name;
  const end = name.lastIndexOf('_', limit);
  return name.slice(0, end > 0 ? end : limit);
}

/** A name with a suffix. Only the name is cut. */
export function withSuffix(name: string, suffix: string): string {
  return `${trimEnd(name.slice(0, MAX_TOOL_NAME - suffix.length - 1), '_')}_${suffix}`;
}

function isHandWritten({ source }: Named): boolean {
  return source.kind !== 'openapi';
}
