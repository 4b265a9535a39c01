// Errors that come from trying several schemas: of all the forms a value may take, explain the one that was most likely
// meant; of all items, count those that fit.

import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import { toOneLine } from '../../endpoint/plain-text.ts';
import { tagMatches } from '../check/coerce.ts';
import type { CheckError } from '../check/compile-schema.ts';
import { nearestBranches } from '../check/wide-union.ts';
import { typeOf, typesOf } from '../json-types.ts';
import { ANNOTATIONS } from '../keywords.ts';
import { deref, findKeyword, schemasOf } from '../references.ts';
import type { Problem } from './argument-problem.ts';
import { explainErrors, nameOf, type Place, problemAt, type View } from './explain-errors.ts';
import { explainContains, explainType } from './explain-rules.ts';
import { cut, describeType, namesOf, showName } from './show.ts';

const MAX_BRANCHES = 40;
const MAX_NEAREST = 8;
const MAX_SETS_SHOWN = 6;

/** One schema that was tried, and what was wrong with the value. */
interface Part {
  readonly schema: JsonSchema;
  readonly fits: boolean;
  readonly errors: readonly CheckError[];
}

/** Whether ajv wrote down the errors of other schemas before this one. */
export function isComposite({ keyword }: CheckError): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'contains' || keyword === 'propertyNames';
}

/** Runs once more what ajv tried before it gave up with this error. */
export function tryParts(view: View, { keyword, params, parentSchema, data }: CheckError): readonly Part[] {
  const holder = parentSchema as Record<string, unknown>;
  if (keyword === 'propertyNames') return [tryPart(view, holder, [keyword], String(params.propertyName))];
  if (keyword === 'contains') {
    const parts: Part[] = [];
    let fitting = 0;
    for (const item of data as unknown[]) {
      parts.push(tryPart(view, holder, [keyword], item));
      // ajv stops where there are too many.
      if (parts.at(-1)!.fits && ++fitting > (params.maxContains ?? Number.POSITIVE_INFINITY)) break;
    }
    return parts;
  }
  const passing = params.passingSchemas as readonly [number, number] | null | undefined;
  const branches = schemasOf(holder[keyword]);
  // Of a wide union only what may be meant is compiled.
  if (params.alone === true) {
    const nearest = passing ?? nearestBranches(view.root, branches, data, MAX_NEAREST);
    return nearest.map((index) => tryPart(view, holder, [keyword, index], data));
  }
  const tried = passing ? branches.slice(0, passing[1] + 1) : branches;
  return tried.map((_, index) => tryPart(view, holder, [keyword, index], data));
}

function tryPart(view: View, holder: Record<string, unknown>, steps: readonly [string, number?], value: unknown): Part {
  const [keyword, index] = steps;
  const schema = (index === undefined ? holder[keyword] : (holder[keyword] as unknown[])[index]) as JsonSchema;
  if (schema === true) return { schema, fits: true, errors: [] };
  if (schema === false) return { schema, fits: false, errors: [REFUSED] };
  const check = view.check.part(holder, keyword, ...(index === undefined ? [] : [index]));
  if (check === undefined || check(value)) return { schema, fits: true, errors: [] };
  return { schema, fits: false, errors: check.errors ?? [] };
}

const REFUSED: CheckError = { keyword: 'false schema', params: {}, instancePath: '', schemaPath: '' };

/** The problems behind a failed union, count or name. */
export function explainComposite(view: View, error: CheckError, place: Place, parts: readonly Part[]): Problem[] {
  if (error.keyword === 'propertyNames') {
    return [problemAt(view, place, 'rule', `must not have a key like ${showName(String(error.params.propertyName))}`)];
  }
  if (error.keyword === 'contains') {
    const count = parts.filter(({ fits }) => fits).length;
    const { minContains, maxContains } = error.params as { minContains: number; maxContains?: number };
    return [explainContains(view, place, count, minContains, maxContains)];
  }
  return explainUnion(view, place, parts, schemasOf(place.schema[error.keyword]));
}

function explainUnion(view: View, place: Place, parts: readonly Part[], branches: readonly JsonSchema[]): Problem[] {
  const fitting = parts.filter(({ fits }) => fits);
  if (fitting.length > 1) {
    const forms = fitting.map(({ schema }) => branchName(view, schema)).join(' and ');
    const words = `must match exactly one of its forms, but matches ${forms}; make it match one only`;
    return [problemAt(view, place, 'variant', words)];
  }
  const takesType = (schema: JsonSchema): boolean => (typesOf(view.root, schema) & typeOf(place.value)) !== 0;
  const typed = parts.filter(({ schema }) => takesType(schema));
  if (typed.length === 0) return [explainType(view, place)];
  const sets = requiredSets(view, parts);
  if (sets !== undefined && isObject(place.value)) {
    const shown = sets.slice(0, MAX_SETS_SHOWN).map(showSet);
    const expected = [...shown, ...(sets.length > shown.length ? ['…'] : [])].join(', or ');
    const target = place.path === '' ? '' : `${nameOf(view, place)}: `;
    return [{ path: place.path, problem: 'variant', message: `${target}give ${expected}`, expected }];
  }
  const tried = likely(view, typed, place.value).map(({ schema, errors }) => ({
    schema,
    problems: explainErrors(view, errors, place),
  }));
  const best = bestBranch(view, tried, place.value);
  if (branches.filter(takesType).length === 1) return best.problems;
  const label = branchName(view, best.schema);
  return best.problems.map((problem) => ({ ...problem, message: `${problem.message} (as ${label})` }));
}

/** The branches whose fixed fields match, if any do: with those, the question is settled. */
function likely(view: View, typed: readonly Part[], value: unknown): readonly Part[] {
  const tagged = isObject(value) ? typed.filter(({ schema }) => tagMatches(view.root, schema, value) === true) : [];
  return (tagged.length > 0 ? tagged : typed).slice(0, MAX_BRANCHES);
}

interface Tried {
  readonly schema: JsonSchema;
  readonly problems: Problem[];
}

function bestBranch(view: View, tried: readonly Tried[], value: unknown): Tried {
  let best = tried[0]!;
  let bestScore = Number.POSITIVE_INFINITY;
  for (const candidate of tried) {
    const tag = isObject(value) ? tagMatches(view.root, candidate.schema, value) : undefined;
    // An unknown name says more about the wrong branch than a value that is off, and a fixed field says most.
    const score = candidate.problems.reduce(
      (sum, { problem }) => sum + (problem === 'unknown' ? 3 : problem === 'missing' ? 2 : 1),
      tag === false ? 100 : 0,
    );
    if (score < bestScore) {
      best = candidate;
      bestScore = score;
    }
  }
  return best;
}

/** The names each branch asks for, where branches do nothing else. */
function requiredSets(view: View, parts: readonly Part[]): string[][] | undefined {
  const sets: string[][] = [];
  for (const { schema } of parts) {
    const names = requiredOnly(deref(view.root, schema));
    if (names === undefined) return undefined;
    sets.push(names);
  }
  return sets;
}

/** The names a schema requires, if that is all it says about an object. */
export function requiredOnly(schema: JsonSchema): string[] | undefined {
  if (!isObject(schema) || !Array.isArray(schema.required)) return undefined;
  const more = Object.keys(schema).some(
    (keyword) => keyword !== 'required' && keyword !== 'type' && !ANNOTATIONS.has(keyword) && !keyword.startsWith('x-'),
  );
  return more ? undefined : namesOf(schema.required);
}

/** `query`, both `start` and `end`, all of `a`, `b` and `c` */
function showSet(names: readonly string[]): string {
  const shown = names.map(showName);
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
