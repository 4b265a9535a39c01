// Return values and errors of the operator's own code (handlers of native tools, middleware), as outcomes and typed errors.
import type { ExecutionContext } from '../call/execution-context.ts';
import type { Content, Outcome } from '../call/outcome.ts';
import { GatewayError } from '../errors.ts';

/** Returns an outcome or MCP result as it is, a string as text, and everything else as JSON. */
function toOutcome(value: unknown): Outcome {
  if (isResult(value)) {
    const { structuredContent, ...outcome } = value;
    const data = outcome.structured ?? structuredContent;
    return { ...outcome, isError: outcome.isError ?? false, ...(data !== undefined && { structured: data }) };
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

/** Runs code of the operator. What it returns becomes an outcome, what it throws a typed error. */
export async function runHandler(context: ExecutionContext, run: () => unknown): Promise<Outcome> {
  try {
    return toOutcome(await run());
  } catch (error) {
    throw toHandlerError(error, context);
  }
}

/**
 * The error for something that a handler or middleware threw. Typed errors are passed on. Any other error is a failure
 * of the tool, not of the gateway.
 */
export function toHandlerError(error: unknown, { label, signal }: ExecutionContext): GatewayError {
  if (error instanceof GatewayError) return error;
  if (signal.aborted) return new GatewayError('CANCELLED', 'The call was cancelled.', { tool: label }, error);
  const message = error instanceof Error ? error.message : String(error);
  return new GatewayError(
    'HANDLER_FAILED',
    message || 'The tool failed without saying why.',
    { tool: label },
    error ?? message,
  );
}

/**
 * Removes the label, which the mark already contains: `x failed: …`, `Invalid arguments for x; …`. It works on the
 * text, because an outcome may also come from a handler or from middleware, and then there is no error that has its
 * reason without the name.
 */
function withoutName(text: string, label: string): string {
  const [front] = [`${label}: `, `${label} `].filter((words) => text.startsWith(words));
  if (front === undefined)
    return text.replace(` for ${label};`, ';').replace(` Call ${label} again `, ' Call it again ');
  const rest = text.slice(front.length);
  return `${rest[0]?.toUpperCase() ?? ''}${rest.slice(1)}`;
}

/** Writes `[tool/action]` before the text of a failure, so that readers see which call failed. Other outcomes pass unchanged. */
export function markFailure(outcome: Outcome, label: string): Outcome {
  if (!outcome.isError) return outcome;
  const mark = `[${label}] `;
  const [first, ...rest] = outcome.content;
  if (first?.type !== 'text' || first.text.startsWith(mark)) return outcome;
  const text = mark + withoutName(first.text, label);
  const data = outcome.structured as { readonly message?: unknown } | undefined;
  return {
    ...outcome,
    content: [{ ...first, text }, ...rest],
    ...(data?.message === first.text && { structured: { ...data, message: text } }),
  };
}
