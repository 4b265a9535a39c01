// Which headers of a caller's request may be passed on to an API (`forward:` of a domain file): only named ones, and none that
// authenticates the caller or affects where the request goes, what it does or how it is framed.
import { HEADER_NAME, isArgumentHeader, isSecretHeader, plainName } from '../headers/header-names.ts';
import type { CallerHeader } from '../model.ts';
import type { Problem } from '../problems.ts';

const MAX_NAMES = 20;

/** By what they begin with. */
const REFUSED: readonly (readonly [pattern: RegExp, why: string])[] = [
  [
    /^(?:authorization|cookie2?|set-cookie2?|www-authenticate|authentication-info|dpop|ticket)$|(?:^|-)(?:remote-user|client-cert|assertion|credentials?|jwt|session|sid|oidc|iap|saml|userinfo)(?:-|$)/,
    'proves who calls this gateway',
  ],
  [/^proxy-/, 'is between the caller and a proxy'],
  [/^(?:mcp|last-event)-/, 'belongs to MCP, and ends here'],
  [
    /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip|(?:x-|true-|x-cluster-)?client-ip|cf-connecting-ip|fastly-client-ip|x-original-.*|x-rewrite-.*|x-host)$/,
    'says where a request came from or goes to, and anybody can write it',
  ],
  [/^(?:origin|referer|sec-.*|access-control-.*)$/, 'is about a web page and the gateway, not about the API'],
  [
    /^(?:accept|accept-encoding|accept-charset|range|if-.*|content-.*|date|te|alt-used|priority|soapaction|x-amz-.*)$/,
    'follows from the call itself',
  ],
];

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
  const reason = REFUSED.find(([pattern]) => pattern.test(plain))?.[1];
  if (reason !== undefined) return `${name} is never passed on: it ${reason}`;
  if (isSecretHeader(plain))
    return `${name} is never passed on: by its name it holds a secret of the caller's. Declare a credential: token_exchange or assertion tell an API who calls`;
  if (!isArgumentHeader(plain, 'read'))
    return `${name} is never passed on: it would change what a request does, or how it is written`;
  return undefined;
}
