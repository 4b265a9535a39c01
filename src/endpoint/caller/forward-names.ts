// Which headers of a caller's request may be passed on to an API (`forward:` of a domain file): only named ones, and none that
// authenticates the caller or affects where the request goes, what it does or how it is framed.
import { HEADER_NAME, isArgumentHeader, isOfKind, isSecretHeader, plainName } from '../headers/header-names.ts';
import type { CallerHeader } from '../model.ts';
import type { Problem } from '../problems.ts';

const MAX_NAMES = 20;

/** The first that applies is the reason that is given. */
const REFUSED = [
  [['proof'], 'proves who calls this gateway'],
  [['proxy'], 'is between the caller and a proxy'],
  [['mcp'], 'belongs to MCP, and ends here'],
  [['origin', 'route'], 'says where a request came from or goes to, and anybody can write it'],
  [['page'], 'is about a web page and the gateway, not about the API'],
  [['request', 'content'], 'follows from the call itself'],
] as const;

/** The headers of `forward:`, or what is wrong with them. */
export function readForward(names: readonly string[], problems: Problem[]): CallerHeader[] {
  const say = (path: (string | number)[], message: string) => problems.push({ path: ['forward', ...path], message });
  if (names.length > MAX_NAMES) say([], `names ${names.length} headers, and ${MAX_NAMES} is the most`);
  return names.slice(0, MAX_NAMES).flatMap((name, index): CallerHeader[] => {
    const why = whyRefused(name);
    if (why !== undefined) say([index], why);
    else if (names.findIndex((other) => plainName(other) === plainName(name)) !== index)
      say([index], `${name} is listed twice`);
    else return [{ name: name.toLowerCase(), from: 'request' }];
    return [];
  });
}

function whyRefused(name: string): string | undefined {
  if (!HEADER_NAME.test(name)) return `${JSON.stringify(name)} is not the name of a header`;
  if (name.includes('*')) return `${name} stands for many; headers are passed on by name, one by one`;
  const plain = plainName(name);
  const reason = REFUSED.find(([kinds]) => isOfKind(plain, ...kinds))?.[1];
  if (reason !== undefined) return `${name} is never passed on: it ${reason}`;
  if (isSecretHeader(plain))
    return `${name} is never passed on: by its name it holds a secret of the caller's. Declare a credential: token_exchange or assertion tell an API who calls`;
  if (!isArgumentHeader(plain, 'read'))
    return `${name} is never passed on: it would change what a request does, or how it is written`;
  return undefined;
}
