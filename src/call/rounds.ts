// The seal that a client carries from one round of a call to the next (MCP 2026-07-28, multi round-trip requests). It is written in
// front of the state of the handler that asked: `seal.state`, or alone if there is no state.
import type { ExecutionContext } from './execution-context.ts';
import type { Outcome } from './outcome.ts';

export interface Round {
  readonly seal: string;
  /** The state of the handler, which follows the seal. */
  readonly state: string | undefined;
}

/** The seal and state that the client sent back. Undefined in a first round, and for clients without rounds. */
export function readRound({ requestState, client }: ExecutionContext): Round | undefined {
  if (requestState === undefined || !client.takesRounds) return undefined;
  const dot = requestState.indexOf('.');
  if (dot === -1) return { seal: requestState, state: undefined };
  return { seal: requestState.slice(0, dot), state: requestState.slice(dot + 1) };
}

/** The context for the handler that asked: with its own state, and without the seal. */
export function withinRound(context: ExecutionContext, { state }: Round): ExecutionContext {
  return context.withRound({ answers: context.answers, requestState: state });
}

/** Adds a seal to an outcome that asks for a further round. `issue` gets the state that the seal is for. */
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
