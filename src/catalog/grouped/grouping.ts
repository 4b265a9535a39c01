// Which operations share a tool in grouped mode: by tag (by path where there are no tags), reads apart from writes, and
// never more than a model can keep apart. The same endpoints always give the same groups.
import { MAX_TOOL_NAME, toToolName } from '../../endpoint/names.ts';
import { remember } from '../../endpoint/untrusted.ts';
import type { Group } from '../../model/group.ts';
import { groupBy } from '../maps.ts';
import { cutWords } from '../tool-names.ts';
import type { CatalogOperation } from '../tree.ts';

/** Curated servers stay within these, and models do well with them. */
const MAX_ACTIONS = 12;
const MAX_FIELDS = 25;

export interface PlannedGroup {
  readonly domain: string;
  readonly kind: 'read' | 'write';
  /** What the operations are about: tags or path segments. Empty when it is the whole domain. */
  readonly labels: readonly string[];
  readonly members: readonly CatalogOperation[];
}

type Labels = readonly string[];

interface Part {
  readonly labels: Labels;
  readonly members: readonly CatalogOperation[];
}

/** With `everyTag`, an operation with several tags is a member of a part for each of them, unless they share one. */
export function planGroups(domain: Group, operations: readonly CatalogOperation[], everyTag: boolean): PlannedGroup[] {
  return (['read', 'write'] as const).flatMap((kind) => {
    const members = operations.filter((operation) => isRead(operation) === (kind === 'read'));
    if (members.length === 0) return [];
    const parts = isOneSubject(domain, members) ? [{ labels: [], members }] : planParts(domain, members, everyTag);
    return parts.map((part) => ({ domain: domain.name, kind, ...part }));
  });
}

type Fielded = Pick<CatalogOperation, 'endpoint' | 'controls'>;

/**
 * At least so many groups come of these domains, whatever they are about; counted no further than beyond `limit`. By the number of
 * operations, if that is enough; otherwise those with more fields than a group may have, which stand alone, are searched for one
 * by one, because to know the fields of an operation is to read its request (Stripe: 16 requests instead of 468).
 */
export function leastGroups(domains: readonly (readonly Fielded[])[], limit: number): number {
  // Bodies have the most fields, so writes come first.
  const kinds = domains.flatMap((operations) => [operations.filter((one) => !isRead(one)), operations.filter(isRead)]);
  let least = kinds.reduce((sum, { length }) => sum + Math.ceil(length / MAX_ACTIONS), 0);
  for (const operations of kinds) {
    let rest = operations.length;
    for (const operation of operations) {
      if (least > limit) return least;
      if (fieldsOf([operation]).size <= MAX_FIELDS) continue;
      least += 1 + Math.ceil((rest - 1) / MAX_ACTIONS) - Math.ceil(rest / MAX_ACTIONS);
      rest--;
    }
  }
  return least;
}

function isRead({ endpoint }: Pick<CatalogOperation, 'endpoint'>): boolean {
  return endpoint.effect === 'read';
}

/** A domain that needs no dividing: small, and its tags, if it has several, go together. */
function isOneSubject(domain: Group, members: readonly CatalogOperation[]): boolean {
  if (!fits(members)) return false;
  const tags = [...new Set(members.flatMap((member) => tagsOf(domain, member)))];
  return tags.every((tag) => areRelated(tags.slice(0, 1), [tag]));
}

/** Tags go together when they begin with the same word: `users` and `user_groups`, `admin_apps` and `admin_teams`. */
function areRelated(a: Labels, b: Labels): boolean {
  const first = a[0] ?? b[0];
  if (first === undefined) return true;
  const root = rootOf(first);
  const isRelated = (label: string) => rootOf(label) === root;
  return a.every(isRelated) && b.every(isRelated);
}

/** Bound of the cache; labels are compared pair by pair. */
const MAX_LABELS = 4_000;
const rootOf = remember(MAX_LABELS, (label) => label.split('_', 1)[0]!.replace(/s$/, ''));

/** Within the caps: few enough actions, few enough fields. */
function fits(members: readonly CatalogOperation[]): boolean {
  return members.length <= MAX_ACTIONS && fieldsOf(members).size <= MAX_FIELDS;
}

function fieldsOf(members: readonly Fielded[]): ReadonlySet<string> {
  const fields = new Set<string>();
  for (const { endpoint, controls } of members) {
    for (const { key, readOnly } of endpoint.args) if (!readOnly) fields.add(key);
    for (const key of Object.keys(controls)) fields.add(key);
  }
  return fields;
}

/** A domain's name, shortened to leave room for the other parts of a tool's name. */
export function shortDomain(name: string): string {
  return cutWords(toToolName(name), MAX_DOMAIN);
}

const MAX_DOMAIN = 16;

function planParts(domain: Group, operations: readonly CatalogOperation[], everyTag: boolean): Part[] {
  const clusters = groupBy(operations, (operation) => labelsOf(domain, operation).slice(0, everyTag ? undefined : 1));
  const parts = [...clusters].flatMap(([label, members]) => split([label], members, 0));
  const fewer = merge(parts, (a, b) => {
    if (!areRelated(a, b)) return undefined;
    const labels = union(a, b);
    return `${shortDomain(domain.name)}_${labels.join('_')}_write`.length <= MAX_TOOL_NAME ? labels : undefined;
  });
  // Words of a path were not chosen as subjects, so groups of a single path word are merged.
  const isTagged = operations.some((operation) => tagsOf(domain, operation).length > 0);
  return isTagged ? fewer : gather(fewer, []);
}

/** Its tags; without any, the first word of the path. */
function labelsOf(domain: Group, operation: CatalogOperation): string[] {
  const tags = tagsOf(domain, operation);
  return tags.length > 0 ? tags : [toToolName(literalSegments(operation.endpoint.path)[0] ?? 'general')];
}

function tagsOf(domain: Group, { tool }: CatalogOperation): string[] {
  return tool.parentGroups.filter((group) => group.parent === domain).map(({ name }) => name);
}

/** A cluster that is too large is divided by the next word of its paths, and at last by order. */
function split(labels: readonly string[], members: readonly CatalogOperation[], level: number): Part[] {
  if (fits(members) || members.length === 1) return [{ labels, members }];
  const depth = Math.max(...members.map(({ endpoint }) => literalSegments(endpoint.path).length));
  if (level >= depth) return chunk(labels, members);
  const bySegment = groupBy(members, ({ endpoint }) => [literalSegments(endpoint.path)[level] ?? '']);
  if (bySegment.size === 1) return split(labels, members, level + 1);
  const parts = [...bySegment].flatMap(([segment, some]) => {
    const label = toToolName(segment);
    const isSaid = segment === '' || labels.includes(label) || labels.at(-1)?.endsWith(label);
    return split(isSaid ? labels : [...labels, label], some, level + 1);
  });
  // Small parts of the same cluster are merged again.
  const fewer = merge(parts, (a, b) => {
    const both = union(a, b);
    return both.length <= labels.length + MAX_SUBLABELS ? both : undefined;
  });
  return gather(fewer, labels);
}

const MAX_SUBLABELS = 3;

function chunk(labels: readonly string[], members: readonly CatalogOperation[]): Part[] {
  const parts: Part[] = [];
  let open: CatalogOperation[] = [];
  for (const member of members) {
    if (open.length > 0 && !fits([...open, member])) {
      parts.push({ labels, members: open });
      open = [];
    }
    open.push(member);
  }
  return [...parts, { labels, members: open }];
}

/**
 * Merges parts while they stay within the caps and have a common name. Each part joins the one that shares most of its fields, so
 * that the fewest fields have to be listed.
 */
function merge(parts: readonly Part[], join: (a: Labels, b: Labels) => Labels | undefined): Part[] {
  // Every pair is compared, so the fields of a part are listed once (Stripe: 75 ms instead of 125, in a profile).
  const wholes: FieldedPart[] = [];
  for (const { labels: ownLabels, members: ownMembers } of parts) {
    const own = fieldsOf(ownMembers);
    let best: { place: number; shared: number; labels: Labels; members: Part['members'] } | undefined;
    for (const [place, { labels: others, members: theirMembers, fields: theirs }] of wholes.entries()) {
      // Names tell most pairs apart, and fields take longest to compare.
      const labels = join(others, ownLabels);
      if (labels === undefined) continue;
      const overlap = countShared(own, theirs);
      if (own.size + theirs.size - overlap > MAX_FIELDS || (best && overlap <= best.shared)) continue;
      const members = union(theirMembers, ownMembers);
      if (members.length <= MAX_ACTIONS) best = { place, shared: overlap, labels, members };
    }
    if (best) wholes[best.place] = { labels: best.labels, members: best.members, fields: fieldsOf(best.members) };
    else wholes.push({ labels: ownLabels, members: ownMembers, fields: own });
  }
  return wholes.map(({ labels, members }) => ({ labels, members }));
}

interface FieldedPart extends Part {
  readonly fields: ReadonlySet<string>;
}

function countShared(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let count = 0;
  for (const field of some) if (others.has(field)) count++;
  return count;
}

/** Merges the parts with few members under the given labels, even if those say little. */
function gather(parts: readonly Part[], labels: Labels): Part[] {
  const whole = parts.filter((part) => part.members.length > MAX_CRUMB);
  const crumbs = parts.filter((part) => part.members.length <= MAX_CRUMB);
  return [...whole, ...merge(crumbs, () => labels)];
}

const MAX_CRUMB = 5;

function union<Item>(a: readonly Item[], b: readonly Item[]): readonly Item[] {
  return [...new Set([...a, ...b])];
}

/** The words of a path: no variables, no version, no `api`. */
export function literalSegments(path: string): string[] {
  return path
    .split('/')
    .filter((segment) => segment !== '' && !segment.includes('{') && !/^(?:v\d+(?:\.\d+)*|api|rest)$/i.test(segment));
}
