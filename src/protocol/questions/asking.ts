// Questions to the person who uses a client, in the form of each era of MCP (client/elicitation).
import type { Ask, AskingCall, Choice, Question, YesNoQuestion } from '../../call/caller.ts';
import { GatewayError } from '../../errors.ts';
import type { CallSpan } from '../../tracing/call-span.ts';

/** The form of a confirmation. */
const YES_NO = Object.freeze({
  type: 'object',
  properties: { confirm: { type: 'boolean', title: 'Yes, do it', description: 'Allow this one call' } },
  required: ['confirm'],
});

/** Parts of the second request of a multi round-trip request: the person's answers, and the state that we signed. */
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

/** Sends a request of the gateway to the client, recorded under the span. */
export type SendRequest = (
  method: string,
  params: unknown,
  signal: AbortSignal,
  span: CallSpan | undefined,
) => Promise<unknown>;

/** 2025-11-25 and older: a request of the gateway, answered while the call waits. */
export function createLegacyAsk(sendRequest: SendRequest): Ask {
  return (async (question: Question | YesNoQuestion, { signal, span }: AskingCall) => ({
    answer: toAnswer(question, await sendRequest('elicitation/create', toElicitation(question), signal, span)),
  })) as Ask;
}

/** An absent `mode` means form mode; revisions before 2025-11-25 have no other. */
function toElicitation({ message, form = YES_NO }: Question | YesNoQuestion) {
  return { message, requestedSchema: form };
}

function toAnswer({ form }: Question | YesNoQuestion, answer: unknown): unknown {
  return form === undefined ? parseChoice(answer) : answer;
}

/** `accept` counts only if the box is ticked as well. */
function parseChoice(answer: unknown): Choice {
  const { action, content } = (answer ?? {}) as { action?: unknown; content?: { confirm?: unknown } };
  if (action === 'decline' || action === 'cancel') return action;
  if (action === 'accept' && typeof content?.confirm === 'boolean') return content.confirm ? 'accept' : 'no';
  throw new GatewayError(
    'INVALID_PARAMS',
    'The answer to the confirmation must be {"action":"accept","content":{"confirm":true}}, or action "decline" or "cancel".',
  );
}
