// What is left of a definition when the parts with mistakes are taken out, so that the rest can be checked as well.
import { isObject } from '../../endpoint/is-object.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { setOwn } from '../../schema/keywords.ts';

/** Their entries are independent of each other. */
const ENTRIES = new Set(['endpoints', 'operations', 'prompts', 'resources']);
/** Fields of an endpoint that cannot be left out while checking the rest: without them it would be another request. */
const ESSENTIAL = new Set([
  'method',
  'path',
  'args',
  'inputSchema',
  'place',
  'fixed',
  'body',
  'summary',
  'name',
  'baseUrl',
]);
/** If one of these is wrong, the rest of the file cannot be checked. */
const VITAL = new Set([
  'name',
  'baseUrl',
  'prefix',
  'endpoints',
  'openapi',
  'overlays',
  'refsRoot',
  'server',
  'serverVariables',
  'include',
  'exclude',
  'operations',
]);

/** A copy without the parts that have problems; undefined if the rest makes no sense without them. */
export function withoutMistakes(value: unknown, problems: readonly Problem[]): unknown {
  if (!isObject(value)) return undefined;
  const removals = problems.map(({ path }) => pathToRemove(path));
  if (removals.some((path) => path === undefined)) return undefined;
  return removals.reduce<unknown>((rest, path) => withoutKey(rest, path!), value);
}

/** Whether a problem is real, and not just a consequence of the parts that were taken out. */
export function isIndependent({ path }: Problem): boolean {
  return path.length > 0 && path[0] !== 'pinned' && !path.includes('security') && !path.includes('credentials');
}

function pathToRemove(path: Problem['path']): Problem['path'] | undefined {
  const [key, entry, field] = path;
  if (key === undefined) return undefined;
  if (!ENTRIES.has(String(key))) return VITAL.has(String(key)) ? undefined : [key];
  if (entry === undefined) return undefined;
  if (key === 'prompts' || key === 'resources') return [key, entry];
  return field === undefined || ESSENTIAL.has(String(field)) ? [key, entry] : [key, entry, field];
}

function withoutKey(value: unknown, [key, ...rest]: Problem['path']): unknown {
  if (!isObject(value) || key === undefined) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    if (name !== String(key)) setOwn(copy, name, inner);
    else if (rest.length > 0) setOwn(copy, name, withoutKey(inner, rest));
  }
  return copy;
}
