// The two results that handlers return most often.
import type { Outcome } from '../../call/outcome.ts';

/**
 * A result that is a text.
 *
 * ```ts
 * const done = textResult('Done.');
 * console.assert(!done.isError);
 * ```
 */
export function textResult(text: string): Outcome {
  return { content: [{ type: 'text', text }], isError: false };
}

/**
 * An error that the model should see and may be able to correct.
 *
 * ```ts
 * const missing = errorResult('There is no user 7. Call users_list for the ids.');
 * console.assert(missing.isError);
 * ```
 */
export function errorResult(message: string): Outcome {
  return { content: [{ type: 'text', text: message }], isError: true };
}
