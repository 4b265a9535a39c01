// `${VARIABLE}` and `${VARIABLE:-default}` in the texts of landbridge.yaml.
import type { z } from 'zod';
import { type Environment, expand, needsVariables, VARIABLE_NAME } from '../endpoint/environment.ts';
import { isObject } from '../endpoint/is-object.ts';
import type { Problem } from '../endpoint/problems.ts';

type Path = Problem['path'];

/** YAML anchors can make a value contain itself. */
const MAX_DEPTH = 30;

export interface ExpandedValue {
  readonly value: unknown;
  /** Variables that are not set. */
  readonly problems: readonly Problem[];
  /** Every variable that the file may refer to: in `${}`, or by a text that could be its name. */
  readonly variables: ReadonlySet<string>;
  /** Paths of texts in which a variable was replaced. */
  readonly places: ReadonlySet<string>;
}

/** Texts at paths for which `isLeft` is true are not changed, but their variables must still be set. */
export function expandTexts(
  value: unknown,
  env: Environment,
  isLeft: (path: Path) => boolean = () => false,
): ExpandedValue {
  const problems: Problem[] = [];
  const variables = new Set<string>();
  const places = new Set<string>();
  const whole = mapTexts(value, (text, path) => {
    if (VARIABLE_NAME.test(text)) variables.add(text);
    const expansion = expand(text, env);
    for (const { name } of expansion.variables) variables.add(name);
    if (expansion.missing.length > 0) problems.push({ path, message: needsVariables(expansion.missing) });
    if (expansion.variables.length === 0 || isLeft(path)) return text;
    places.add(toKey(path));
    return expansion.text;
  });
  return { value: whole, problems, variables, places };
}

/** The value, with texts from variables converted to numbers and booleans where those are expected. */
export function convertTexts({ value, places }: ExpandedValue, issues: readonly z.core.$ZodIssue[]): unknown {
  const types = new Map<string, string>();
  for (const issue of issues) if (issue.code === 'invalid_type') types.set(toKey(issue.path), issue.expected);
  return mapTexts(value, (text, path) => {
    const type = places.has(toKey(path)) ? types.get(toKey(path)) : undefined;
    if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
    const isNumber = (type === 'number' || type === 'int') && /^[+-]?\d+(?:\.\d+)?$/.test(text);
    return isNumber ? Number(text) : text;
  });
}

/** A copy of the value with each of its texts replaced. */
function mapTexts(value: unknown, change: (text: string, path: Path) => unknown, path: Path = []): unknown {
  if (typeof value === 'string') return change(value, path);
  if (path.length > MAX_DEPTH || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((item, index) => mapTexts(item, change, [...path, index]));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, change, [...path, key])]);
  return Object.fromEntries(entries);
}

function toKey(path: readonly PropertyKey[]): string {
  return path.map(String).join('\0');
}
