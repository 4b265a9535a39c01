// A value that fits no branch of a union: explains the branch that was most likely meant.

import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { toOneLine } from '../../endpoint/plain-text.ts';
import { typeOf, typesOf } from '../json-types.ts';
import { ANNOTATIONS } from '../keywords.ts';
import { deref, findKeyword, type SchemaObject, schemasOf } from '../references.ts';
import { nearestBranches } from '../walk/search-union.ts';
import { tagMatches } from '../walk/union-branches.ts';
import type { CheckError } from '../walk/walk-schema.ts';
import type { Problem } from './argument-problem.ts';
import { explainMisfits, type Place, type View } from './explain-errors.ts';
import { explainType, problemAt } from './explain-rules.ts';
import { cut, describeType, namesOf, showName } from './show.ts';

const MAX_SETS_SHOWN = 6;
const MAX_NAMES_SHOWN = 20;

/** The problems behind a union of which no branch fits, or more than one if only one may. */
export function explainUnion({ keyword, params }: CheckError, place: Place, view: View): Problem[] {
  const branches = schemasOf(place.schema[keyword]);
  const unfit = problemAt(place, 'variant', `does not fit any of its ${branches.length} forms`);
  if (--view.budget.unions < 0) return [unfit];
  if (Array.isArray(params.passing)) {
    const forms = params.passing.map((index) => branchName(view, branches[index]!)).join(' and ');
    const words = `must match exactly one of its forms, but matches ${forms}; make it match one only`;
    return [problemAt(place, 'variant', words)];
  }
  const takesType = (schema: JsonSchema): boolean => (typesOf(view.root, schema) & typeOf(place.value)) !== 0;
  const typed = branches.filter(takesType);
  if (typed.length === 0) return [explainType(place, undefined, view)];
  if (isObject(place.value) && branches.every((branch) => isRequiredOnly(deref(view.root, branch)))) {
    const sets = branches.slice(0, MAX_SETS_SHOWN).map((branch) => requiredOnly(deref(view.root, branch))!);
    const expected = [...sets.map(showSet), ...(branches.length > sets.length ? ['…'] : [])].join(', or ');
    const target = place.path === '' ? '' : `${place.name}: `;
    return [{ path: place.path, problem: 'variant', message: `${target}give ${expected}`, expected }];
  }
  const tried = nearestBranches(view.root, typed, place.value).flatMap((schema) => {
    const problems = explainMisfits(view, schema, place);
    return problems.length === 0 ? [] : [{ schema, problems }];
  });
  if (tried.length === 0) return [unfit];
  const score = scoreOf(view, place.value);
  const best = tried.reduce((first, next) => (score(next) < score(first) ? next : first));
  if (typed.length === 1) return best.problems;
  const label = branchName(view, best.schema);
  return best.problems.map((problem) => ({ ...problem, message: `${problem.message} (as ${label})` }));
}

/** An unknown name is a stronger sign of the wrong branch than a wrong value, and a wrong fixed field is the strongest. */
function scoreOf(view: View, value: unknown): (tried: { schema: JsonSchema; problems: readonly Problem[] }) => number {
  return ({ schema, problems }) =>
    problems.reduce(
      (sum, { problem }) => sum + (problem === 'unknown' ? 3 : problem === 'missing' ? 2 : 1),
      isObject(value) && tagMatches(view.root, schema, value) === false ? 100 : 0,
    );
}

/** The names a schema requires, if that is all it says about an object. */
export function requiredOnly(schema: JsonSchema): string[] | undefined {
  return isRequiredOnly(schema) ? namesOf(schema.required) : undefined;
}

function isRequiredOnly(schema: JsonSchema): schema is SchemaObject {
  if (!isObject(schema) || !Array.isArray(schema.required)) return false;
  return Object.keys(schema).every(
    (keyword) => keyword === 'required' || keyword === 'type' || ANNOTATIONS.has(keyword) || keyword.startsWith('x-'),
  );
}

/** `query`, both `start` and `end`, all of `a`, `b` and `c` */
function showSet(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES_SHOWN).map(showName);
  if (names.length > shown.length) return `all of ${shown.join(', ')} and ${names.length - shown.length} more`;
  if (shown.length <= 1) return shown[0] ?? 'nothing';
  const list = `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)!}`;
  return shown.length === 2 ? `both ${list}` : `all of ${list}`;
}

function branchName(view: View, branch: JsonSchema): string {
  const title = findKeyword(view.root, branch, 'title');
  if (typeof title === 'string' && title.trim() !== '') return `"${cut(toOneLine(title), 48)}"`;
  if (isObject(branch) && typeof branch.$ref === 'string')
    return `"${cut(toOneLine(branch.$ref.split('/').pop() ?? ''), 48)}"`;
  const target = deref(view.root, branch);
  if (isObject(target) && Array.isArray(target.required) && target.required.length > 0) {
    return `the form with ${cut(namesOf(target.required).join(', '), 60)}`;
  }
  return describeType(view.root, branch);
}
