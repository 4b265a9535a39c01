// Explains why a value does not satisfy a schema: one sentence for each broken rule (explain-rules.ts), the likeliest branch of a
// union (explain-unions.ts), and the likeliest name for an unknown one (explain-names.ts).
import type { JsonSchema } from '../../endpoint/model.ts';
import type { SchemaObject } from '../references.ts';
import { type CheckError, findErrors, type WalkContext } from '../walk/walk-schema.ts';
import { explainRule } from './explain-rules.ts';
import type { ArgumentProblem, ProblemCandidate } from './refusal.ts';
import { joinPath, showName } from './show.ts';

/** What all places share that one explanation visits. */
export interface ExplainContext extends WalkContext {
  /** What the value as a whole is called. */
  readonly subject: string;
  /** Whether an integer with more digits than a number holds is a problem. */
  readonly exact: boolean;
  /** Problems after which there is no point in finding more. */
  readonly max: number;
  /** How many more unions and names may be examined: a refusal must not cost more than the call it refuses. */
  readonly left: { unions: number; suggestions: number };
}

/** A value, and the names and positions that lead to it from the arguments. */
interface ValuePlace {
  readonly value: unknown;
  readonly steps: readonly (string | number)[];
}

/** A value, and the schema that refused it. */
export interface RefusedPlace extends ValuePlace {
  readonly path: string;
  /** What it is called. */
  readonly name: string;
  /** The nearest property name, by which secrets are recognised. */
  readonly key: string;
  readonly schema: SchemaObject;
}

const MAX_UNIONS = 60;
const MAX_SUGGESTIONS = 20;
/** The search for broken rules ends after this many. */
const MAX_ERRORS = 30;

/** What is wrong with a value, most useful first; empty if that takes too long to find out. */
export function explain(
  root: JsonSchema,
  value: unknown,
  {
    max,
    budget,
    subject = 'the arguments',
    exact = false,
  }: Pick<ExplainContext, 'max' | 'budget'> & Partial<ExplainContext>,
): ArgumentProblem[] {
  const left = { unions: MAX_UNIONS, suggestions: MAX_SUGGESTIONS };
  return explainMisfits({ root, budget, subject, exact, max, left }, root, { value, steps: [] });
}

/** What keeps a value from fitting a schema. */
export function explainMisfits(context: ExplainContext, schema: JsonSchema, start: ValuePlace): ArgumentProblem[] {
  const errors = findErrors(context, schema, start.value, MAX_ERRORS, context.exact);
  const findings = new Map<string, ProblemCandidate>();
  const leftovers: ProblemCandidate[] = [];
  for (const error of errors) {
    if (findings.size >= context.max) break;
    for (const finding of explainRule(error, placeOf(error, start, context), context)) {
      // Several rules may require the same property: report it once.
      const key = finding.problem === 'missing' ? `missing ${finding.path}` : finding.message;
      if (finding.isLeftover) leftovers.push(finding);
      else if (!findings.has(key)) findings.set(key, finding);
    }
  }
  return toProblems(findings.size > 0 ? [...findings.values()] : leftovers).slice(0, context.max);
}

/** One line for each cause: a misspelt or misplaced name is not missing as well. */
function toProblems(findings: readonly ProblemCandidate[]): ArgumentProblem[] {
  const consequences = new Set(findings.flatMap(({ settles = [] }) => settles));
  return findings
    .filter(({ problem, path }) => problem !== 'missing' || !consequences.has(path))
    .map(({ settles: _, isLeftover: __, ...problem }) => problem);
}

function placeOf(
  { path: further, value, schema }: CheckError,
  start: ValuePlace,
  { subject }: ExplainContext,
): RefusedPlace {
  const steps = [...start.steps, ...further];
  const path = steps.reduce<string>(joinPath, '');
  const name = path === '' ? subject : showName(path);
  return { value, steps, path, name, key: steps.findLast((step) => typeof step === 'string') ?? '', schema };
}
