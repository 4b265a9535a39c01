// What is left of a definition when the parts with mistakes are taken out, so that the rest can be checked as well.
import { isObject } from '../../endpoint/is-object.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { setOwn } from '../../schema/keywords.ts';

/** Each entry of these stands for itself. */
const ENTRIES = new Set(['endpoints', 'operations', 'prompts', 'resources']);
/** Of an endpoint: without one of these it is another request, and what would be said of that is not true. */
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
/** Without one of these nothing of the file is what it was. */
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

/** A copy of the value without what the problems are about; undefined where too much hangs on one of them. */
export function withoutMistakes(value: unknown, problems: readonly Problem[]): unknown {
  if (!isObject(value)) return undefined;
  const removals = problems.map(({ path }) => pathToRemove(path));
  if (removals.some((path) => path === undefined)) return undefined;
  return removals.reduce<unknown>((rest, path) => withoutKey(rest, path!), value);
}

/** What follows from the parts that were taken out, and is no mistake of its own. */
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
