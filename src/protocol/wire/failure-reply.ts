// What went wrong, as the JSON-RPC error and HTTP status of its era. The table in errors.ts decides.
import { ERRORS, GatewayError, ScopeError, toHttpStatus, toRpcCode } from '../../errors.ts';
import type { Redaction } from '../../orchestration/redaction.ts';
import type { Reply } from '../sender.ts';
import { type RequestId, writeError } from './jsonrpc.ts';
import { unavailable } from './reply.ts';

export type FailureReply = (id: RequestId | undefined, error: unknown, isModern: boolean) => Reply;

export function createFailureReply(redaction: Redaction, onInternalError: (error: unknown) => void): FailureReply {
  return (id, error, isModern) => {
    const row = error instanceof GatewayError ? ERRORS[error.code] : undefined;
    const code = toRpcCode(error, isModern);
    const status = toHttpStatus(error, isModern);
    // Start-up errors must not get out here: their text names our files.
    if (!(error instanceof GatewayError) || !row || row.wire === 'startup') {
      onInternalError(error);
      const message = 'Internal error; the gateway’s log says more.';
      return { body: writeError(id, code, message), status, errorCode: code, error: 'INTERNAL' };
    }
    // Only a tool call has isError; for other requests, such a failure becomes an error of the request, with the reason.
    const details = row.wire === 'tool' ? { ...error.details, failure_mode: row.mode } : error.details;
    const message = redaction.text(error.message);
    const body = write(id, code, message, details);
    const reply = { body, status, errorCode: code, error: error.code };
    if (error.code === 'SESSION_NOT_FOUND') return { ...reply, refused: 'session' };
    if (error instanceof ScopeError) return { ...reply, challenge: error.challenge };
    return error.code === 'SHUTTING_DOWN' ? unavailable(reply) : reply;
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
