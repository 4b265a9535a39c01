// The two results a handler returns most.
import type { Outcome } from '../../call/outcome.ts';

export function textResult(text: string): Outcome {
  return { content: [{ type: 'text', text }], isError: false };
}

/** Something went wrong that the model should know of and may correct. */
export function errorResult(message: string): Outcome {
  return { content: [{ type: 'text', text: message }], isError: true };
}
