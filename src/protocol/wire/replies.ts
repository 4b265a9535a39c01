// Replies that several methods share: results, an unknown method, and failures as the JSON-RPC error and HTTP status of their era. The
// table in errors.ts decides about failures.
import { RETRY_AFTER_SHUTDOWN_SECONDS } from '../../adapter/active-calls.ts';
import { ERRORS, GatewayError, ScopeError, toHttpStatus, toRpcCode } from '../../errors.ts';
import type { Redaction } from '../../orchestration/redaction.ts';
import type { Reply } from '../sender.ts';
import { type JsonRpcId, writeError, writeResult } from './jsonrpc.ts';
import type { SharedResult } from './results.ts';

export function ok({ id }: { readonly id: JsonRpcId }, result: string | SharedResult): Reply {
  return typeof result === 'string' ? { body: writeResult(id, result), status: 200 } : result.answer(id);
}

/** The same reply with status 503, if the gateway is shutting down: proxies and clients should use another one. */
export function unavailable(reply: Reply): Reply {
  return { ...reply, status: 503, retryAfterSeconds: RETRY_AFTER_SHUTDOWN_SECONDS };
}

export function notFound(method: string): GatewayError {
  return new GatewayError('METHOD_NOT_FOUND', `Method not found: ${method.slice(0, 100)}`);
}

export type FailureReply = (id: JsonRpcId | undefined, error: unknown, isModern: boolean) => Reply;

export function createFailureReply(redaction: Redaction, onInternalError: (error: unknown) => void): FailureReply {
  return (id, error, isModern) => {
    const row = error instanceof GatewayError ? ERRORS[error.code] : undefined;
    const code = toRpcCode(error, isModern);
    const status = toHttpStatus(error, isModern);
    // The text of start-up errors names our files, so it must not be sent.
    if (!(error instanceof GatewayError) || !row || row.wire === 'startup') {
      onInternalError(error);
      const message = 'Internal error; the gateway’s log says more.';
      return { body: writeError(id, code, message), status, errorCode: code, error: 'INTERNAL' };
    }
    // Only the result of a tool call has isError. For other requests, such a failure is an error of the request, with the reason.
    const details = row.wire === 'tool' ? { ...error.details, failure_mode: row.mode } : error.details;
    const message = redaction.text(error.message);
    const body = write(id, code, message, details);
    const reply = { body, status, errorCode: code, error: error.code };
    if (error.code === 'SESSION_NOT_FOUND') return { ...reply, refused: 'session' };
    if (error instanceof ScopeError) return { ...reply, challenge: error.challenge };
    return error.code === 'SHUTTING_DOWN' ? unavailable(reply) : reply;
  };

  /** Some details come from handlers: those that JSON cannot express are left out. */
  function write(id: JsonRpcId | undefined, code: number, message: string, details: object): string {
    try {
      return writeError(id, code, message, Object.keys(details).length > 0 ? redaction.value(details) : undefined);
    } catch (error) {
      onInternalError(error);
      return writeError(id, code, message);
    }
  }
}
