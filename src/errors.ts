// The error table: every way in which a call, a message or a start can fail, by name. GatewayError is the class of all of them.
// `jsonrpc` failures become JSON-RPC errors, `tool` failures become `isError` results (only orchestration/failure.ts writes those),
// `startup` failures become one sentence on stderr and a non-zero exit code.

/**
 * fault: whose mistake it is; in traces, a mistake of the client is no failure of this server. status: of the HTTP answer (MCP
 * 2026-07-28, basic/transports); absent: 200. legacy: what differs in 2025-11-25 and older.
 */
interface JsonRpcRow {
  readonly wire: 'jsonrpc';
  readonly code: number;
  readonly fault: 'client' | 'gateway';
  readonly status?: number;
  readonly legacy?: { readonly code?: number; readonly status?: number };
}

type Row =
  | JsonRpcRow
  | { readonly wire: 'tool'; readonly mode: string; readonly status?: number }
  | { readonly wire: 'startup' };

/**
 * The error table: how each failure is sent to clients.
 *
 * ```ts
 * console.assert(ERRORS.TIMEOUT.mode === 'timeout');
 * ```
 */
export const ERRORS = {
  // protocol: the message itself is wrong (MCP 2026-07-28, basic/index and transports)
  PARSE_ERROR: { wire: 'jsonrpc', code: -32700, fault: 'client', status: 400 },
  INVALID_REQUEST: { wire: 'jsonrpc', code: -32600, fault: 'client', status: 400 },
  // To a legacy client 404 would mean that its session is gone.
  METHOD_NOT_FOUND: { wire: 'jsonrpc', code: -32601, fault: 'client', status: 404, legacy: { status: 200 } },
  INVALID_PARAMS: { wire: 'jsonrpc', code: -32602, fault: 'client' },
  INVALID_ENVELOPE: { wire: 'jsonrpc', code: -32602, fault: 'client', status: 400 },
  INTERNAL: { wire: 'jsonrpc', code: -32603, fault: 'gateway' },
  INSUFFICIENT_SCOPE: { wire: 'jsonrpc', code: -32600, fault: 'client', status: 403 },
  UNKNOWN_TOOL: { wire: 'jsonrpc', code: -32602, fault: 'client' },
  // 2025-11-25 and older have a different code for it (server/resources).
  RESOURCE_NOT_FOUND: { wire: 'jsonrpc', code: -32602, fault: 'client', legacy: { code: -32002 } },
  SESSION_NOT_FOUND: { wire: 'jsonrpc', code: -32001, fault: 'client', status: 404 },
  // An answer that was not accepted has an error status (2025-11-25, basic/transports).
  ANSWER_UNDELIVERED: { wire: 'jsonrpc', code: -32603, fault: 'gateway', status: 503 },
  HEADER_MISMATCH: { wire: 'jsonrpc', code: -32020, fault: 'client', status: 400 },
  MISSING_CLIENT_CAPABILITY: { wire: 'jsonrpc', code: -32021, fault: 'client', status: 400 },
  UNSUPPORTED_PROTOCOL_VERSION: { wire: 'jsonrpc', code: -32022, fault: 'client', status: 400 },

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
  SHUTTING_DOWN: { wire: 'tool', mode: 'shutting_down', status: 503 },
  HANDLER_FAILED: { wire: 'tool', mode: 'handler_failed' },

  // startup: the gateway cannot be built as asked
  BAD_CONFIG: { wire: 'startup' },
  BAD_DOMAIN: { wire: 'startup' },
  BAD_DOCUMENT: { wire: 'startup' },
  CANNOT_LISTEN: { wire: 'startup' },
} as const satisfies Record<string, Row>;

/** The name of a failure. */
export type ErrorCode = keyof typeof ERRORS;

/** The `failure_mode` of a failed call, as clients see it. */
export type FailureMode = Extract<(typeof ERRORS)[ErrorCode], { wire: 'tool' }>['mode'];

/**
 * A failure that the gateway can explain. `details` are sent to the client as they are: never put a secret there.
 *
 * ```ts
 * const refusal = new GatewayError('DENIED', 'users.ban is not allowed at night.', { tool: 'users.ban' });
 * console.assert(refusal.code === 'DENIED');
 * ```
 */
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

/** A failure of one tool, resource or prompt. The message is `tool: what is wrong`. */
export class ToolError extends GatewayError {
  /** The message without the name of the tool. */
  readonly why: string;

  constructor(code: ErrorCode, tool: string, why: string, details: Record<string, unknown> = {}, cause?: unknown) {
    super(code, `${tool}: ${why}`, details, cause);
    this.why = why;
  }
}

/**
 * There is no token for a call, so it was not made: the server that issues tokens cannot be reached, or its answer has no usable
 * token. If it refuses the secrets, that is MISSING_CREDENTIAL.
 */
export class NoTokenError extends ToolError {}

/**
 * The effect of a call that timed out: `nothing` if it only reads or was never sent, `unproven` if its login did not
 * answer.
 */
export type TimeoutEffect = 'nothing' | 'unknown' | 'unproven';

/**
 * The deadline of a call passed. Connecting, waiting and reading share one deadline.
 *
 * ```ts
 * const timeout = new ToolTimeoutError('pets.get', 30);
 * console.assert(timeout.message === 'pets.get did not answer within 30 s.');
 * ```
 */
export class ToolTimeoutError extends GatewayError {
  override readonly name = 'ToolTimeoutError';
  readonly toolName: string;
  readonly timeoutSeconds: number;
  readonly aftermath: TimeoutEffect;

  constructor(toolName: string, timeoutSeconds: number, aftermath: TimeoutEffect = 'unknown') {
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

/** A question could not be delivered, or was not answered. */
export class UnansweredError extends GatewayError {
  override readonly name = 'UnansweredError';
  /** The reason, without advice. */
  readonly why: string;

  constructor(why: string) {
    super('NOT_CONFIRMED', `${why}; nothing was sent. Ask the user, then call again.`);
    this.why = why;
  }
}

/** The caller's token does not cover a call, but another one could. Over HTTP the challenge says which (RFC 6750 3.1). */
export class ScopeError extends GatewayError {
  override readonly name = 'ScopeError';
  /** The value of `WWW-Authenticate`. */
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

/** The JSON-RPC code of an error: INTERNAL if it is not a GatewayError, or does not become a JSON-RPC error. */
export function toRpcCode(error: unknown, isModern: boolean): number {
  const row: Row | undefined = error instanceof GatewayError ? ERRORS[error.code] : undefined;
  if (row?.wire !== 'jsonrpc') return ERRORS.INTERNAL.code;
  return (isModern ? undefined : row.legacy?.code) ?? row.code;
}

/** The HTTP status of the answer with this error. */
export function toHttpStatus(error: unknown, isModern: boolean): number {
  const row: Row | undefined = error instanceof GatewayError ? ERRORS[error.code] : undefined;
  if (row === undefined || row.wire === 'startup') return 500;
  const legacy = row.wire === 'jsonrpc' && !isModern ? row.legacy?.status : undefined;
  return legacy ?? row.status ?? 200;
}

/** Whether a request with this error failed in the gateway, not because of a mistake of the client. */
export function isOwnFault(code: ErrorCode): boolean {
  const row: Row = ERRORS[code];
  return row.wire !== 'jsonrpc' || row.fault === 'gateway';
}
