// What functions return and throw, as outcomes of a call.

import type { Call } from '../call/handler.ts';
import type { Content, Outcome } from '../call/outcome.ts';
import { ERRORS, GatewayError } from '../errors.ts';
import { buildFailure, toFailure } from './failure.ts';

/** A handler's return value as an outcome: an outcome or MCP result as it is, a string as text, the rest as JSON. */
export function toOutcome(value: unknown): Outcome {
  if (isResult(value)) {
    const { structuredContent, ...outcome } = value;
    const structured = outcome.structured ?? structuredContent;
    return { ...outcome, isError: outcome.isError ?? false, ...(structured !== undefined && { structured }) };
  }
  const text = typeof value === 'string' ? value : value === undefined ? 'OK' : (JSON.stringify(value) ?? 'OK');
  return { content: [{ type: 'text', text }], isError: false };
}

type Result = Omit<Outcome, 'isError'> & { readonly isError?: boolean; readonly structuredContent?: unknown };

function isResult(value: unknown): value is Result {
  if (typeof value !== 'object' || value === null) return false;
  const { content } = value as { content?: unknown };
  return (
    Array.isArray(content) &&
    content.every((block) => typeof block === 'object' && block !== null && typeof (block as Content).type === 'string')
  );
}

/** A failed outcome for anything a handler throws; what belongs to the protocol, not to the tool, is thrown on. */
export function toThrownOutcome(error: unknown, call: Call): Outcome {
  if (error instanceof GatewayError) {
    if (ERRORS[error.code].wire !== 'tool') throw error;
    return toFailure(error);
  }
  if (call.signal.aborted) return buildFailure('cancelled', 'The call was cancelled.', { tool: call.tool });
  const message = error instanceof Error ? error.message : String(error);
  return buildFailure('handler_failed', message || 'The tool failed without saying why.', { tool: call.tool });
}

/** `[tool/action] …` before the text of a failure, so that it can be traced at a glance. Others pass unchanged. */
export function markFailure(outcome: Outcome, tool: string): Outcome {
  if (!outcome.isError) return outcome;
  const mark = `[${tool}] `;
  const [first, ...rest] = outcome.content;
  if (first?.type !== 'text' || first.text.startsWith(mark)) return outcome;
  const text = mark + first.text;
  const structured = outcome.structured as { readonly message?: unknown } | undefined;
  return {
    ...outcome,
    content: [{ ...first, text }, ...rest],
    ...(structured?.message === first.text && { structured: { ...structured, message: text } }),
  };
}
