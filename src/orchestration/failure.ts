// The only place where a failure becomes an answer: typed data beside a text that says what to do next.
import type { ExecutionContext } from '../call/execution-context.ts';
import type { Outcome } from '../call/outcome.ts';
import type { Endpoint } from '../endpoint/model.ts';
import { ERRORS, type FailureMode, GatewayError } from '../errors.ts';
import type { Answer } from '../executor/answer/build-answer.ts';

const MAX_TEXT = 4_000;

/** What helps, beyond what the error says itself. */
const ADVICE: Partial<Record<FailureMode, string>> = {
  timeout:
    'The request may still have taken effect. Check, in this order:\n1. whether it did, before repeating anything but a read\n2. a smaller question: fewer items, a narrower filter\n3. with the user, whether the API is slow or down, and timeoutMs in its domain file',
  unreachable: 'Changing the arguments will not help; tell the user the API cannot be reached.',
  bad_response: 'Changing the arguments will hardly help; tell the user the API gave a broken answer.',
  too_large: 'Ask for less: a smaller page, a filter, or `fields` with only what you need.',
  redirect_blocked: 'Changing the arguments will not help; tell the user the API wants to send this request elsewhere.',
};

/** A typed tool failure as an outcome; anything else is not ours to explain and is thrown on. */
export function toFailure(context: ExecutionContext, error: unknown): Outcome {
  if (!(error instanceof GatewayError)) throw error;
  const row = ERRORS[error.code];
  if (row.wire !== 'tool') throw error;
  return buildFailure(context, row.mode, error.message, error.details, error.code === 'HANDLER_FAILED' && error.cause);
}

function buildFailure(
  context: ExecutionContext,
  mode: FailureMode,
  message: string,
  details: Readonly<Record<string, unknown>>,
  cause: unknown = undefined,
): Outcome {
  context.noteFailure(mode, cause || undefined);
  const advice = ADVICE[mode];
  const text = cut(advice ? `${message}\n${advice}` : message);
  return {
    content: [{ type: 'text', text }],
    isError: true,
    // Some clients show the model only this (Claude Code): so it carries the text as well.
    structured: { ...(isPrintable(details) && details), failure_mode: mode, message: text },
  };
}

/** Details come from code that is not all ours: what JSON cannot say is left out. */
function isPrintable(details: object): boolean {
  try {
    JSON.stringify(details);
    return true;
  } catch {
    return false;
  }
}

/** An HTTP error status: the API answered, and the answer was no. */
export function toUpstreamFailure(context: ExecutionContext, endpoint: Endpoint, answer: Answer): Outcome {
  const { status, problem, retryAfterSeconds } = answer;
  const tool = context.label;
  const mode: FailureMode = status === 429 ? 'rate_limited' : 'upstream_error';
  const reason = [problem?.title, problem?.detail].filter(Boolean).join(': ');
  const lines = [
    `${tool} failed: the API answered ${status}${reason ? ` (${reason})` : ''}.`,
    advise(status, endpoint, retryAfterSeconds),
  ];
  // The body is there when it says more than was understood of it, errors included.
  if (problem?.body) lines.push(`It said: ${problem.body}`);
  else if (problem?.errors !== undefined) lines.push(`errors: ${JSON.stringify(problem.errors)}`);
  return buildFailure(context, mode, lines.join('\n'), {
    tool,
    status,
    ...(problem?.title !== undefined && { title: problem.title }),
    ...(problem?.detail !== undefined && { detail: problem.detail }),
    ...(problem?.type !== undefined && { type: problem.type }),
    ...(problem?.errors !== undefined && { errors: problem.errors }),
    ...(problem?.body !== undefined && { body: problem.body }),
    ...(retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }),
  });
}

function advise(status: number, endpoint: Endpoint, retryAfterSeconds: number | undefined): string {
  const safe = endpoint.effect === 'read' || endpoint.idempotent;
  if (status === 401 || status === 403) {
    return 'Not fixable by changing arguments: the gateway’s credentials for this API are missing, wrong or not allowed to do this. Tell the user.';
  }
  if (status === 404 || status === 410) return 'Check the identifiers in the arguments: what they name does not exist.';
  if (status === 409 || status === 412) return 'The state of the thing does not allow it: read it again, then decide.';
  if (status === 429) return `Too many requests: wait ${retryAfterSeconds ?? 'a few'} seconds, then call again.`;
  if (status < 400) return 'The API did not answer with a result.';
  if (status < 500) return 'Fix the arguments as the answer says and call again.';
  const when = retryAfterSeconds === undefined ? 'later' : `in ${retryAfterSeconds} seconds`;
  return safe
    ? `The API has a problem of its own. It is safe to try again ${when}.`
    : `The API has a problem of its own. The call may have taken effect: look before you repeat it.`;
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}… [cut]`;
}
