// Checks `response.pick` against the schema of the answer, if there is one: a path that does not exist would hide the whole
// answer.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { hint } from '../../endpoint/suggest.ts';
import { UNIONS } from '../../schema/keywords.ts';
import { conjuncts, type SchemaObject, schemasOf } from '../../schema/references.ts';

const MAX_PARTS = 200;

/** Paths that are not in the answer. If the schema allows any property, every path is accepted. */
export function checkPick(
  pick: readonly string[] | undefined,
  schema: JsonSchema | undefined,
  at: readonly string[],
): Problem[] {
  if (pick === undefined || schema === undefined) return [];
  return pick.flatMap((path, index) => {
    const names = unknownStep(path.split('.'), schema, schema);
    if (names === undefined) return [];
    const [name, siblings] = names;
    return [{ path: [...at, 'pick', index], message: `there is no "${name}" in the answer; ${hint(name, siblings)}` }];
  });
}

/** The fields at the top of the answer, or of the items of a list, that `pick` can name. */
export function answerFields(schema: JsonSchema): string[] {
  const objects = partsOf(schema, schema).filter((part) => isObject(part.properties));
  return [...new Set(objects.flatMap((part) => Object.keys(part.properties as object)))];
}

/** The first segment that the schema does not declare, with the names it does declare at that place. */
function unknownStep(path: readonly string[], schema: JsonSchema, root: JsonSchema): [string, string[]] | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return undefined;
  const parts = partsOf(schema, root);
  const objects = parts.filter((part) => isObject(part.properties));
  const open = parts.some((part) => isObject(part.additionalProperties) || isObject(part.patternProperties));
  if (objects.length === 0 || open || name === '*') return undefined;
  const properties = objects.flatMap((part) => Object.entries(part.properties as Record<string, JsonSchema>));
  // A key may contain dots.
  if (properties.some(([key]) => key === path.join('.'))) return undefined;
  const next = properties.filter(([key]) => key === name).map(([, inner]) => inner);
  if (next.length === 0) return [name, [...new Set(properties.map(([key]) => key))]];
  const misses = next.map((inner) => unknownStep(rest, inner, root));
  return misses.includes(undefined) ? undefined : misses[0];
}

/** All schemas that may describe the value: through references, in unions and in items of arrays, as `pick` resolves them. */
function partsOf(schema: JsonSchema, root: JsonSchema): SchemaObject[] {
  const alternatives = (part: SchemaObject) => [
    ...[...UNIONS, 'prefixItems'].flatMap((keyword) => schemasOf(part[keyword])),
    ...schemasOf([part.items]),
  ];
  return [...conjuncts(root, [schema], alternatives, MAX_PARTS)].filter(isObject);
}
