// The only place where a failure becomes the result of a tool: typed data, and a text that says what to do next.

import type { ExecutionContext } from '../call/execution-context.ts';
import type { Outcome } from '../call/outcome.ts';
import { loginSecrets } from '../credentials/login/document-login.ts';
import { chooseCredentials, isSignature } from '../credentials/proof.ts';
import { secretsIn, tokenSourceOf, unsetVariables } from '../credentials/secrets.ts';
import { adviseStatus, type RefusedCall } from '../endpoint/conventions/status-advice.ts';
import type { Endpoint, Target } from '../endpoint/model.ts';
import { wholeCharacters } from '../endpoint/plain-text.ts';
import { ERRORS, type FailureMode, GatewayError, type TimeoutEffect, ToolTimeoutError } from '../errors.ts';
import { isSilent } from '../executor/answer/api-problem.ts';
import type { Answer } from '../executor/answer/build-answer.ts';
import { DEFAULT_ACCEPT } from '../executor/request/build-request.ts';

const MAX_TEXT = 4_000;

/** Advice that is added to the message of the error. */
const ADVICE: Partial<Record<FailureMode, string>> = {
  unreachable: 'Changing the arguments will not help; tell the user the API cannot be reached.',
  bad_response: 'Changing the arguments is unlikely to help; tell the user the API gave a broken answer.',
  redirect_blocked:
    'Changing the arguments will not help; tell the user the API redirects this request to another address.',
};

const SMALLER = 'fewer items, a narrower filter';
const TIMEOUT_ADVICE: Readonly<Record<TimeoutEffect, string>> = {
  nothing: `Nothing was changed, so it is safe to call again. Try, in this order:\n1. a smaller request: ${SMALLER}\n2. to ask the user whether the API is slow or down, and whether timeoutMs in its domain file is too low`,
  unproven: `The call itself was not sent. Changing the arguments will not help. Try it once more, then check, in this order:\n1. with the user, whether that server is slow or down\n2. timeoutMs in the domain file`,
  unknown: `The request may still have taken effect. Check, in this order:\n1. whether it did, before repeating anything but a read\n2. whether a smaller request works: ${SMALLER}\n3. with the user, whether the API is slow or down, and whether timeoutMs in its domain file is too low`,
};

/** A typed tool failure as an outcome. Any other error is thrown. */
export function toFailure(context: ExecutionContext, error: unknown): Outcome {
  if (!(error instanceof GatewayError)) throw error;
  const row = ERRORS[error.code];
  if (row.wire !== 'tool') throw error;
  const advice =
    row.mode === 'timeout'
      ? TIMEOUT_ADVICE[error instanceof ToolTimeoutError ? error.aftermath : 'unknown']
      : ADVICE[row.mode];
  const message = advice === undefined ? error.message : `${error.message}\n${advice}`;
  return buildFailure(context, row.mode, message, error.details, error.code === 'HANDLER_FAILED' && error.cause);
}

function buildFailure(
  context: ExecutionContext,
  mode: FailureMode,
  message: string,
  details: Readonly<Record<string, unknown>>,
  cause: unknown = undefined,
): Outcome {
  context.noteFailure(mode, cause || undefined, reasonOf(mode, message, details));
  const text = cut(message);
  return {
    content: [{ type: 'text', text }],
    isError: true,
    ...(mode === 'shutting_down' && { isUnavailable: true }),
    // Some clients (Claude Code) show the model only this, so it contains the text as well.
    structured: { ...(isPrintable(details) && details), failure_mode: mode, message: text },
  };
}

/** Modes whose message contains no argument, only the API, its address and its variables. */
const PLAIN_MODES: ReadonlySet<FailureMode> = new Set(['missing_credential', 'unreachable', 'timeout', 'denied']);
const MAX_REASON_PROBLEMS = 3;
const MAX_REASON_CHARS = 200;

/** The reason for the log: which argument is wrong and how. It must not contain values of arguments. */
function reasonOf(
  mode: FailureMode,
  message: string,
  { errors, limit }: Readonly<Record<string, unknown>>,
): string | undefined {
  if (mode === 'rate_limited' && typeof limit === 'string') return limit.slice(0, MAX_REASON_CHARS);
  if (mode === 'validation' && Array.isArray(errors)) {
    const words = errors.slice(0, MAX_REASON_PROBLEMS).map((one: { path?: unknown; problem?: unknown }) => {
      const path = typeof one?.path === 'string' ? one.path.slice(0, 60) : '';
      return `${typeof one?.problem === 'string' ? one.problem : 'wrong'} ${path}`.trim();
    });
    const more = errors.length - words.length;
    return `${words.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
  }
  return PLAIN_MODES.has(mode) ? message.split('\n', 1)[0]!.slice(0, MAX_REASON_CHARS) : undefined;
}

/** Details may come from the operator's code. If JSON cannot express them, they are left out. */
function isPrintable(details: object): boolean {
  try {
    JSON.stringify(details);
    return true;
  } catch {
    return false;
  }
}

/** A failure for an HTTP error status of the API. */
export function toUpstreamFailure(context: ExecutionContext, endpoint: Endpoint, answer: Answer): Outcome {
  const { status, problem, retryAfterSeconds } = answer;
  const tool = context.label;
  const mode: FailureMode = status === 429 ? 'rate_limited' : 'upstream_error';
  const reason = [problem?.title, problem?.detail].filter(Boolean).join(': ');
  const lines = [
    `${tool} failed: the API answered ${status}${reason ? ` (${reason})` : ''}.`,
    adviseStatus(toRefusedCall(endpoint, answer)),
  ];
  // The body is shown if it contains more than what was understood of it, including errors.
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

/** The properties of the operation and of the answer on which the advice depends. */
function toRefusedCall(endpoint: Endpoint, answer: Answer): RefusedCall {
  const { status, problem, retryAfterSeconds, allow, challenge } = answer;
  const keysWhere = (test: (target: Target) => boolean) =>
    endpoint.args.filter(({ to }) => to.some(test)).map(({ key }) => key);
  const choice = chooseCredentials(endpoint);
  const credentials = choice.kind === 'chosen' ? choice.credentials : [];
  return {
    status,
    method: endpoint.method,
    path: endpoint.path,
    basePath: URL.canParse(endpoint.baseUrl) ? new URL(endpoint.baseUrl).pathname.replace(/\/$/, '') : '',
    isRead: endpoint.effect === 'read',
    isIdempotent: endpoint.idempotent,
    arguments: {
      path: keysWhere((target) => target.in === 'path'),
      other: keysWhere((target) => target.in !== 'path'),
      condition: keysWhere((target) => target.in === 'header' && /^if-/i.test(target.name)),
    },
    isSilent: isSilent(status, problem),
    mediaType: endpoint.body?.mediaType,
    sendsFile: endpoint.body?.kind === 'multipart' || endpoint.body?.kind === 'binary',
    accept: endpoint.response.accept ?? DEFAULT_ACCEPT,
    sentVariables: [...new Set(credentials.flatMap(secretsIn).map(({ variable }) => variable))],
    sentTokenFrom: credentials.map(tokenSourceOf).find((source) => source !== undefined),
    unsetVariables:
      credentials.length > 0 ? [] : endpoint.security.map((set) => [...new Set(set.flatMap(unsetVariables))]),
    loginArguments: loginSecrets(endpoint),
    clock: credentials.some(isSignature) ? clockOf(answer) : undefined,
    allow,
    challenge,
    retryAfterSeconds,
  };
}

/** AWS's messages about signatures that are too old or too new. */
const SKEWED = /RequestTimeTooSkewed|RequestExpired|Signature expired|Signature not yet current/;

/** Why a signature may be refused though its key is right. */
function clockOf({ problem, clockSkewSeconds }: Answer): RefusedCall['clock'] {
  const isSkewed = [problem?.title, problem?.detail, problem?.type, problem?.body].some((text) =>
    SKEWED.test(text ?? ''),
  );
  return clockSkewSeconds === undefined && !isSkewed ? undefined : { skewSeconds: clockSkewSeconds };
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${wholeCharacters(text, MAX_TEXT)}… [cut]`;
}
