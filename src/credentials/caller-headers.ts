// The headers of one call that depend on who calls: copied from its request, or built from verified facts about the
// caller.
import type { ExecutionContext } from '../call/execution-context.ts';
import { fillCallerText } from '../endpoint/caller/caller-text.ts';
import { HEADER_VALUE } from '../endpoint/headers/header-names.ts';
import type { CallerHeader } from '../endpoint/model.ts';
import { GatewayError, ToolError } from '../errors.ts';

const MAX_CHARS = 2_048;

/** Throws if a value is missing: an API that relies on knowing the caller must not be called without it. */
export function fillCallerHeaders(
  headers: readonly CallerHeader[],
  { principal, request, label: tool }: ExecutionContext,
): Readonly<Record<string, string>> {
  const { forwarded } = request;
  const values: Record<string, string> = {};
  for (const header of headers) {
    const { name } = header;
    if (header.from === 'principal') {
      const filling = fillCallerText(header.text, principal, tool);
      if ('problem' in filling) throw unknownCaller(tool, `its header ${name} identifies the caller`, filling.problem);
      const why = whyUnfit(filling.value);
      if (why !== undefined)
        throw unknownCaller(tool, `its header ${name} identifies the caller`, `${header.text.shown} ${why}`);
      values[name] = filling.value;
      continue;
    }
    const value = forwarded?.[name];
    if (value === undefined || value === '') continue;
    const why = whyUnfit(value);
    if (why !== undefined)
      throw new ToolError(
        'VALIDATION',
        tool,
        `the header ${name} of the request, which is passed on to the API, ${why}. Nothing was sent.`,
        { tool, header: name },
      );
    values[name] = value;
  }
  return values;
}

/** An identity must arrive unchanged or not at all: servers trim blanks, and disagree about non-ASCII characters. */
function whyUnfit(value: string): string | undefined {
  if (!HEADER_VALUE.test(value)) return 'contains a line break or another character that a header cannot carry';
  if (value.length > MAX_CHARS) return `is longer than ${MAX_CHARS} characters`;
  return value.trim() === value ? undefined : 'begins or ends with a space, which would be lost';
}

/** The error for a call that needs a value that its caller does not have. */
export function unknownCaller(tool: string, need: string, problem: string): GatewayError {
  return new GatewayError(
    'MISSING_CREDENTIAL',
    `${tool} was not called: ${need}, and ${problem}. Nothing was sent. Call with an access token that contains it (auth.oauth of landbridge.yaml), or give a default in the domain file (\${principal.sub:-none}). Changing the arguments does not help.`,
    { tool },
  );
}
