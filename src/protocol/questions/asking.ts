// Questions to the person behind a client, as each era of MCP puts them (client/elicitation).
import type { Ask, AskingCall, Choice, Question, YesNoQuestion } from '../../call/caller.ts';
import { GatewayError } from '../../errors.ts';
import type { CallSpan } from '../../tracing/call-span.ts';

/** What a person fills in to agree, or not. */
const YES_NO = Object.freeze({
  type: 'object',
  properties: { confirm: { type: 'boolean', title: 'Yes, do it', description: 'Allow this one call' } },
  required: ['confirm'],
});

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
export const askModern = (async (question: Question | YesNoQuestion, { answers, requestState }: AskingCall) => {
  const { key } = question;
  if (requestState !== undefined) {
    question.check(requestState);
    if (answers && Object.hasOwn(answers, key)) {
      return { answer: toAnswer(question, answers[key]), state: requestState };
    }
  }
  const params = { mode: 'form', ...toElicitation(question) };
  const inputRequests = { [key]: { method: 'elicitation/create', params } };
  return {
    outcome: { content: [], isError: false, inputRequired: { inputRequests, requestState: question.seal() } },
  };
}) as Ask;

/** Sends a request of ours, recorded under the span. */
export type PutToClient = (
  method: string,
  params: unknown,
  signal: AbortSignal,
  span: CallSpan | undefined,
) => Promise<unknown>;

/** 2025-11-25 and older: a request of ours, answered while the call waits. */
export function createLegacyAsk(put: PutToClient): Ask {
  return (async (question: Question | YesNoQuestion, { signal, span }: AskingCall) => ({
    answer: toAnswer(question, await put('elicitation/create', toElicitation(question), signal, span)),
  })) as Ask;
}

/** Form mode is what an absent `mode` means, and revisions before 2025-11-25 know no other. */
function toElicitation({ message, form = YES_NO }: Question | YesNoQuestion) {
  return { message, requestedSchema: form };
}

function toAnswer({ form }: Question | YesNoQuestion, answer: unknown): unknown {
  return form === undefined ? parseChoice(answer) : answer;
}

/** `accept` needs the box ticked as well. */
function parseChoice(answer: unknown): Choice {
  const { action, content } = (answer ?? {}) as { action?: unknown; content?: { confirm?: unknown } };
  if (action === 'decline' || action === 'cancel') return action;
  if (action === 'accept' && typeof content?.confirm === 'boolean') return content.confirm ? 'accept' : 'no';
  throw new GatewayError(
    'INVALID_PARAMS',
    'The answer to the confirmation must be {"action":"accept","content":{"confirm":true}}, or action "decline" or "cancel".',
  );
}
