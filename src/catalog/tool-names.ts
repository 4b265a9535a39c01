// Public tool names: unique in the whole gateway, the same on every start, within what every client accepts.
import { createHash } from 'node:crypto';
import type { Endpoint } from '../endpoint/model.ts';
import { MAX_TOOL_NAME, toToolName } from '../endpoint/names.ts';

type Named = Pick<Endpoint, 'id' | 'domain' | 'toolName' | 'source'>;

/**
 * Endpoint id → public name. Where two domains want the same name, imported ones take their domain's name in front;
 * so do hand-written ones when they clash with each other. What still clashes gets a hash of its id.
 */
export function settleNames(endpoints: readonly Named[], taken: Iterable<string> = []): ReadonlyMap<string, string> {
  const reserved = new Set(taken);
  const claims = endpoints.map((endpoint) => ({ endpoint, name: toToolName(endpoint.toolName) }));
  const wanted = groupBy(claims, ({ name }) => name);
  const first = claims.map(({ endpoint, name }) => {
    const rivals = wanted.get(name) ?? [];
    if (rivals.length === 1 && !reserved.has(name)) return { endpoint, name, moved: false };
    const owners = reserved.has(name) ? 1 : rivals.filter((rival) => isHandWritten(rival.endpoint)).length;
    if (isHandWritten(endpoint) && owners === 1 && !reserved.has(name)) return { endpoint, name, moved: false };
    return { endpoint, name: prefixName(endpoint.domain, name), moved: true };
  });
  // A prefixed name may meet a name that was there before it: the one that did not move keeps it.
  const counts = groupBy(first, ({ name }) => name);
  const settled = new Map<string, string>();
  const used = new Set(reserved);
  const isFree = ({ name, moved }: (typeof first)[number]) =>
    !used.has(name) && (!moved || counts.get(name)?.length === 1);
  const late: typeof first = [];
  for (const claim of first) {
    if (!isFree(claim)) {
      late.push(claim);
      continue;
    }
    used.add(claim.name);
    settled.set(claim.endpoint.id, claim.name);
  }
  for (const { endpoint, name } of late) {
    const digest = createHash('sha256').update(endpoint.id).digest('hex');
    let length = 6;
    while (used.has(withSuffix(name, digest.slice(0, length)))) length++;
    const hashed = withSuffix(name, digest.slice(0, length));
    used.add(hashed);
    settled.set(endpoint.id, hashed);
  }
  return settled;
}

/** `github` + `list_issues` → `github_list_issues`, cut at the end where it is too long. */
export function prefixName(prefix: string, name: string): string {
  const front = toToolName(prefix);
  return name === front || name.startsWith(`${front}_`) ? toToolName(name) : toToolName(`${front}_${name}`);
}

/** A name cut at a word's end. */
export function cutWords(name: string, limit: number): string {
  if (name.length <= limit) return name;
  const end = name.lastIndexOf('_', limit);
  return name.slice(0, end > 0 ? end : limit);
}

/** The suffix always survives: the name gives way. */
export function withSuffix(name: string, suffix: string): string {
  return `${name.slice(0, MAX_TOOL_NAME - suffix.length - 1).replace(/_+$/, '')}_${suffix}`;
}

function isHandWritten({ source }: Named): boolean {
  return source.kind !== 'openapi';
}

function groupBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = key(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}
