// Why a call ended in a JSON-RPC error, for its record. Failures that become the result of a tool are noted where they become one.
import type { ExecutionContext } from '../call/execution-context.ts';
import { GatewayError } from '../errors.ts';

const MAX_REASON_CHARS = 200;

/** These errors are JSON-RPC errors, not tool results, so the reason has to be noted in the record here. */
export function noteOwnFailure(context: ExecutionContext, error: unknown): void {
  if (!(error instanceof GatewayError)) return;
  if (error.code === 'NOT_RECORDED') context.noteFailure('not_recorded');
  if (error.code === 'SHUTTING_DOWN') context.noteFailure('shutting_down');
  // After a colon, the message may quote arguments, which must not get into the record.
  if (error.code === 'INVALID_PARAMS')
    context.noteFailure(undefined, undefined, error.message.split(/: |\n/, 1)[0]!.slice(0, MAX_REASON_CHARS));
}

/**
 * Notes the message in the record, so that the log shows what the caller is told: the requested name and the nearest existing
 * one.
 */
export function toMissing(context: ExecutionContext, error: GatewayError): GatewayError {
  context.noteFailure(undefined, undefined, error.message.slice(0, MAX_REASON_CHARS));
  return error;
}
