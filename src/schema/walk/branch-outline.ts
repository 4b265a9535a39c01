// What can be seen of the branches of a union without walking them: types, fixed fields, required names and closed objects.
// Computed once per branch and kept by its position, because every value of a list needs the same.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { KEY_EFFORT, spend } from '../check/effort.ts';
import { typesOf } from '../json-types.ts';
import { choicesOf, conjuncts, isSchema, type SchemaObject } from '../references.ts';
import { keysOf, rememberByObject } from '../remember.ts';

interface BranchOutline {
  /** Names and the one value each of them may have (`kind: const 'a'`). */
  readonly tags: readonly (readonly [key: string, value: unknown])[];
  readonly required: readonly string[];
  /** The properties of each part that takes no others. */
  readonly closed: readonly SchemaObject[];
}

/** Only the first properties are searched for fixed values; later ones are not used to distinguish variants. */
const MAX_LOOKED_AT = 32;
/** Cost of computing all this, once per branch; and of its types alone. */
const OUTLINE_EFFORT = 4;
const TYPES_EFFORT = 1 / 4;
const NOTHING: BranchOutline = { tags: [], required: [], closed: [] };

const findOutline = rememberByObject((branch: SchemaObject, root: JsonSchema): BranchOutline => {
  spend(OUTLINE_EFFORT);
  const isAlone = branch.$ref === undefined && branch.allOf === undefined;
  const parts = isAlone ? [branch] : [...conjuncts(root, [branch])].filter(isObject);
  return {
    tags: parts.flatMap(tagsIn),
    required: parts.flatMap(requiredIn),
    closed: parts.flatMap(({ additionalProperties, patternProperties, properties = {} }) =>
      additionalProperties === false && patternProperties === undefined && isObject(properties) ? [properties] : [],
    ),
  };
});

function tagsIn({ properties }: SchemaObject): BranchOutline['tags'] {
  if (!isObject(properties)) return NOTHING.tags;
  // Listing them all is what it costs.
  const names = keysOf(properties);
  spend(names.length * KEY_EFFORT);
  return names.slice(0, MAX_LOOKED_AT).flatMap((key) => {
    const choices = choicesOf(properties[key]);
    return choices?.length === 1 ? [[key, choices[0]] as const] : [];
  });
}

function requiredIn({ required }: SchemaObject): readonly string[] {
  if (!Array.isArray(required)) return NOTHING.required;
  spend(required.length * KEY_EFFORT);
  return required as readonly string[];
}

export function outlineOfBranch(root: JsonSchema, branch: JsonSchema): BranchOutline {
  return isObject(branch) ? findOutline(branch, root) : NOTHING;
}

/** The types that each branch of a list takes; none where there is no schema. */
export const typesOfBranches: (list: readonly unknown[], root: JsonSchema) => readonly number[] = rememberByObject(
  (list: readonly unknown[], root: JsonSchema) => {
    spend(list.length * TYPES_EFFORT);
    return list.map((branch) => (isSchema(branch) ? typesOf(root, branch) : 0));
  },
);

/** The outlines of a list by the position of each branch, computed on demand. */
const outlinesIn = rememberByObject((_: readonly unknown[]) => [] as BranchOutline[]);

export function outlineAt(root: JsonSchema, list: readonly unknown[], index: number): BranchOutline {
  const outlines = outlinesIn(list);
  outlines[index] ??= outlineOfBranch(root, list[index] as JsonSchema);
  return outlines[index];
}
