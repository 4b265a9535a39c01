// Explains why a value does not satisfy a schema: one sentence for each broken rule (explain-rules.ts), the likeliest branch of a
// union (explain-unions.ts), and the likeliest name for an unknown one (explain-names.ts).
import type { JsonSchema } from '../../endpoint/model.ts';
import type { SchemaObject } from '../references.ts';
import { type CheckError, findErrors } from '../walk/walk-schema.ts';
import type { Finding, Problem } from './argument-problem.ts';
import { isUndeclared } from './explain-names.ts';
import { explainRule } from './explain-rules.ts';
import { explainUnion } from './explain-unions.ts';
import { joinPath, showName } from './show.ts';

/** One explanation: what is shared by every place it visits. */
export interface View {
  /** Where references lead. */
  readonly root: JsonSchema;
  /** What the value as a whole is called. */
  readonly subject: string;
  /** Whether an integer of more digits than a number holds is one. */
  readonly exact: boolean;
  /** Problems after which there is no point in finding more. */
  readonly max: number;
  /** Unions and names still to be looked into: a refusal must not cost more than the call it refuses. */
  readonly budget: { unions: number; suggestions: number };
}

/** One place in the value, and the schema that refused it. */
export interface Place {
  readonly value: unknown;
  readonly path: string;
  /** What it is called. */
  readonly name: string;
  /** Nearest property name, to know secrets by. */
  readonly key: string;
  /** Names and positions from the arguments to here. */
  readonly steps: readonly (string | number)[];
  readonly schema: SchemaObject;
}

const MAX_UNIONS = 60;
const MAX_SUGGESTIONS = 20;
/** Broken rules after which no more are looked for. */
const MAX_ERRORS = 30;

/** What is wrong with a value, most useful first; nothing where that takes too long to find out. */
export function explain(
  root: JsonSchema,
  value: unknown,
  { max, subject = 'the arguments', exact = false }: Partial<View> & { readonly max: number },
): Problem[] {
  const budget = { unions: MAX_UNIONS, suggestions: MAX_SUGGESTIONS };
  return explainMisfits({ root, subject, exact, max, budget }, root, {
    value,
    path: '',
    name: subject,
    key: '',
    steps: [],
    schema: {},
  });
}

/** What keeps the value of a place from fitting a schema; paths begin at the place. */
export function explainMisfits(view: View, schema: JsonSchema, start: Place): Problem[] {
  const errors = findErrors(view.root, schema, start.value, MAX_ERRORS, view.exact);
  const problems = new Map<string, Finding>();
  const leftovers: Finding[] = [];
  for (const error of errors) {
    if (problems.size >= view.max) break;
    const place = placeOf(error, start);
    const sentences: readonly Finding[] = isUnion(error)
      ? explainUnion(error, place, view)
      : [explainRule(error, place, view)];
    // The property belongs to a branch that fails for other reasons, which are more useful to report.
    if (error.keyword === 'unevaluatedProperties' && !isUndeclared(error, place, view)) leftovers.push(...sentences);
    else
      for (const problem of sentences) {
        // Several rules may require the same property: report it once.
        const key = problem.problem === 'missing' ? `missing ${problem.path}` : problem.message;
        if (!problems.has(key)) problems.set(key, problem);
      }
  }
  return toProblems(problems.size > 0 ? [...problems.values()] : leftovers).slice(0, view.max);
}

/** One line for each cause: a misspelt or misplaced name is not missing as well. */
function toProblems(findings: readonly Finding[]): Problem[] {
  const settled = new Set(findings.flatMap(({ settles = [] }) => settles));
  return findings
    .filter(({ problem, path }) => problem !== 'missing' || !settled.has(path))
    .map(({ settles: _, ...problem }) => problem);
}

function isUnion({ keyword }: CheckError): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

function placeOf(error: CheckError, start: Place): Place {
  let { path, key, name } = start;
  for (const step of error.path) {
    path = joinPath(path, step);
    name = showName(path);
    if (typeof step === 'string') key = step;
  }
  return { path, name, key, steps: [...start.steps, ...error.path], value: error.value, schema: error.schema };
}
