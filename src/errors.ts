// The error table: every way a call, a message or a start can fail, by name. One class carries them all.
// `jsonrpc` failures become JSON-RPC errors, `tool` failures become `isError` results (only orchestration/failure.ts
// writes those), `startup` failures become one sentence on stderr and a non-zero exit code.

export const ERRORS = {
  // protocol: the message itself is wrong (MCP 2026-07-28, basic/index and transports)
  PARSE_ERROR: { wire: 'jsonrpc', code: -32700 },
  INVALID_REQUEST: { wire: 'jsonrpc', code: -32600 },
  METHOD_NOT_FOUND: { wire: 'jsonrpc', code: -32601 },
  INVALID_PARAMS: { wire: 'jsonrpc', code: -32602 },
  INVALID_ENVELOPE: { wire: 'jsonrpc', code: -32602 },
  INTERNAL: { wire: 'jsonrpc', code: -32603 },
  INSUFFICIENT_SCOPE: { wire: 'jsonrpc', code: -32600 },
  UNKNOWN_TOOL: { wire: 'jsonrpc', code: -32602 },
  RESOURCE_NOT_FOUND: { wire: 'jsonrpc', code: -32602 },
  SESSION_NOT_FOUND: { wire: 'jsonrpc', code: -32001 },
  ANSWER_UNDELIVERED: { wire: 'jsonrpc', code: -32603 },
  HEADER_MISMATCH: { wire: 'jsonrpc', code: -32020 },
  MISSING_CLIENT_CAPABILITY: { wire: 'jsonrpc', code: -32021 },
  UNSUPPORTED_PROTOCOL_VERSION: { wire: 'jsonrpc', code: -32022 },

  // tool: the call was understood and did not succeed
  VALIDATION: { wire: 'tool', mode: 'validation' },
  NOT_CONFIRMED: { wire: 'tool', mode: 'not_confirmed' },
  DENIED: { wire: 'tool', mode: 'denied' },
  MISSING_CREDENTIAL: { wire: 'tool', mode: 'missing_credential' },
  TIMEOUT: { wire: 'tool', mode: 'timeout' },
  UNREACHABLE: { wire: 'tool', mode: 'unreachable' },
  UPSTREAM_ERROR: { wire: 'tool', mode: 'upstream_error' },
  BAD_RESPONSE: { wire: 'tool', mode: 'bad_response' },
  TOO_LARGE: { wire: 'tool', mode: 'too_large' },
  REDIRECT_BLOCKED: { wire: 'tool', mode: 'redirect_blocked' },
  RATE_LIMITED: { wire: 'tool', mode: 'rate_limited' },
  CANCELLED: { wire: 'tool', mode: 'cancelled' },
  NOT_RECORDED: { wire: 'tool', mode: 'not_recorded' },
  SHUTTING_DOWN: { wire: 'tool', mode: 'shutting_down' },
  HANDLER_FAILED: { wire: 'tool', mode: 'handler_failed' },

  // startup: the gateway cannot be built as asked
  BAD_CONFIG: { wire: 'startup' },
  BAD_DOMAIN: { wire: 'startup' },
  BAD_DOCUMENT: { wire: 'startup' },
  CANNOT_LISTEN: { wire: 'startup' },
} as const satisfies Record<
  string,
  { wire: 'jsonrpc'; code: number } | { wire: 'tool'; mode: string } | { wire: 'startup' }
>;

export type ErrorCode = keyof typeof ERRORS;

/** The name a failed call carries on the wire (`failure_mode`). */
export type FailureMode = Extract<(typeof ERRORS)[ErrorCode], { wire: 'tool' }>['mode'];

/** Any failure the gateway knows how to explain. `details` go to the client as they are: never put a secret there. */
export class GatewayError extends Error {
  override readonly name: string = 'GatewayError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = Object.freeze(details);
  }
}

/** The command line or a setting is wrong: the program ends with exit code 2. */
export function usageError(message: string, cause?: unknown): GatewayError {
  return new GatewayError('BAD_CONFIG', message, { usage: true }, cause);
}

/** What a call whose time ran out has done: `nothing` when it only reads, or was never sent; `unproven` where its login hangs. */
export type Aftermath = 'nothing' | 'unknown' | 'unproven';

/** The deadline of a call passed: connecting, waiting and reading are one budget. */
export class ToolTimeoutError extends GatewayError {
  override readonly name = 'ToolTimeoutError';
  readonly toolName: string;
  readonly timeoutSeconds: number;
  readonly aftermath: Aftermath;

  constructor(toolName: string, timeoutSeconds: number, aftermath: Aftermath = 'unknown') {
    const who = aftermath === 'unproven' ? `${toolName}: the server that issues its token` : toolName;
    super('TIMEOUT', `${who} did not answer within ${timeoutSeconds} s.`, {
      tool: toolName,
      timeout_seconds: timeoutSeconds,
    });
    this.toolName = toolName;
    this.timeoutSeconds = timeoutSeconds;
    this.aftermath = aftermath;
  }
}

/** A question did not reach anybody, or brought no answer. */
export class UnansweredError extends GatewayError {
  override readonly name = 'UnansweredError';
  /** Why, without advice. */
  readonly why: string;

  constructor(why: string) {
    super('NOT_CONFIRMED', `${why}; nothing was sent. Ask the user, then call again.`);
    this.why = why;
  }
}

/** The caller's token does not cover a call, and another one could: over HTTP the challenge says which (RFC 6750 3.1). */
export class ScopeError extends GatewayError {
  override readonly name = 'ScopeError';
  /** `WWW-Authenticate`. */
  readonly challenge: string;

  constructor(tool: string, scopes: readonly string[], challenge: string) {
    super('INSUFFICIENT_SCOPE', `${tool} needs a token with other scopes: ${scopes.join(' ')}. Nothing was sent.`, {
      failure_mode: 'insufficient_scope',
      tool,
      scopes,
    });
    this.challenge = challenge;
  }
}

/** The JSON-RPC code an error becomes. What is not of ours, or fails otherwise than by JSON-RPC, is internal. */
export function toRpcCode(error: unknown): number {
  const row = error instanceof GatewayError ? ERRORS[error.code] : undefined;
  return row?.wire === 'jsonrpc' ? row.code : ERRORS.INTERNAL.code;
}
