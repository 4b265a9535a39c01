// A value that fits no branch of a union: explains the branch that was most likely meant.

import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { toOneLine } from '../../endpoint/plain-text.ts';
import { possibleTypes, typeOf } from '../json-types.ts';
import { ANNOTATIONS } from '../keywords.ts';
import { deref, findKeyword, type SchemaObject, schemasOf } from '../references.ts';
import { nearestBranches, tagMatches } from '../walk/union-branches.ts';
import { type ExplainContext, explainMisfits, type RefusedPlace } from './explain-errors.ts';
import { explainType, problemAt, type RuleParams } from './explain-rules.ts';
import type { ArgumentProblem } from './refusal.ts';
import { cut, describeType, namesOf, showName } from './show.ts';

const MAX_SETS_SHOWN = 6;
const MAX_NAMES_SHOWN = 20;

/** The problems of a value for which no branch of a union fits, or more than one if only one may. */
export function explainUnion(
  place: RefusedPlace,
  { limit, passing }: RuleParams,
  context: ExplainContext,
): ArgumentProblem[] {
  const branches = schemasOf(limit);
  const unfit = problemAt(place, 'variant', `does not fit any of its ${branches.length} forms`);
  if (--context.left.unions < 0) return [unfit];
  if (Array.isArray(passing)) {
    const forms = passing.map((index) => branchName(context, branches[index]!)).join(' and ');
    const words = `must match exactly one of its forms, but matches ${forms}; make it match one only`;
    return [problemAt(place, 'variant', words)];
  }
  const type = typeOf(place.value);
  const candidates = branches.filter((branch) => possibleTypes(context.root, branch) & type);
  if (candidates.length === 0) return [explainType(place, undefined, context)];
  const targets = branches.map((branch) => deref(context.root, branch));
  if (isObject(place.value) && targets.every(isRequiredOnly)) {
    const sets = targets.slice(0, MAX_SETS_SHOWN).map(({ required }) => namesOf(required));
    const expected = [...sets.map(showSet), ...(branches.length > sets.length ? ['…'] : [])].join(', or ');
    const target = place.path === '' ? '' : `${place.name}: `;
    return [{ path: place.path, problem: 'variant', message: `${target}give ${expected}`, expected }];
  }
  const attempts = nearestBranches(context, candidates, place.value).flatMap((schema) => {
    const problems = explainMisfits(context, schema, place);
    return problems.length === 0 ? [] : [{ schema, problems }];
  });
  if (attempts.length === 0) return [unfit];
  const score = scoreOf(context, place.value);
  const best = attempts.reduce((first, next) => (score(next) < score(first) ? next : first));
  if (candidates.length === 1) return best.problems;
  const label = branchName(context, best.schema);
  return best.problems.map((problem) => ({ ...problem, message: `${problem.message} (as ${label})` }));
}

/** An unknown name is a stronger sign of the wrong branch than a wrong value, and a wrong fixed field is the strongest. */
function scoreOf(
  context: ExplainContext,
  value: unknown,
): (attempt: { schema: JsonSchema; problems: readonly ArgumentProblem[] }) => number {
  return ({ schema, problems }) =>
    problems.reduce(
      (sum, { problem }) => sum + (problem === 'unknown' ? 3 : problem === 'missing' ? 2 : 1),
      isObject(value) && tagMatches(context, schema, value) === false ? 100 : 0,
    );
}

/** Whether a schema has no rules about an object except the names that it requires. */
export function isRequiredOnly(schema: JsonSchema): schema is SchemaObject {
  if (!isObject(schema) || !Array.isArray(schema.required)) return false;
  return Object.keys(schema).every(
    (keyword) => keyword === 'required' || keyword === 'type' || ANNOTATIONS.has(keyword) || keyword.startsWith('x-'),
  );
}

/** `query`, both `start` and `end`, all of `a`, `b` and `c` */
function showSet(names: readonly string[]): string {
  const texts = names.slice(0, MAX_NAMES_SHOWN).map(showName);
  if (names.length > texts.length) return `all of ${texts.join(', ')} and ${names.length - texts.length} more`;
  if (texts.length <= 1) return texts[0] ?? 'nothing';
  const list = `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)!}`;
  return texts.length === 2 ? `both ${list}` : `all of ${list}`;
}

function branchName(context: ExplainContext, branch: JsonSchema): string {
  const title = findKeyword(context.root, branch, 'title');
  if (typeof title === 'string' && title.trim() !== '') return `"${cut(toOneLine(title), 48)}"`;
  if (isObject(branch) && typeof branch.$ref === 'string')
    return `"${cut(toOneLine(branch.$ref.split('/').pop() ?? ''), 48)}"`;
  const target = deref(context.root, branch);
  if (isObject(target) && Array.isArray(target.required) && target.required.length > 0) {
    return `the form with ${cut(namesOf(target.required).join(', '), 60)}`;
  }
  return describeType(context.root, branch);
}
