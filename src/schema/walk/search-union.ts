// Which branches of a union a value may fit, judged by their types, names and fixed fields: of hundreds of branches, only a few
// are walked.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { KEY_EFFORT, spend } from '../check/effort.ts';
import { typeOf } from '../json-types.ts';
import { outlineAt, outlineOfBranch, typesOfBranches } from './branch-outline.ts';
import { branchByTag, hasTags, tagMatches } from './union-branches.ts';
import { namesIn } from './visit-inside.ts';
import type { Walk } from './walk-schema.ts';

/** Up to this many branches are all walked; of more, only the nearest. */
const FEW = 12;
const MAX_NEAREST = 4;
/** Names of a value that a branch is judged by. */
const MAX_NAMES = 20;
/** Cost of excluding a branch without walking it: by its type, or by what it says about an object. */
const TYPE_EFFORT = 1 / 8;
const BRANCH_EFFORT = 3 / 8;

/** undefined when a value fits a union; else the two branches of a `oneOf` that it fits, or null for none. */
export function searchUnion(
  walk: Walk,
  branches: readonly unknown[],
  value: unknown,
  exclusive: boolean,
  fits: (branch: JsonSchema) => boolean,
): undefined | null | readonly [number, number] {
  const { root } = walk;
  const branch = isObject(value) ? branchByTag(root, branches, value) : undefined;
  if (branch !== undefined) return branch !== null && fits(branch) ? undefined : null;
  const names = isObject(value) ? namesIn(walk, value).slice(0, MAX_NAMES) : [];
  const types = typesOfBranches(branches, root);
  const type = typeOf(value);
  spend(types.length * TYPE_EFFORT);
  let fitting: number | undefined;
  for (let index = 0; index < types.length; index++) {
    if ((types[index]! & type) === 0) continue;
    if (isObject(value) && !mayFit(root, branches, index, value, names)) continue;
    if (!fits(branches[index] as JsonSchema)) continue;
    if (!exclusive) return undefined;
    if (fitting !== undefined) return [fitting, index];
    fitting = index;
  }
  return fitting === undefined ? null : undefined;
}

/** Whether nothing that can be seen from outside keeps an object from fitting a branch. */
function mayFit(
  root: JsonSchema,
  branches: readonly unknown[],
  index: number,
  value: Record<string, unknown>,
  names: readonly string[],
): boolean {
  spend(BRANCH_EFFORT);
  const { tags, required, closed } = outlineAt(root, branches, index);
  if (hasTags(tags, value) === false) return false;
  const missing = required.findIndex((name) => !Object.hasOwn(value, name));
  spend((missing === -1 ? required.length : missing) * KEY_EFFORT);
  if (missing !== -1) return false;
  return closed.every((properties) => names.every((name) => Object.hasOwn(properties, name)));
}

/** The branches a value of their type comes nearest to, in their order: judged by names and fixed fields alone. */
export function nearestBranches(
  root: JsonSchema,
  branches: readonly JsonSchema[],
  value: unknown,
): readonly JsonSchema[] {
  const max = branches.length > FEW ? MAX_NEAREST : FEW;
  if (!isObject(value)) return branches.slice(0, max);
  const matches = branches.filter((branch) => tagMatches(root, branch, value) === true);
  if (matches.length > 0) return matches.slice(0, max);
  if (branches.length <= max) return branches;
  const names = Object.keys(value).slice(0, MAX_NAMES);
  const near = branches
    .map((branch) => ({ branch, distance: distanceTo(root, branch, value, names) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, max)
    .map(({ branch }) => branch);
  return branches.filter((branch) => near.includes(branch));
}

function distanceTo(root: JsonSchema, branch: JsonSchema, value: Record<string, unknown>, names: readonly string[]) {
  const { required, closed, tags } = outlineOfBranch(root, branch);
  spend(required.length * KEY_EFFORT);
  const missing = required.filter((name) => !Object.hasOwn(value, name)).length;
  const strangers = names.filter((name) => closed.some((properties) => !Object.hasOwn(properties, name))).length;
  return (hasTags(tags, value) === false ? 100 : 0) + 2 * missing + 3 * strangers;
}
