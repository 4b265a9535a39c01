// Which operations share a tool in grouped mode: by tag (by path if there are no tags), reads apart from writes, and
// never more than a model can distinguish. The same endpoints always give the same groups.
import { MAX_TOOL_NAME, toToolName } from '../../endpoint/names.ts';
import { remember } from '../../endpoint/untrusted.ts';
import type { Group } from '../../model/group.ts';
import { groupBy } from '../maps.ts';
import { cutWords } from '../tool-names.ts';
import type { CatalogOperation } from '../tree.ts';

/** Servers written by hand stay within these limits, and models do well with them. */
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

interface GroupDraft {
  readonly labels: Labels;
  readonly members: readonly CatalogOperation[];
}

/** With `everyTag`, an operation with several tags is a member of the group of each tag, unless these are one group. */
export function planGroups(domain: Group, operations: readonly CatalogOperation[], everyTag: boolean): PlannedGroup[] {
  return (['read', 'write'] as const).flatMap((kind) => {
    const members = operations.filter((operation) => isRead(operation) === (kind === 'read'));
    if (members.length === 0) return [];
    const drafts = isOneSubject(domain, members) ? [{ labels: [], members }] : divide(domain, members, everyTag);
    return drafts.map((draft) => ({ domain: domain.name, kind, ...draft }));
  });
}

type OperationFields = Pick<CatalogOperation, 'endpoint' | 'controls'>;

/**
 * A lower bound for the number of groups. First, only the number of operations is used. If the result does not exceed `limit`,
 * operations with more fields than a group may have count as groups of their own. They are searched one by one, until the limit is
 * exceeded, because an operation's request has to be read to know its fields (Stripe: 16 requests instead of 468).
 */
export function minGroupCount(domains: readonly (readonly OperationFields[])[], limit: number): number {
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

/** Whether a domain need not be divided: it is small, and its tags belong together. */
function isOneSubject(domain: Group, members: readonly CatalogOperation[]): boolean {
  if (!fits(members)) return false;
  const tags = [...new Set(members.flatMap((member) => tagsOf(domain, member)))];
  return tags.every((tag) => areRelated(tags.slice(0, 1), [tag]));
}

/** Tags belong together if they begin with the same word: `users` and `user_groups`, `admin_apps` and `admin_teams`. */
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

/** Whether a group has few enough actions and few enough fields. */
function fits(members: readonly CatalogOperation[]): boolean {
  return members.length <= MAX_ACTIONS && fieldsOf(members).size <= MAX_FIELDS;
}

function fieldsOf(members: readonly OperationFields[]): ReadonlySet<string> {
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

function divide(domain: Group, operations: readonly CatalogOperation[], everyTag: boolean): GroupDraft[] {
  const clusters = groupBy(operations, (operation) => labelsOf(domain, operation).slice(0, everyTag ? undefined : 1));
  const drafts = [...clusters].flatMap(([label, members]) => split([label], members, 0));
  const fewer = merge(drafts, (a, b) => {
    if (!areRelated(a, b)) return undefined;
    const labels = union(a, b);
    return `${shortDomain(domain.name)}_${labels.join('_')}_write`.length <= MAX_TOOL_NAME ? labels : undefined;
  });
  // Words of a path were not chosen as subjects, so groups of a single path word are merged.
  const isTagged = operations.some((operation) => tagsOf(domain, operation).length > 0);
  return isTagged ? fewer : mergeSmall(fewer, []);
}

/** Its tags; without any, the first word of the path. */
function labelsOf(domain: Group, operation: CatalogOperation): string[] {
  const tags = tagsOf(domain, operation);
  return tags.length > 0 ? tags : [toToolName(literalSegments(operation.endpoint.path)[0] ?? 'general')];
}

function tagsOf(domain: Group, { tool }: CatalogOperation): string[] {
  return tool.parentGroups.filter((group) => group.parent === domain).map(({ name }) => name);
}

/** A cluster that is too large is divided by the next word of its paths, and finally by order. */
function split(labels: readonly string[], members: readonly CatalogOperation[], level: number): GroupDraft[] {
  if (fits(members) || members.length === 1) return [{ labels, members }];
  const depth = Math.max(...members.map(({ endpoint }) => literalSegments(endpoint.path).length));
  if (level >= depth) return chunk(labels, members);
  const bySegment = groupBy(members, ({ endpoint }) => [literalSegments(endpoint.path)[level] ?? '']);
  if (bySegment.size === 1) return split(labels, members, level + 1);
  const drafts = [...bySegment].flatMap(([segment, some]) => {
    const label = toToolName(segment);
    const isInLabels = segment === '' || labels.includes(label) || labels.at(-1)?.endsWith(label);
    return split(isInLabels ? labels : [...labels, label], some, level + 1);
  });
  // Small groups of the same cluster are merged again.
  const fewer = merge(drafts, (a, b) => {
    const both = union(a, b);
    return both.length <= labels.length + MAX_SUBLABELS ? both : undefined;
  });
  return mergeSmall(fewer, labels);
}

const MAX_SUBLABELS = 3;

function chunk(labels: readonly string[], members: readonly CatalogOperation[]): GroupDraft[] {
  const drafts: GroupDraft[] = [];
  let group: CatalogOperation[] = [];
  for (const member of members) {
    if (group.length > 0 && !fits([...group, member])) {
      drafts.push({ labels, members: group });
      group = [];
    }
    group.push(member);
  }
  return [...drafts, { labels, members: group }];
}

/**
 * Merges groups while they stay within the limits and have a common name. Each group joins the one that shares most of its fields, so
 * that as few fields as possible have to be listed.
 */
function merge(drafts: readonly GroupDraft[], join: (a: Labels, b: Labels) => Labels | undefined): GroupDraft[] {
  // Every pair is compared, so the fields of a group are listed once (Stripe: 75 ms instead of 125, in a profile).
  const results: MergedGroup[] = [];
  for (const { labels: ownLabels, members: ownMembers } of drafts) {
    const own = fieldsOf(ownMembers);
    let best: { place: number; shared: number; labels: Labels; members: GroupDraft['members'] } | undefined;
    for (const [place, { labels: others, members: theirMembers, fields: theirs }] of results.entries()) {
      // Most pairs have no common name, and fields take longer to compare.
      const labels = join(others, ownLabels);
      if (labels === undefined) continue;
      const overlap = countShared(own, theirs);
      if (own.size + theirs.size - overlap > MAX_FIELDS || (best && overlap <= best.shared)) continue;
      const members = union(theirMembers, ownMembers);
      if (members.length <= MAX_ACTIONS) best = { place, shared: overlap, labels, members };
    }
    if (best) results[best.place] = { labels: best.labels, members: best.members, fields: fieldsOf(best.members) };
    else results.push({ labels: ownLabels, members: ownMembers, fields: own });
  }
  return results.map(({ labels, members }) => ({ labels, members }));
}

interface MergedGroup extends GroupDraft {
  readonly fields: ReadonlySet<string>;
}

function countShared(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let count = 0;
  for (const field of some) if (others.has(field)) count++;
  return count;
}

/** Merges the groups with few members under the given labels, even if those are not specific. */
function mergeSmall(drafts: readonly GroupDraft[], labels: Labels): GroupDraft[] {
  const large = drafts.filter((draft) => draft.members.length > MAX_SMALL);
  const small = drafts.filter((draft) => draft.members.length <= MAX_SMALL);
  return [...large, ...merge(small, () => labels)];
}

/** Members of a small group. */
const MAX_SMALL = 5;

function union<Item>(a: readonly Item[], b: readonly Item[]): readonly Item[] {
  return [...new Set([...a, ...b])];
}

/** The words of a path: no variables, no version, no `api`. */
export function literalSegments(path: string): string[] {
  return path
    .split('/')
    .filter((segment) => segment !== '' && !segment.includes('{') && !/^(?:v\d+(?:\.\d+)*|api|rest)$/i.test(segment));
}
