// An answer that is more than the gateway reads: what was dropped, and how to ask for less.
import { type GatewayError, ToolError } from '../../errors.ts';

export function tooLarge(
  tool: string,
  what: string,
  { isRead, isFile = false }: { readonly isRead: boolean; readonly isFile?: boolean },
  details: Record<string, unknown> = {},
): GatewayError {
  const advice = isFile
    ? 'It is a file: tell the user that "landbridge call" with --output <file> saves it.'
    : isRead
      ? 'Ask for less: fewer items per page, a narrower filter, or one item instead of a list.'
      : 'The request itself was carried out: do not repeat it. Check the result with a read.';
  return new ToolError('TOO_LARGE', tool, `the answer ${what} and was dropped. ${advice}`, { tool, ...details });
}
