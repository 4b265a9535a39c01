// Which headers of a caller's request may be passed on to an API (`forward:` of a domain file): only named ones, and none that
// authenticates the caller or affects where the request goes, what it does or how it is framed.
import { HEADER_NAME, isArgumentHeader, isOfKind, isSecretHeader, plainName } from '../headers/header-names.ts';
import type { CallerHeader } from '../model.ts';
import type { Problem } from '../problems.ts';

const MAX_NAMES = 20;

/** Kinds of headers that are refused, and why. The first that applies is reported. */
const REFUSED = [
  [['proof'], 'authenticates the caller to this gateway'],
  [['proxy'], 'is meant for a proxy between the caller and the gateway'],
  [['mcp'], 'belongs to MCP, which ends at the gateway'],
  [['origin', 'route'], 'says where a request came from or where it goes, and any caller can write it'],
  [['page'], 'is about a web page and this gateway, not about the API'],
  [['request', 'content'], 'is written for each request by the HTTP client'],
] as const;

/** The headers of `forward:`, or what is wrong with them. */
export function readForward(names: readonly string[], problems: Problem[]): CallerHeader[] {
  const report = (path: (string | number)[], message: string) => problems.push({ path: ['forward', ...path], message });
  if (names.length > MAX_NAMES) report([], `lists ${names.length} headers; at most ${MAX_NAMES} are allowed`);
  return names.slice(0, MAX_NAMES).flatMap((name, index): CallerHeader[] => {
    const why = whyRefused(name);
    if (why !== undefined) report([index], why);
    else if (names.findIndex((other) => plainName(other) === plainName(name)) !== index)
      report([index], `${name} is listed twice`);
    else return [{ name: name.toLowerCase(), from: 'request' }];
    return [];
  });
}

function whyRefused(name: string): string | undefined {
  if (!HEADER_NAME.test(name)) return `${JSON.stringify(name)} is not the name of a header`;
  if (name.includes('*')) return `${name} is a pattern; list each header by its full name`;
  const plain = plainName(name);
  const reason = REFUSED.find(([kinds]) => isOfKind(plain, ...kinds))?.[1];
  if (reason !== undefined) return `${name} is never passed on: it ${reason}`;
  if (isSecretHeader(plain))
    return `${name} is never passed on: its name says that it carries a secret of the caller. To identify the caller to the API, declare a credential of kind token_exchange or assertion`;
  if (!isArgumentHeader(plain, 'read'))
    return `${name} is never passed on: it would change what the request does, or its format`;
  return undefined;
}
