// Explains why a value does not satisfy a schema: one sentence for each broken rule (explain-rules.ts), the likeliest branch of a
// union (explain-unions.ts), and the likeliest name for an unknown one (explain-names.ts).
import type { JsonSchema } from '../../endpoint/model.ts';
import type { SchemaObject } from '../references.ts';
import { type CheckError, findErrors } from '../walk/walk-schema.ts';
import type { Finding, Problem } from './argument-problem.ts';
import { explainRule } from './explain-rules.ts';
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

/** One value, and where it is: names and positions from the arguments to there. */
interface Start {
  readonly value: unknown;
  readonly steps: readonly (string | number)[];
}

/** One place in the value, and the schema that refused it. */
export interface Place extends Start {
  readonly path: string;
  /** What it is called. */
  readonly name: string;
  /** Nearest property name, to know secrets by. */
  readonly key: string;
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
  return explainMisfits({ root, subject, exact, max, budget }, root, { value, steps: [] });
}

/** What keeps a value from fitting a schema. */
export function explainMisfits(view: View, schema: JsonSchema, start: Start): Problem[] {
  const errors = findErrors(view.root, schema, start.value, MAX_ERRORS, view.exact);
  const findings = new Map<string, Finding>();
  const leftovers: Finding[] = [];
  for (const error of errors) {
    if (findings.size >= view.max) break;
    for (const finding of explainRule(error, placeOf(error, start, view), view)) {
      // Several rules may require the same property: report it once.
      const key = finding.problem === 'missing' ? `missing ${finding.path}` : finding.message;
      if (finding.isLeftover) leftovers.push(finding);
      else if (!findings.has(key)) findings.set(key, finding);
    }
  }
  return toProblems(findings.size > 0 ? [...findings.values()] : leftovers).slice(0, view.max);
}

/** One line for each cause: a misspelt or misplaced name is not missing as well. */
function toProblems(findings: readonly Finding[]): Problem[] {
  const consequences = new Set(findings.flatMap(({ settles = [] }) => settles));
  return findings
    .filter(({ problem, path }) => problem !== 'missing' || !consequences.has(path))
    .map(({ settles: _, isLeftover: __, ...problem }) => problem);
}

function placeOf({ path: further, value, schema }: CheckError, start: Start, { subject }: View): Place {
  const steps = [...start.steps, ...further];
  const path = steps.reduce<string>(joinPath, '');
  const name = path === '' ? subject : showName(path);
  return { value, steps, path, name, key: steps.findLast((step) => typeof step === 'string') ?? '', schema };
}
