// Questions to the person behind a client, as each era of MCP puts them (client/elicitation).
import type { Client, Question } from '../../call/caller.ts';
import type { CallSpan } from '../../tracing/call-span.ts';

type Ask = NonNullable<Client['ask']>;

/** What a multi round-trip request brought back: the person's answers, and the state we signed. */
export interface SecondRound {
  readonly answers?: Readonly<Record<string, unknown>> | undefined;
  readonly requestState?: string | undefined;
}

/** An empty elicitation capability means form mode (2025-11-25, client/elicitation). */
export function canElicit({ elicitation }: Readonly<Record<string, unknown>>): boolean {
  if (typeof elicitation !== 'object' || elicitation === null) return false;
  return Object.keys(elicitation).length === 0 || 'form' in elicitation;
}

/** 2026-07-28: the question ends this request; answer and sealed state come with the next one (S:basic/patterns/mrtr). */
export const askModern: Ask = async (question, { answers, requestState }) => {
  const { key } = question;
  if (requestState !== undefined) {
    question.check(requestState);
    if (answers && Object.hasOwn(answers, key)) return { answer: answers[key], state: requestState };
  }
  const params = { mode: 'form', ...toElicitation(question) };
  const inputRequests = { [key]: { method: 'elicitation/create', params } };
  return {
    outcome: { content: [], isError: false, inputRequired: { inputRequests, requestState: question.seal() } },
  };
};

/** Sends a request of ours, recorded under the span. */
export type PutToClient = (
  method: string,
  params: unknown,
  signal: AbortSignal,
  span: CallSpan | undefined,
) => Promise<unknown>;

/** 2025-11-25 and older: a request of ours, answered while the call waits. */
export function createLegacyAsk(put: PutToClient): Ask {
  return async (question, { signal, span }) => ({
    answer: await put('elicitation/create', toElicitation(question), signal, span),
  });
}

/** Form mode is what an absent `mode` means, and revisions before 2025-11-25 know no other. */
function toElicitation({ message, form }: Question) {
  return { message, requestedSchema: form };
}
