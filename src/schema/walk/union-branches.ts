// Which branch of a union is meant, as far as that can be seen from outside: by types, and by fields that a branch fixes.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { KEY_EFFORT, spend } from '../check/effort.ts';
import { sameJson } from '../check/json-equality.ts';
import { ARRAY, NULL, OBJECT, typeOf, typesOf } from '../json-types.ts';
import { schemasOf } from '../references.ts';
import { rememberByObject } from '../remember.ts';
import { outlineOfBranch } from './branch-outline.ts';

type Tags = ReturnType<typeof outlineOfBranch>['tags'];

/** Cost of examining all branches together, once per union. */
const INDEX_EFFORT = 16;

/** Whether the fields a branch fixes have those values; undefined when it fixes none, or they are not there. */
export function tagMatches(root: JsonSchema, branch: JsonSchema, value: Record<string, unknown>): boolean | undefined {
  return hasTags(outlineOfBranch(root, branch).tags, value);
}

export function hasTags(tags: Tags, value: Record<string, unknown>): boolean | undefined {
  for (const [key, option] of tags) {
    spend(KEY_EFFORT);
    if (!Object.hasOwn(value, key)) return undefined;
    if (!sameJson(value[key], option, spend)) return false;
  }
  return tags.length > 0 ? true : undefined;
}

/** The branches that take more than null, and which of them a field that all of them fix stands for. */
const indexUnion = rememberByObject((list: readonly unknown[], root: JsonSchema) => {
  spend(INDEX_EFFORT);
  const branches = schemasOf(list).filter((branch) => typesOf(root, branch) !== NULL);
  const key = commonKey(root, branches);
  const byTag = new Map<unknown, JsonSchema | undefined>();
  for (const branch of key === undefined ? [] : branches) {
    const option = outlineOfBranch(root, branch).tags.find(([name]) => name === key)![1];
    // Two branches with the same value cannot be told apart by it.
    byTag.set(option, byTag.has(option) ? undefined : branch);
  }
  return { branches, key, byTag };
});

/** The first name that every branch fixes; branches are looked at as long as there may be one. */
function commonKey(root: JsonSchema, branches: readonly JsonSchema[]): string | undefined {
  const namesOf = (branch: JsonSchema) => new Set(outlineOfBranch(root, branch).tags.map(([name]) => name));
  let names = branches[0] === undefined ? new Set<string>() : namesOf(branches[0]);
  for (const branch of branches) {
    if (names.size === 0) return undefined;
    const others = namesOf(branch);
    names = new Set([...names].filter((name) => others.has(name)));
  }
  return [...names][0];
}

/** The only branch that the common fixed field allows, or null if it allows none; undefined if that does not decide it. */
export function branchByTag(
  root: JsonSchema,
  list: readonly unknown[],
  value: Record<string, unknown>,
): JsonSchema | null | undefined {
  const { key, byTag } = indexUnion(list, root);
  if (key === undefined || !Object.hasOwn(value, key) || typeof value[key] === 'object') return undefined;
  return byTag.has(value[key]) ? byTag.get(value[key]) : null;
}

/** The one branch that can be meant: the only one that is not null, of that type, or whose fixed fields match. */
export function meantBranch(root: JsonSchema, list: readonly unknown[], value: unknown): JsonSchema | undefined {
  const { branches } = indexUnion(list, root);
  if (branches.length === 1) return branches[0];
  const match = isObject(value) ? branchByTag(root, list, value) : undefined;
  if (match !== undefined) return match ?? undefined;
  spend(branches.length);
  const type = typeOf(value);
  const candidates = branches.filter((branch) => typesOf(root, branch) & type);
  if (candidates.length === 1 && type & (OBJECT | ARRAY)) return candidates[0];
  const matching = isObject(value) ? candidates.filter((branch) => tagMatches(root, branch, value) === true) : [];
  return matching.length === 1 ? matching[0] : undefined;
}
