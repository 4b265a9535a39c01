// Says in words why a value does not satisfy a schema: ajv's errors, one sentence each, with what ajv cannot say (which
// form of a union was meant, which name a misspelt one stands for) in files of their own.
import { isObject } from '../../endpoint/is-object.ts';
import type { JsonSchema } from '../../endpoint/model.ts';
import type { CheckError, SchemaCheck } from '../check/compile-schema.ts';
import type { SchemaObject } from '../references.ts';
import type { Problem } from './argument-problem.ts';
import { explainRule, isUndeclared } from './explain-rules.ts';
import { explainComposite, isComposite, tryParts } from './explain-unions.ts';
import { joinPath, showName } from './show.ts';

/** One explanation: what is shared by every place it visits. */
export interface View {
  /** Where references lead. */
  readonly root: JsonSchema;
  /** The check the errors come from. */
  readonly check: SchemaCheck;
  /** What the value as a whole is called. */
  readonly subject: string;
  /** Problems after which there is no point in finding more. */
  readonly max: number;
  /** Unions and names still to be looked into: a refusal must not cost more than the call it refuses. */
  readonly left: { composites: number; suggestions: number };
}

/** One place in the value, and the schema that refused it. */
export interface Place {
  readonly value: unknown;
  readonly path: string;
  /** Nearest property name, to know secrets by. */
  readonly key: string;
  readonly schema: SchemaObject;
}

const MAX_COMPOSITES = 60;
const MAX_SUGGESTIONS = 20;
const MAX_ERRORS = 2_000;

/** What is wrong with a value that `check` has just refused, most useful first. */
export function explain(
  check: SchemaCheck,
  root: JsonSchema,
  value: unknown,
  { max, subject = 'the arguments' }: { readonly max: number; readonly subject?: string },
): Problem[] {
  const left = { composites: MAX_COMPOSITES, suggestions: MAX_SUGGESTIONS };
  const start = { value, path: '', key: '', schema: {} };
  return explainErrors({ root, check, subject, max, left }, check.errors ?? [], start);
}

/** The problems behind the errors of one check; their paths begin at `start`. */
export function explainErrors(view: View, errors: readonly CheckError[], start: Place): Problem[] {
  const units = toUnits(view, errors);
  const wrongTypes = new Set(units.flatMap(({ error }) => (error.keyword === 'type' ? [error.instancePath] : [])));
  const problems = new Map<string, Problem>();
  const leftovers: Problem[] = [];
  for (const { error, parts } of units) {
    if (problems.size >= view.max) break;
    // Of a value of the wrong type there is nothing else to say.
    if (error.keyword !== 'type' && wrongTypes.has(error.instancePath)) continue;
    const place = placeOf(error, start);
    const sentences =
      parts === undefined ? explainRule(view, error, place) : explainComposite(view, error, place, parts());
    // A property of a form that does not fit for other reasons: those are the ones to name.
    if (error.keyword === 'unevaluatedProperties' && !isUndeclared(view, error, place)) leftovers.push(...sentences);
    else for (const problem of sentences) if (!problems.has(problem.message)) problems.set(problem.message, problem);
  }
  return (problems.size > 0 ? [...problems.values()] : leftovers).slice(0, view.max);
}

interface Unit {
  readonly index: number;
  readonly error: CheckError;
  /** For a union: what each of its branches said. */
  readonly parts?: () => ReturnType<typeof tryParts>;
}

/**
 * Errors that stand for themselves. ajv writes down what every branch of a failed union said right before the error of the
 * union itself; running the branches again tells how many those were, and they are left to whoever explains the union.
 */
function toUnits(view: View, errors: readonly CheckError[]): Unit[] {
  const units: Unit[] = [];
  for (const [index, error] of errors.slice(0, MAX_ERRORS).entries()) {
    // `then` and `else` have already said what is wrong.
    if (error.keyword === 'if') continue;
    if (!isComposite(error)) {
      units.push({ index, error });
      continue;
    }
    if (--view.left.composites < 0) break;
    if (error.params.alone === true) {
      units.push({ index, error, parts: () => tryParts(view, error) });
      continue;
    }
    const parts = tryParts(view, error);
    const first = index - parts.reduce((sum, part) => sum + part.errors.length, 0);
    while (units.length > 0 && units.at(-1)!.index >= first) units.pop();
    units.push({ index, error, parts: () => parts });
  }
  return units;
}

/** Where an error belongs: a step is an index only where the value there is a list. */
function placeOf(error: CheckError, start: Place): Place {
  let { path, key, value } = start;
  for (const step of error.instancePath.split('/').slice(1)) {
    const name = step.replace(/~1/g, '/').replace(/~0/g, '~');
    path = joinPath(path, Array.isArray(value) ? Number(name) : name);
    if (!Array.isArray(value)) key = name;
    value = (value as Record<string, unknown>)[name];
  }
  return { path, key, value, schema: isObject(error.parentSchema) ? error.parentSchema : {} };
}

export function problemAt(
  view: View,
  place: Place,
  problem: Problem['problem'],
  words: string,
  more: Partial<Problem> = {},
): Problem {
  return { path: place.path, problem, message: `${nameOf(view, place)} ${words}`.trimStart(), ...more };
}

export function nameOf(view: View, place: Place): string {
  return place.path === '' ? view.subject : showName(place.path);
}
