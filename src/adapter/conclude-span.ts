// What became of a call, on the span of its request.
import type { ExecutionContext } from '../call/execution-context.ts';
import type { CallSpan } from '../tracing/call-span.ts';

/**
 * OpenTelemetry calls every result with `isError` a `tool_error`, whatever the reason; our own failure mode is a second
 * attribute.
 */
export function concludeSpan(span: CallSpan, record: ExecutionContext): void {
  const result = record.results.at(-1);
  span.set('landbridge.operation', record.operation);
  span.set('landbridge.effect', record.effect);
  if (result === undefined || result.outcome === 'ok') return;
  span.set('landbridge.outcome', result.outcome);
  span.set('landbridge.failure_mode', result.failureMode);
  if (result.outcome === 'failed') span.fail('tool_error');
}
