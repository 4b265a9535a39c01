// A union of many branches. ajv would compile all of them into one function when the union is first met (a second for 500)
// and try each on every value. Here a branch is compiled when a value comes that its names, types and fixed fields allow.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { typeOf, typesOf } from '../json-types.ts';
import { conjuncts, schemasOf } from '../references.ts';
import { tagMatches } from './coerce.ts';

/** Unions of more branches are wide. */
export const WIDE = 12;

/** The check of what stands at some steps below a holder, compiled on demand. */
export type PartOf = (
  holder: object,
  ...steps: readonly (string | number)[]
) => ((value: unknown) => boolean) | undefined;

/** undefined when the value fits; else the two branches of a `oneOf` that it fits, or null for none. */
export function toSearch(
  root: JsonSchema,
  holder: Record<string, unknown>,
  keyword: string,
  exclusive: boolean,
  partOf: PartOf,
) {
  const branches = schemasOf(holder[keyword]);
  return (value: unknown): undefined | null | [number, number] => {
    let fitting: number | undefined;
    for (const [index, branch] of branches.entries()) {
      if (!mayFit(root, branch, value) || partOf(holder, keyword, index)?.(value) !== true) continue;
      if (!exclusive) return undefined;
      if (fitting !== undefined) return [fitting, index];
      fitting = index;
    }
    return fitting === undefined ? null : undefined;
  };
}

/** What a branch asks of an object, as far as that can be seen without compiling it. */
interface Demands {
  readonly required: readonly string[];
  /** Properties of each part that takes no others. */
  readonly closed: readonly Readonly<Record<string, unknown>>[];
}

const demandsOfBranches = new WeakMap<object, Demands>();

function demandsOf(root: JsonSchema, branch: JsonSchema): Demands {
  if (!isObject(branch)) return { required: [], closed: [] };
  const cached = demandsOfBranches.get(branch);
  if (cached !== undefined) return cached;
  const parts = [...conjuncts(root, [branch])].filter(isObject);
  const demands = {
    required: parts.flatMap(({ required }) => (Array.isArray(required) ? (required as string[]) : [])),
    closed: parts.flatMap(({ additionalProperties, patternProperties, properties = {} }) =>
      additionalProperties === false && patternProperties === undefined && isObject(properties) ? [properties] : [],
    ),
  };
  demandsOfBranches.set(branch, demands);
  return demands;
}

/** Whether nothing that can be seen from outside keeps a value from fitting a branch. */
function mayFit(root: JsonSchema, branch: JsonSchema, value: unknown): boolean {
  if ((typesOf(root, branch) & typeOf(value)) === 0) return false;
  if (!isObject(value)) return true;
  if (tagMatches(root, branch, value) === false) return false;
  const { required, closed } = demandsOf(root, branch);
  if (required.some((name) => !Object.hasOwn(value, name))) return false;
  for (const properties of closed) for (const key in value) if (!Object.hasOwn(properties, key)) return false;
  return true;
}

/** The branches a value comes nearest to, in their order: judged by names and fixed fields alone. */
export function nearestBranches(
  root: JsonSchema,
  branches: readonly JsonSchema[],
  value: unknown,
  max: number,
): number[] {
  const typed = [...branches.keys()].filter((index) => typesOf(root, branches[index]!) & typeOf(value));
  if (!isObject(value)) return typed.slice(0, max);
  const tagged = typed.filter((index) => tagMatches(root, branches[index]!, value) === true);
  if (tagged.length > 0) return tagged.slice(0, max);
  const names = Object.keys(value).slice(0, MAX_NAMES);
  return typed
    .map((index) => ({ index, distance: distanceTo(root, branches[index]!, value, names) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, max)
    .map(({ index }) => index)
    .sort((a, b) => a - b);
}

const MAX_NAMES = 20;

function distanceTo(root: JsonSchema, branch: JsonSchema, value: Record<string, unknown>, names: readonly string[]) {
  const { required, closed } = demandsOf(root, branch);
  const missing = required.filter((name) => !Object.hasOwn(value, name)).length;
  const unknown = names.filter((name) => closed.some((properties) => !Object.hasOwn(properties, name))).length;
  return (tagMatches(root, branch, value) === false ? 100 : 0) + 2 * missing + 3 * unknown;
}
