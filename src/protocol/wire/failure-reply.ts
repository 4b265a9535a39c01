// What went wrong, as the JSON-RPC error and HTTP status of its era. The table in errors.ts decides.
import { ERRORS, GatewayError, ScopeError, toRpcCode } from '../../errors.ts';
import type { Redaction } from '../../orchestration/redaction.ts';
import type { Reply } from '../sender.ts';
import { type RequestId, writeError } from './jsonrpc.ts';
import { unavailable } from './reply.ts';

export type FailureReply = (id: RequestId | undefined, error: unknown, isModern: boolean) => Reply;

/** 2025-11-25 and older have a code of their own for this (server/resources). */
const LEGACY_RESOURCE_NOT_FOUND = -32002;

export function createFailureReply(redaction: Redaction, onInternalError: (error: unknown) => void): FailureReply {
  return (id, error, isModern) => {
    const row = error instanceof GatewayError ? ERRORS[error.code] : undefined;
    // Start-up errors must not get out here: their text names our files.
    if (!(error instanceof GatewayError) || !row || row.wire === 'startup') {
      onInternalError(error);
      const message = 'Internal error; the gateway’s log says more.';
      const errorCode = ERRORS.INTERNAL.code;
      return { body: writeError(id, errorCode, message), status: 500, errorCode, error: 'INTERNAL' };
    }
    const code = !isModern && error.code === 'RESOURCE_NOT_FOUND' ? LEGACY_RESOURCE_NOT_FOUND : toRpcCode(error);
    // Only a tool call has isError; for other requests, such a failure becomes an error of the request, with the reason.
    const details = row.wire === 'tool' ? { ...error.details, failure_mode: row.mode } : error.details;
    const message = redaction.text(error.message);
    const body = write(id, code, message, details);
    const reply = { body, errorCode: code, error: error.code };
    if (error.code === 'SESSION_NOT_FOUND') return { ...reply, status: 404, refused: 'session' };
    if (error instanceof ScopeError) return { ...reply, status: 403, challenge: error.challenge };
    if (error.code === 'SHUTTING_DOWN') return unavailable({ ...reply, status: 503 });
    return { ...reply, status: statusOf(error, isModern) };
  };

  /** Details come from code that is not all ours: what JSON cannot say is left out. */
  function write(id: RequestId | undefined, code: number, message: string, details: object): string {
    try {
      return writeError(id, code, message, Object.keys(details).length > 0 ? redaction.value(details) : undefined);
    } catch (error) {
      onInternalError(error);
      return writeError(id, code, message);
    }
  }
}

/** 2026-07-28, basic/transports. To a legacy client 404 would mean that its session is gone. */
function statusOf(error: GatewayError, isModern: boolean): number {
  switch (error.code) {
    case 'METHOD_NOT_FOUND':
      return isModern ? 404 : 200;
    case 'PARSE_ERROR':
    case 'INVALID_REQUEST':
    case 'INVALID_ENVELOPE':
    case 'HEADER_MISMATCH':
    case 'MISSING_CLIENT_CAPABILITY':
    case 'UNSUPPORTED_PROTOCOL_VERSION':
      return 400;
    // An answer that was not accepted has an error status (2025-11-25, basic/transports).
    case 'ANSWER_UNDELIVERED':
      return 503;
    default:
      return 200;
  }
}
