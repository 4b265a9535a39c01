// Who is calling: the credential in a request → a principal, or a refusal that says how to authenticate. Each authority
// (API keys, an OAuth issuer) recognises its own tokens; this file does not decide what a principal may do.
import type { IncomingMessage } from 'node:http';
import type { Principal } from '../call/caller.ts';
import type { CallLimits, Effect } from '../endpoint/model.ts';
import type { Refusal } from '../transport/request-checks.ts';
import type { Identify } from '../transport/request-handler.ts';

/** The caller, or why the request is refused. */
export type AuthResult = { readonly principal: Principal } | Refusal;

export interface Authority {
  /** Undefined if it does not recognise the token. `profile` is the endpoint that is called: '' is /mcp itself. */
  check(token: string, profile: string): AuthResult | undefined | Promise<AuthResult | undefined>;
  /**
   * For the log: why a token that no authority recognises is invalid; undefined if this authority has no explanation.
   */
  explain?(token: string): Explanation | undefined;
  /** For the caller: what to do about a token that no authority knows. It must not repeat the token. */
  advise?(token: string): string | undefined;
}

export type Explanation = Pick<Refusal, 'why' | 'caller' | 'details'>;

export interface IdentifyOptions {
  /** Asked in this order; the first that recognises a token decides. */
  readonly authorities: readonly Authority[];
  /** `WWW-Authenticate` for a request without a token, or with an unknown one; `error` as in RFC 6750. */
  readonly challenge: (profile: string, error?: 'invalid_token') => string;
}

/** The configured permissions of a caller. */
export interface Permissions {
  /** '*' means all profiles and the default endpoint; so does an absent list. */
  readonly profiles?: readonly string[] | undefined;
  /** Absent: all. */
  readonly effects?: readonly Effect[] | undefined;
  /** ISO 8601; the caller is refused from then on. */
  readonly expires?: string | undefined;
  readonly limits?: CallLimits | undefined;
}

export function toPrincipal(id: string, { profiles, effects, limits }: Permissions): Principal {
  return Object.freeze({
    id,
    ...(profiles !== undefined && !profiles.includes('*') && { profiles: Object.freeze([...profiles]) }),
    ...(effects !== undefined && { effects: Object.freeze([...effects]) }),
    ...(limits !== undefined && { limits }),
  });
}

/** Milliseconds since 1970; Infinity if the permissions do not expire. */
export function expiryOf({ expires }: Permissions): number {
  return expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires);
}

/** Longer tokens are refused without being checked. */
const MAX_TOKEN_CHARS = 8_192;
/** RFC 6750 2.3 allows tokens in the URL; OAuth 2.1 has dropped that. */
const TOKEN_IN_URL = /[?&](?:access_token|api_key)=/i;
const BEARER = /^bearer +(\S.*)$/i;

const NOT_IN_URL = 'Bad request: do not send tokens in the URL, because logs keep URLs. Send them in a header.';
const NO_TOKEN = 'Unauthorized: send "Authorization: Bearer <key or access token>".';
const SEVERAL_TOKENS = 'Bad request: send one key or token, as "Authorization: Bearer <token>" or "X-API-Key: <key>".';
const UNKNOWN_TOKEN = 'Unauthorized: this key or token is not known, or is no longer valid. Get a new one.';

const UNKNOWN: Explanation = { why: 'unknown key or token' };

/** For keys and tokens that do not come in an HTTP request. */
export function createTokenCheck(
  authorities: readonly Authority[],
  profile: string,
): (token: string) => AuthResult | Promise<AuthResult> {
  const refuse = (message: string, explanation: Explanation): Refusal => ({ status: 401, message, ...explanation });
  return (token) => authenticate(authorities, token, profile, refuse);
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
    if (TOKEN_IN_URL.test(request.url ?? '')) return refuse(400, profile, NOT_IN_URL, { why: 'credential in the URL' });
    const credential = readToken(request);
    if (credential === undefined) return refuse(401, profile, NO_TOKEN, { why: 'no credential' });
    if (credential === 'several') return refuse(400, profile, SEVERAL_TOKENS, { why: 'several credentials' });
    const refuseUnknown = (message: string, explanation: Explanation) =>
      refuse(401, profile, message, explanation, 'invalid_token');
    if (credential.token.length > MAX_TOKEN_CHARS) return refuseUnknown(UNKNOWN_TOKEN, UNKNOWN);
    return authenticate(authorities, credential.token, profile, refuseUnknown);
  };
}

/** `refuse` builds the refusal if no authority recognises the token. */
function authenticate(
  authorities: readonly Authority[],
  token: string,
  profile: string,
  refuse: (message: string, explanation: Explanation) => Refusal,
): AuthResult | Promise<AuthResult> {
  const refuseUnknown = () => refuse(adviseUnknown(authorities, token), explainUnknown(authorities, token));
  const result = askAuthorities(authorities, token, profile);
  return result instanceof Promise ? result.then((late) => late ?? refuseUnknown()) : (result ?? refuseUnknown());
}

/**
 * The first authority that recognises a token decides. Only authorities that have to ask a server make this
 * asynchronous.
 */
function askAuthorities(
  authorities: readonly Authority[],
  token: string,
  profile: string,
  from = 0,
): AuthResult | undefined | Promise<AuthResult | undefined> {
  for (let at = from; at < authorities.length; at++) {
    const result = authorities[at]!.check(token, profile);
    if (result instanceof Promise)
      return result.then((late) => late ?? askAuthorities(authorities, token, profile, at + 1));
    if (result !== undefined) return result;
  }
  return undefined;
}

function adviseUnknown(authorities: readonly Authority[], token: string): string {
  for (const authority of authorities) {
    const advice = authority.advise?.(token);
    if (advice !== undefined) return `${UNKNOWN_TOKEN} ${advice}`;
  }
  return UNKNOWN_TOKEN;
}

function explainUnknown(authorities: readonly Authority[], token: string): Explanation {
  for (const authority of authorities) {
    const explanation = authority.explain?.(token);
    if (explanation !== undefined) return explanation;
  }
  return UNKNOWN;
}

/** Reads headers only: URLs end up in logs. Schemes other than Bearer are ignored. */
function readToken({ headers, rawHeaders }: IncomingMessage): { readonly token: string } | 'several' | undefined {
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
    // Most other names have another length.
    if (name.length !== 13 && name.length !== 9) continue;
    const lower = name.toLowerCase();
    if (lower === 'authorization' || lower === 'x-api-key') count++;
  }
  return count;
}
