// An answer that is more than the gateway reads: what was dropped, and how to ask for less.
import { GatewayError } from '../../errors.ts';

export function tooLarge(tool: string, what: string, details: Record<string, unknown> = {}): GatewayError {
  return new GatewayError(
    'TOO_LARGE',
    `${tool}: the answer ${what} and was dropped. Ask for less: fewer items per page, a narrower filter, or one item instead of a list.`,
    { tool, ...details },
  );
}
