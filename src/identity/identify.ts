// Who is calling: the credential in a request → a principal, or a refusal that says how to authenticate.
// Each authority (API keys, an OAuth issuer) knows its own tokens; nothing here decides what a principal may do.
import type { IncomingMessage } from 'node:http';
import type { Principal } from '../call/caller.ts';
import type { Refusal } from '../transport/admission.ts';
import type { Identify } from '../transport/http-door.ts';

/** A caller, or why there is none. */
export type Verdict = { readonly principal: Principal } | Refusal;

export interface Authority {
  /** Undefined if it does not know the token. `profile` is the endpoint that is called: '' is /mcp itself. */
  check(token: string, profile: string): Verdict | undefined | Promise<Verdict | undefined>;
  /** For the log: why a token that no authority knows is not valid; undefined if it cannot tell. */
  explain?(token: string): Explanation | undefined;
}

export type Explanation = Pick<Refusal, 'why' | 'caller' | 'details'>;

export interface IdentifyOptions {
  /** Asked in this order; the first that knows a token decides. */
  readonly authorities: readonly Authority[];
  /** `WWW-Authenticate` for who shows nothing, or nothing that is known; `error` as RFC 6750 names it. */
  readonly challenge: (profile: string, error?: 'invalid_token') => string;
}

/** Longer ones are refused unread. */
const MAX_TOKEN_CHARS = 8_192;
/** RFC 6750 2.3, which OAuth 2.1 has dropped. */
const IN_ADDRESS = /[?&](?:access_token|api_key)=/i;
const BEARER = /^bearer +(\S.*)$/i;

const IN_HEADERS = 'Bad request: do not send tokens in the URL, because logs keep URLs. Send them in a header.';
const SHOW_ONE = 'Unauthorized: send "Authorization: Bearer <key or access token>".';
const ONLY_ONE = 'Bad request: send one key or token, as "Authorization: Bearer <token>" or "X-API-Key: <key>".';
const UNKNOWN_TOKEN = 'Unauthorized: this key or token is not known, or is no longer valid. Get a new one.';

type Asked = Verdict | undefined;

const NOTHING_KNOWN: Explanation = { why: 'unknown key or token' };

function explainUnknown(all: readonly Authority[], token: string): Explanation {
  for (const authority of all) {
    const explanation = authority.explain?.(token);
    if (explanation !== undefined) return explanation;
  }
  return NOTHING_KNOWN;
}

/** The verdict of the authorities; `refuse` makes one if none of them knows the token. */
function ask(
  all: readonly Authority[],
  token: string,
  profile: string,
  refuse: (explanation: Explanation) => Refusal,
): Verdict | Promise<Verdict> {
  const refuseUnknown = () => refuse(explainUnknown(all, token));
  const verdict = askAll(all, token, profile);
  return verdict instanceof Promise ? verdict.then((late) => late ?? refuseUnknown()) : (verdict ?? refuseUnknown());
}

/** The first authority that knows a token decides. */
function askAll(all: readonly Authority[], token: string, profile: string, from = 0): Asked | Promise<Asked> {
  for (let at = from; at < all.length; at++) {
    const verdict = all[at]!.check(token, profile);
    if (verdict instanceof Promise) return verdict.then((late) => late ?? askAll(all, token, profile, at + 1));
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** For keys and tokens that do not come in an HTTP request. */
export function createTokenCheck(
  authorities: readonly Authority[],
  profile: string,
): (token: string) => Verdict | Promise<Verdict> {
  const refuse = (explanation: Explanation): Refusal => ({ status: 401, message: UNKNOWN_TOKEN, ...explanation });
  return (token) => ask(authorities, token, profile, refuse);
}

export function createIdentify({ authorities, challenge }: IdentifyOptions): Identify {
  const refuse = (
    status: 400 | 401,
    profile: string,
    message: string,
    explanation: Explanation,
    error?: 'invalid_token',
  ): Refusal => ({
    status,
    message,
    headers: { 'www-authenticate': challenge(profile, error) },
    ...explanation,
  });
  return (request, profile) => {
    if (IN_ADDRESS.test(request.url ?? '')) return refuse(400, profile, IN_HEADERS, { why: 'credential in the URL' });
    const credential = readToken(request);
    if (credential === undefined) return refuse(401, profile, SHOW_ONE, { why: 'no credential' });
    if (credential === 'several') return refuse(400, profile, ONLY_ONE, { why: 'several credentials' });
    const refuseUnknown = (explanation: Explanation) =>
      refuse(401, profile, UNKNOWN_TOKEN, explanation, 'invalid_token');
    if (credential.token.length > MAX_TOKEN_CHARS) return refuseUnknown(NOTHING_KNOWN);
    return ask(authorities, credential.token, profile, refuseUnknown);
  };
}

type Shown = { readonly token: string } | 'several' | undefined;

/** From headers only: URLs end up in logs. Schemes other than Bearer are ignored. */
function readToken({ headers, rawHeaders }: IncomingMessage): Shown {
  const { authorization, 'x-api-key': key } = headers;
  if (authorization === undefined && key === undefined) return undefined;
  if (countCredentials(rawHeaders) > 1) return 'several';
  const token = authorization === undefined ? String(key) : BEARER.exec(authorization)?.[1];
  return token === undefined || token === '' ? undefined : { token };
}

/** Counts the raw headers: of several `Authorization` headers Node keeps the first, but a proxy may have checked the last. */
function countCredentials(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    // Most other names differ in length already.
    if (name.length !== 13 && name.length !== 9) continue;
    const lower = name.toLowerCase();
    if (lower === 'authorization' || lower === 'x-api-key') count++;
  }
  return count;
}
