// Why a refusal of the judge is not ours: classes of what Prism cannot read, or what a document gets wrong about itself.
// Whatever fits none of them is a mistake of Landbridge.
import type { Endpoint } from '../../../src/endpoint/model.ts';
import type { Verdict, Violation } from './recorder.ts';
import type { SampleCall } from './sample-arguments.ts';

export interface Rejection {
  readonly endpoint: Endpoint;
  readonly call: SampleCall;
  readonly verdict: Verdict;
}

interface Limit {
  readonly name: string;
  readonly why: string;
  /** Of one violation; a refusal is excused where all of them are. */
  readonly violation?: (violation: Violation, rejection: Rejection) => boolean;
  readonly problem?: (kind: string, rejection: Rejection) => boolean;
}

const LIMITS: readonly Limit[] = [];

/** The name of the limit a refusal comes from; undefined where it is our fault. */
export function findLimit(rejection: Rejection): string | undefined {
  const { violations, problem } = rejection.verdict;
  if (problem !== undefined && violations.length === 0)
    return LIMITS.find((limit) => limit.problem?.(problem.kind, rejection))?.name;
  const names = violations.map(
    (violation) => LIMITS.find((limit) => limit.violation?.(violation, rejection) === true)?.name,
  );
  return names.includes(undefined) ? undefined : names[0];
}
