// The seal that a client carries from one round of a call to the next (MCP 2026-07-28, multi round-trip requests). It stands in
// front of the state of whoever asked: `seal.state`, or alone where there is no state.
import type { ExecutionContext } from './execution-context.ts';
import type { Outcome } from './outcome.ts';

export interface Round {
  readonly seal: string;
  /** What came back behind the seal. */
  readonly state: string | undefined;
}

/** What the client brought back; undefined in a first round, and where clients carry nothing. */
export function readRound({ requestState, client }: ExecutionContext): Round | undefined {
  if (requestState === undefined || !client.takesRounds) return undefined;
  const dot = requestState.indexOf('.');
  if (dot === -1) return { seal: requestState, state: undefined };
  return { seal: requestState.slice(0, dot), state: requestState.slice(dot + 1) };
}

/** The context of whoever asked: it sees its own state, and no seal. */
export function withinRound(context: ExecutionContext, { state }: Round): ExecutionContext {
  return context.withRound({ answers: context.answers, requestState: state });
}

/** An outcome that asks for a further round takes a seal along; `issue` gets the state that it is for. */
export function sealRound(
  outcome: Outcome,
  { client }: ExecutionContext,
  issue: (state: string | undefined) => string,
): Outcome {
  const { inputRequired } = outcome;
  if (inputRequired === undefined || !client.takesRounds) return outcome;
  const state = inputRequired.requestState;
  const seal = issue(state);
  return {
    ...outcome,
    inputRequired: { ...inputRequired, requestState: state === undefined ? seal : `${seal}.${state}` },
  };
}
