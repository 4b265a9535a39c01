// How the endpoints of each domain become tools. What a domain file says holds for its domain; the others share one mode,
// which `auto` chooses: the first that a model can take in and that fits the token budget.
import type { Domain } from '../endpoint/model.ts';
import type { Group } from '../model/group.ts';
import type { Tool } from '../model/tool.ts';
import type { Operation } from '../orchestration/operation.ts';
import { buildFlat } from './flat.ts';
import { buildGrouped } from './grouped/grouped-mode.ts';
import { fits, planGroups } from './grouped/grouping.ts';
import { buildSearch } from './search/search-mode.ts';
import { fitsBudget } from './tokens.ts';
import type { ToolEntry } from './tool-entry.ts';
import type { Tree } from './tree.ts';

export type Exposure = 'tools' | 'grouped' | 'search';

/** Selection degrades beyond; Cursor works with about as many. */
export const MAX_FLAT_TOOLS = 40;

export interface ExposureInput {
  readonly domains: readonly Domain[];
  readonly tree: Tree;
  readonly names: ReadonlyMap<string, string>;
  readonly native: readonly ToolEntry[];
  readonly exposure: Exposure | 'auto';
  readonly tokenBudget: number;
}

export interface Exposed {
  readonly exposure: Exposure | 'mixed';
  readonly entries: readonly ToolEntry[];
  /** The mode of each domain. */
  readonly modes: ReadonlyMap<string, Exposure>;
}

/** A domain with its place in the tree. */
type Placed = Domain & { readonly group: Group };

export function expose(input: ExposureInput): Exposed {
  const groups = new Map(input.tree.root.childGroups.map((group) => [group.name, group]));
  const placed = input.domains.map((domain): Placed => ({ ...domain, group: groups.get(domain.name)! }));
  const said = (domain: Placed) => domain.exposure ?? input.exposure;
  const undecided = placed.some((domain) => said(domain) === 'auto');
  const candidates: readonly Exposure[] = undecided ? ['tools', 'grouped', 'search'] : ['tools'];
  for (const candidate of candidates) {
    const modes = new Map(
      placed.map((domain) => {
        const mode = said(domain);
        return [domain.name, mode === 'auto' ? candidate : mode];
      }),
    );
    const final = !undecided || candidate === 'search';
    if (!final && isHopeless(input, placed, modes, candidate)) continue;
    const entries = build(input, placed, modes);
    const definitions = entries.map((entry) => entry.definition);
    if (final || fitsBudget(definitions, input.tokenBudget)) {
      return { entries, modes, exposure: nameOf(modes, input.exposure) };
    }
  }
  throw new Error('unreachable: the last candidate is always taken');
}

/** No operation was ever told in fewer tokens than this. */
const MIN_TOKENS = 20;

/** Decided by counting, before anything is built: a catalog of thousands must not pay for lists nobody will see. */
function isHopeless(
  { tree, native, tokenBudget }: ExposureInput,
  placed: readonly Placed[],
  modes: ReadonlyMap<string, Exposure>,
  candidate: Exposure,
): boolean {
  const some = placed.filter((domain) => modes.get(domain.name) === candidate).map(({ group }) => group);
  const count = some.reduce((sum, group) => sum + group.allTools().length, 0);
  if (count * MIN_TOKENS > tokenBudget) return true;
  if (candidate === 'tools') return native.length + count > MAX_FLAT_TOOLS;
  return !some.every((group) => planGroups(tree, group).every((plan) => fits(plan.members)));
}

function build(input: ExposureInput, placed: readonly Placed[], modes: ReadonlyMap<string, Exposure>): ToolEntry[] {
  const { tree, names, native } = input;
  const inMode = (mode: Exposure) => placed.filter((domain) => modes.get(domain.name) === mode);
  const pinned = pinnedTools(tree, placed, modes);
  const isPinned = (tool: Tool) => pinned.has(tool);
  const flat = buildFlat(
    tree,
    placed.map(({ group }) => group),
    (tool) => isPinned(tool) || isFlat(tree, modes, tool),
  );
  const taken = [...native, ...flat].map((entry) => entry.definition.name);
  const grouped = buildGrouped(tree, inMode('grouped'), taken, (tool) => !isPinned(tool));
  const searched = inMode('search');
  const searchable = searched.flatMap(({ group }) => group.allTools().map((tool) => tree.operations.get(tool)!));
  const search = searchable.length > 0 ? buildSearch(searched, searchable, names) : [];
  return [...native, ...search, ...flat, ...grouped];
}

function isFlat(tree: Tree, modes: ReadonlyMap<string, Exposure>, tool: Tool): boolean {
  return modes.get(tree.operations.get(tool)!.endpoint.domain) === 'tools';
}

/** Named in a domain file by public name, by action or by id; listed one to one in every mode. */
function pinnedTools(tree: Tree, placed: readonly Placed[], modes: ReadonlyMap<string, Exposure>): ReadonlySet<Tool> {
  const pinned = new Set<Tool>();
  for (const { name, pinned: wanted, group } of placed) {
    if (wanted.length === 0 || modes.get(name) === 'tools') continue;
    for (const tool of group.allTools()) {
      const { endpoint }: Operation = tree.operations.get(tool)!;
      if ([tool.name, endpoint.toolName, endpoint.action, endpoint.id].some((key) => wanted.includes(key)))
        pinned.add(tool);
    }
  }
  return pinned;
}

function nameOf(modes: ReadonlyMap<string, Exposure>, asked: Exposure | 'auto'): Exposure | 'mixed' {
  const all = new Set(modes.values());
  if (all.size > 1) return 'mixed';
  const [only] = all;
  return only ?? (asked === 'auto' ? 'tools' : asked);
}
