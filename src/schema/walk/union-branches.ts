// Which branches of a union a value may fit, and which one is meant, judged by types, names and fixed fields. Of hundreds of
// branches, only a few are walked. Facts about a branch are computed once, because every value of a list needs the same.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { type Budget, KEY_COST } from '../check/budget.ts';
import { sameJson } from '../check/json-equality.ts';
import { ARRAY, NULL, OBJECT, possibleTypes, typeOf } from '../json-types.ts';
import { cachedKeys, memoizeByObject } from '../memoize.ts';
import { choicesOf, conjuncts, isSchema, type SchemaObject, schemasOf } from '../references.ts';
import { namesIn } from './container-rules.ts';
import type { Walk, WalkContext } from './walk-schema.ts';

interface BranchOutline {
  /** Names and the one value each of them may have (`kind: const 'a'`). */
  readonly tags: readonly (readonly [key: string, value: unknown])[];
  readonly required: readonly string[];
  /** The properties of each part that accepts no others. */
  readonly closed: readonly SchemaObject[];
}

/** Only the first properties are searched for fixed values; later ones are not used to distinguish variants. */
const MAX_LOOKED_AT = 32;
/** Cost of an outline, and of the types of a branch alone; once per branch. */
const OUTLINE_COST = 4;
const TYPES_COST = 1 / 4;
/** Cost of examining all branches together, once per union. */
const INDEX_COST = 16;
/** Cost of excluding a branch without walking it: by its type, or by its names and fixed fields. */
const EXCLUDE_BY_TYPE_COST = 1 / 8;
const EXCLUDE_COST = 3 / 8;
/** Up to this many branches are all walked. If there are more, only the nearest are. */
const FEW = 12;
const MAX_NEAREST = 4;
/** Names of a value that a branch is judged by. */
const MAX_NAMES = 20;
const EMPTY: BranchOutline = { tags: [], required: [], closed: [] };

const findOutline = memoizeByObject((branch: SchemaObject, root: JsonSchema, budget: Budget): BranchOutline => {
  budget.spend(OUTLINE_COST);
  const isAlone = branch.$ref === undefined && branch.allOf === undefined;
  const parts = isAlone ? [branch] : [...conjuncts(root, [branch])].filter(isObject);
  return {
    tags: parts.flatMap((part) => tagsIn(part, budget)),
    required: parts.flatMap((part) => requiredIn(part, budget)),
    closed: parts.flatMap(({ additionalProperties, patternProperties, properties = {} }) =>
      additionalProperties === false && patternProperties === undefined && isObject(properties) ? [properties] : [],
    ),
  };
});

function tagsIn({ properties }: SchemaObject, budget: Budget): BranchOutline['tags'] {
  if (!isObject(properties)) return EMPTY.tags;
  const names = cachedKeys(properties);
  budget.spend(names.length * KEY_COST);
  return names.slice(0, MAX_LOOKED_AT).flatMap((key) => {
    const choices = choicesOf(properties[key]);
    return choices?.length === 1 ? [[key, choices[0]] as const] : [];
  });
}

function requiredIn({ required }: SchemaObject, budget: Budget): readonly string[] {
  if (!Array.isArray(required)) return EMPTY.required;
  budget.spend(required.length * KEY_COST);
  return required as readonly string[];
}

function outlineOfBranch({ root, budget }: WalkContext, branch: JsonSchema): BranchOutline {
  return isObject(branch) ? findOutline(branch, root, budget) : EMPTY;
}

/** The types that each branch of a list accepts; none for an entry that is not a schema. */
const typesOfBranches = memoizeByObject((list: readonly unknown[], root: JsonSchema, budget: Budget) => {
  budget.spend(list.length * TYPES_COST);
  return list.map((branch) => (isSchema(branch) ? possibleTypes(root, branch) : 0));
});

/** The outlines of a list by the position of each branch, computed on demand. */
const outlinesIn = memoizeByObject((_: readonly unknown[]) => [] as BranchOutline[]);

function outlineAt(context: WalkContext, list: readonly unknown[], index: number): BranchOutline {
  const outlines = outlinesIn(list);
  outlines[index] ??= outlineOfBranch(context, list[index] as JsonSchema);
  return outlines[index];
}

/** Whether the fields that a branch fixes have those values; undefined if it fixes none, or they are missing. */
export function tagMatches(
  context: WalkContext,
  branch: JsonSchema,
  value: Record<string, unknown>,
): boolean | undefined {
  return hasTags(outlineOfBranch(context, branch).tags, value, context.budget);
}

function hasTags(tags: BranchOutline['tags'], value: Record<string, unknown>, budget: Budget): boolean | undefined {
  for (const [key, option] of tags) {
    budget.spend(KEY_COST);
    if (!Object.hasOwn(value, key)) return undefined;
    if (!sameJson(value[key], option, budget)) return false;
  }
  return tags.length > 0 ? true : undefined;
}

/** The branches that take more than null, a field that all of them fix, and the branch for each of its values. */
const indexUnion = memoizeByObject((list: readonly unknown[], context: WalkContext) => {
  context.budget.spend(INDEX_COST);
  const branches = schemasOf(list).filter((branch) => possibleTypes(context.root, branch) !== NULL);
  const key = commonKey(context, branches);
  const byTag = new Map<unknown, JsonSchema | undefined>();
  for (const branch of key === undefined ? [] : branches) {
    const option = outlineOfBranch(context, branch).tags.find(([name]) => name === key)![1];
    // The value does not distinguish two branches that share it.
    byTag.set(option, byTag.has(option) ? undefined : branch);
  }
  return { branches, key, byTag };
});

/** The first name that every branch fixes; stops as soon as there can be none. */
function commonKey(context: WalkContext, branches: readonly JsonSchema[]): string | undefined {
  const tagNamesOf = (branch: JsonSchema) => new Set(outlineOfBranch(context, branch).tags.map(([name]) => name));
  let names = branches[0] === undefined ? new Set<string>() : tagNamesOf(branches[0]);
  for (const branch of branches) {
    if (names.size === 0) return undefined;
    const others = tagNamesOf(branch);
    names = new Set([...names].filter((name) => others.has(name)));
  }
  return [...names][0];
}

/** The only branch that the common fixed field allows, or null if it allows none; undefined if that does not decide it. */
function branchByTag(
  context: WalkContext,
  list: readonly unknown[],
  value: Record<string, unknown>,
): JsonSchema | null | undefined {
  const { key, byTag } = indexUnion(list, context);
  if (key === undefined || !Object.hasOwn(value, key) || typeof value[key] === 'object') return undefined;
  return byTag.has(value[key]) ? byTag.get(value[key]) : null;
}

/** The one branch that can be meant: the only one that is not null, the only one of that type, or the one whose fixed fields match. */
export function meantBranch(context: WalkContext, list: readonly unknown[], value: unknown): JsonSchema | undefined {
  const { branches } = indexUnion(list, context);
  if (branches.length === 1) return branches[0];
  const match = isObject(value) ? branchByTag(context, list, value) : undefined;
  if (match !== undefined) return match ?? undefined;
  context.budget.spend(branches.length);
  const type = typeOf(value);
  const candidates = branches.filter((branch) => possibleTypes(context.root, branch) & type);
  if (candidates.length === 1 && type & (OBJECT | ARRAY)) return candidates[0];
  const matches = isObject(value) ? candidates.filter((branch) => tagMatches(context, branch, value) === true) : [];
  return matches.length === 1 ? matches[0] : undefined;
}

/** undefined when a value fits a union; else the two branches of a `oneOf` that it fits, or null for none. */
export function searchUnion(
  walk: Walk,
  branches: readonly unknown[],
  value: unknown,
  exclusive: boolean,
  fits: (branch: JsonSchema) => boolean,
): undefined | null | readonly [number, number] {
  const { root, budget } = walk;
  const branch = isObject(value) ? branchByTag(walk, branches, value) : undefined;
  if (branch !== undefined) return branch !== null && fits(branch) ? undefined : null;
  const names = isObject(value) ? namesIn(walk, value).slice(0, MAX_NAMES) : [];
  const types = typesOfBranches(branches, root, budget);
  const type = typeOf(value);
  budget.spend(types.length * EXCLUDE_BY_TYPE_COST);
  let fitting: number | undefined;
  for (let index = 0; index < types.length; index++) {
    if ((types[index]! & type) === 0) continue;
    if (isObject(value) && !mayFit(walk, branches, index, value, names)) continue;
    if (!fits(branches[index] as JsonSchema)) continue;
    if (!exclusive) return undefined;
    if (fitting !== undefined) return [fitting, index];
    fitting = index;
  }
  return fitting === undefined ? null : undefined;
}

/** False where types, names and fixed fields show that an object does not fit a branch. */
function mayFit(
  context: WalkContext,
  branches: readonly unknown[],
  index: number,
  value: Record<string, unknown>,
  names: readonly string[],
): boolean {
  const { budget } = context;
  budget.spend(EXCLUDE_COST);
  const { tags, required, closed } = outlineAt(context, branches, index);
  if (hasTags(tags, value, budget) === false) return false;
  const missing = required.findIndex((name) => !Object.hasOwn(value, name));
  budget.spend((missing === -1 ? required.length : missing) * KEY_COST);
  if (missing !== -1) return false;
  return closed.every((properties) => names.every((name) => Object.hasOwn(properties, name)));
}

/** The branches a value of their type comes nearest to, in their order: judged by names and fixed fields alone. */
export function nearestBranches(
  context: WalkContext,
  branches: readonly JsonSchema[],
  value: unknown,
): readonly JsonSchema[] {
  const max = branches.length > FEW ? MAX_NEAREST : FEW;
  if (!isObject(value)) return branches.slice(0, max);
  const matches = branches.filter((branch) => tagMatches(context, branch, value) === true);
  if (matches.length > 0) return matches.slice(0, max);
  if (branches.length <= max) return branches;
  const names = Object.keys(value).slice(0, MAX_NAMES);
  const near = branches
    .map((branch) => ({ branch, distance: distanceTo(context, branch, value, names) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, max)
    .map(({ branch }) => branch);
  return branches.filter((branch) => near.includes(branch));
}

function distanceTo(
  context: WalkContext,
  branch: JsonSchema,
  value: Record<string, unknown>,
  names: readonly string[],
): number {
  const { required, closed, tags } = outlineOfBranch(context, branch);
  context.budget.spend(required.length * KEY_COST);
  const missing = required.filter((name) => !Object.hasOwn(value, name)).length;
  const extras = names.filter((name) => closed.some((properties) => !Object.hasOwn(properties, name))).length;
  return (hasTags(tags, value, context.budget) === false ? 100 : 0) + 2 * missing + 3 * extras;
}
