// Unions: of all the forms a value may take, explain the one that was most likely meant.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { toOneLine } from '../../endpoint/plain-text.ts';
import { tagMatches } from '../check/coerce.ts';
import { deref, findKeyword, type SchemaObject, schemasOf, typeOf, typesOf } from '../schema-view.ts';
import type { Problem } from './argument-problem.ts';
import { namesOf } from './explain-object.ts';
import type { Place, Walk } from './explain-problems.ts';
import { explainPlace, nameOf, problemAt } from './explain-problems.ts';
import { cut, describeType, showValue } from './show.ts';

const MAX_BRANCHES = 40;

export function explainBranches(walk: Walk, schema: SchemaObject, place: Place): Problem[] {
  const found: Problem[] = [];
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = schemasOf(schema[keyword]).slice(0, MAX_BRANCHES);
    if (branches.length > 0) found.push(...explainUnion(walk, branches, keyword, place));
  }
  return found;
}

function explainUnion(
  walk: Walk,
  branches: readonly JsonSchema[],
  keyword: 'anyOf' | 'oneOf',
  place: Place,
): Problem[] {
  const inner = { ...place, depth: place.depth + 1 };
  const tried = branches.map((branch) => ({ branch, problems: explainPlace(walk, branch, inner) }));
  const fitting = tried.filter(({ problems }) => problems.length === 0);
  if (fitting.length === 1 || (fitting.length > 1 && keyword === 'anyOf')) return [];
  if (fitting.length > 1) {
    const forms = fitting
      .slice(0, 4)
      .map(({ branch }) => branchName(walk, branch))
      .join(' and ');
    return [
      problemAt(
        place,
        'variant',
        `${nameOf(place)} must match exactly one of its forms, but matches ${forms}; make it match one only`,
      ),
    ];
  }
  const typed = tried.filter(({ branch }) => typesOf(walk.root, branch) & typeOf(place.value));
  if (typed.length === 0) {
    const expected = branches.map((branch) => describeType(walk.root, branch)).join(' or ');
    const got = showValue(place.value, place.key);
    return [problemAt(place, 'type', `${nameOf(place)} must be ${cut(expected, 300)}; got ${got}`, { expected, got })];
  }
  const sets = requiredSets(walk, branches);
  if (sets !== undefined && isObject(place.value)) {
    const expected = sets.map((names) => `{${names.join(', ')}}`).join(' or ');
    const target = place.path === '' ? '' : `${nameOf(place)}: `;
    return [problemAt(place, 'variant', `${target}give one of these sets of arguments: ${expected}`, { expected })];
  }
  const best = bestBranch(walk, typed, place.value);
  if (typed.length === 1) return best.problems;
  const label = branchName(walk, best.branch);
  const hint = `as ${label}`;
  return best.problems.map((problem) => ({ ...problem, message: `${problem.message} (${hint})` }));
}

interface Tried {
  readonly branch: JsonSchema;
  readonly problems: readonly Problem[];
}

function bestBranch(walk: Walk, tried: readonly Tried[], value: unknown): { branch: JsonSchema; problems: Problem[] } {
  let best = tried[0]!;
  let bestScore = Number.POSITIVE_INFINITY;
  for (const candidate of tried) {
    const tag = isObject(value) ? tagMatches(walk.root, candidate.branch, value) : undefined;
    // An unknown name says more about the wrong branch than a value that is off.
    const weight = candidate.problems.reduce(
      (sum, { problem }) => sum + (problem === 'unknown' ? 3 : problem === 'missing' ? 2 : 1),
      0,
    );
    const score = weight + (tag === true ? -100 : tag === false ? 100 : 0);
    if (score < bestScore) {
      best = candidate;
      bestScore = score;
    }
  }
  return { branch: best.branch, problems: [...best.problems] };
}

/** Branches that do nothing but name required properties. */
function requiredSets(walk: Walk, branches: readonly JsonSchema[]): string[][] | undefined {
  const sets: string[][] = [];
  for (const branch of branches) {
    const schema = deref(walk.root, branch);
    if (!isObject(schema) || !Array.isArray(schema.required)) return undefined;
    if (Object.keys(schema).some((keyword) => !['required', 'type', 'title', 'description'].includes(keyword)))
      return undefined;
    sets.push(namesOf(schema.required));
  }
  return sets;
}

function branchName(walk: Walk, branch: JsonSchema): string {
  const title = findKeyword(walk.root, branch, 'title');
  if (typeof title === 'string' && title.trim() !== '') return `"${cut(toOneLine(title), 48)}"`;
  if (isObject(branch) && typeof branch.$ref === 'string')
    return `"${cut(toOneLine(branch.$ref.split('/').pop() ?? ''), 48)}"`;
  const target = deref(walk.root, branch);
  if (isObject(target) && Array.isArray(target.required) && target.required.length > 0) {
    return `the form with ${cut(namesOf(target.required).join(', '), 60)}`;
  }
  return describeType(walk.root, branch);
}
