// How the endpoints of each domain become tools. A domain file may set the mode of its domain. All other domains share one mode. `auto`
// chooses the first that has few enough tools and fits the token budget: a tool per endpoint, then grouped tools; otherwise search.

import { once } from '../endpoint/untrusted.ts';
import { refuseUnlistedFields } from '../orchestration/controls.ts';
import { buildActionIndex } from './grouped/action-index.ts';
import { buildGrouped, type GroupedForm, LONGER_FORMS, SHORTEST_FORM } from './grouped/grouped-mode.ts';
import { minGroupCount, planGroups } from './grouped/grouping.ts';
import type { Strategies } from './grouped/strategies.ts';
import { buildDescribe, buildSearch } from './search/search-mode.ts';
import { fitsBudget } from './tokens.ts';
import { createEntry, type ToolEntry } from './tool-entry.ts';
import type { CatalogDomain, CatalogOperation } from './tree.ts';

/** How operations become tools: one tool each, one per group, or three tools that find, describe and call them. */
export type Exposure = 'tools' | 'grouped' | 'search';

/** With more tools, models choose worse. Cursor's own limit is about the same. */
const MAX_FLAT_TOOLS = 40;

export interface ExposureInput {
  readonly domains: readonly CatalogDomain[];
  readonly native: readonly ToolEntry[];
  readonly exposure: Exposure | 'auto';
  readonly tokenBudget: number;
  readonly strategies?: Partial<Strategies> | undefined;
}

export interface ExposedTools {
  readonly exposure: Exposure | 'mixed';
  readonly entries: readonly ToolEntry[];
  /** The mode of each domain. */
  readonly modes: Map<string, Exposure>;
}

type Modes = ReadonlyMap<string, Exposure>;

export function expose(input: ExposureInput): ExposedTools {
  const modeOf = ({ domain }: CatalogDomain) => domain.exposure ?? input.exposure;
  const isUndecided = input.domains.some((domain) => modeOf(domain) === 'auto');
  const decide = (candidate: Exposure): Map<string, Exposure> =>
    new Map(
      input.domains.map((domain) => {
        const mode = modeOf(domain);
        return [domain.domain.name, mode === 'auto' ? candidate : mode];
      }),
    );
  for (const candidate of isUndecided ? (['tools', 'grouped'] as const) : []) {
    const modes = decide(candidate);
    if (cannotFit(input, modes, candidate)) continue;
    const entries = buildEntries(input, modes);
    if (isAffordable(input, entries)) return { entries, modes, exposure: nameOf(modes, input.exposure) };
  }
  const modes = decide('search');
  return { entries: buildEntries(input, modes), modes, exposure: nameOf(modes, input.exposure) };
}

/** A lower bound: no operation has been described in fewer tokens. */
const MIN_TOKENS = 20;

/** Decided by counting, so that a catalog of thousands does not build a list that cannot fit. */
function cannotFit({ domains, native, tokenBudget }: ExposureInput, modes: Modes, candidate: Exposure): boolean {
  const some = domains.filter(({ domain }) => modes.get(domain.name) === candidate);
  const count = countOperations(some);
  if (count * MIN_TOKENS > tokenBudget) return true;
  if (candidate === 'tools') return native.length + count > MAX_FLAT_TOOLS;
  const limit = MAX_FLAT_TOOLS - native.length;
  const minCount = minGroupCount(
    some.map(({ operations }) => operations),
    limit,
  );
  if (minCount > limit) return true;
  const groups = some.flatMap(({ group, operations }) => planGroups(group, operations, false));
  return groups.length > limit;
}

function countOperations(domains: readonly CatalogDomain[]): number {
  return domains.reduce((sum, { operations }) => sum + operations.length, 0);
}

/** Grouped tools use the most detailed form that fits the budget, or the shortest one if none fits. */
function buildEntries(input: ExposureInput, modes: Modes): ToolEntry[] {
  const pinned = pinnedOperations(input.domains, modes);
  // One tool per operation: what the client sees is what the API has.
  const flat = input.domains
    .flatMap(({ domain, operations }) =>
      modes.get(domain.name) === 'tools' ? operations : operations.filter((operation) => pinned.has(operation)),
    )
    .map((operation) =>
      createEntry(operation.tool, refuseUnlistedFields(operation), operation.endpoint.domain, [operation]),
    );
  const searchDomains = input.domains.filter(({ domain }) => modes.get(domain.name) === 'search');
  const groupedDomains = input.domains
    .filter(({ domain }) => modes.get(domain.name) === 'grouped')
    .map((domain) => ({ ...domain, operations: domain.operations.filter((operation) => !pinned.has(operation)) }));
  const names = [...input.native, ...flat].map(({ tool }) => tool.name);
  const isSearched = countOperations(searchDomains) > 0;
  if (countOperations(groupedDomains) === 0)
    return [...input.native, ...(isSearched ? buildSearch(searchDomains) : []), ...flat];
  const build = (form: GroupedForm) => {
    const entries = buildGrouped(groupedDomains, names, form, input.strategies);
    const actions = once(() => buildActionIndex(entries));
    const lookupTools = isSearched ? buildSearch(searchDomains, actions) : [buildDescribe(groupedDomains, actions)];
    return [...input.native, ...lookupTools, ...flat, ...entries];
  };
  const isHuge = countOperations(groupedDomains) * MIN_TOKENS > input.tokenBudget;
  // A list that is too long is usually too long in every form, so the shortest form is tried first.
  const shortest = build(SHORTEST_FORM);
  if (isHuge || !isAffordable(input, shortest)) return shortest;
  for (const form of LONGER_FORMS) {
    const entries = build(form);
    if (isAffordable(input, entries)) return entries;
  }
  return shortest;
}

function isAffordable({ tokenBudget }: ExposureInput, entries: readonly ToolEntry[]): boolean {
  return fitsBudget(
    entries.map(({ tool }) => tool),
    tokenBudget,
  );
}

/** Operations that a domain file pins, by public name, action, id or fully-qualified name. In every mode they are tools of their own. */
function pinnedOperations(domains: readonly CatalogDomain[], modes: Modes): ReadonlySet<CatalogOperation> {
  const pinned = new Set<CatalogOperation>();
  for (const { domain, operations } of domains) {
    if (domain.pinned.length === 0 || modes.get(domain.name) === 'tools') continue;
    for (const operation of operations) {
      const { name, qualifiedNames, endpoint } = operation;
      const keys = [name, endpoint.toolName, endpoint.action, endpoint.id, ...qualifiedNames];
      if (keys.some((key) => domain.pinned.includes(key))) pinned.add(operation);
    }
  }
  return pinned;
}

function nameOf(modes: Modes, exposure: Exposure | 'auto'): Exposure | 'mixed' {
  const all = new Set(modes.values());
  if (all.size > 1) return 'mixed';
  const [only] = all;
  return only ?? (exposure === 'auto' ? 'tools' : exposure);
}
