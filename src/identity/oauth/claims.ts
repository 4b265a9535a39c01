// Reads access tokens: whether a token is a JWT, and what its claims say. Claims come from a JWT or from introspection. Every problem
// is a sentence for `error_description`: printable ASCII, without quotes, and without anything from the token.
import { type Node, own, parseJsonObject, textAt } from '../../endpoint/untrusted.ts';

/** A JWT whose signature was not checked: nothing in it can be trusted. */
export interface UnverifiedJwt {
  readonly header: Node;
  readonly claims: Node;
}

/** The signature may be empty: an unsigned token is still a JWT, and is refused as one. */
const JWT = /^([A-Za-z0-9_-]{4,})\.([A-Za-z0-9_-]{2,})\.[A-Za-z0-9_-]*$/;

/** Undefined if it is not a JWT. */
export function parseJwt(token: string): UnverifiedJwt | undefined {
  const parts = JWT.exec(token);
  if (parts === null) return undefined;
  const header = decode(parts[1]!);
  const claims = decode(parts[2]!);
  return header === undefined || claims === undefined ? undefined : { header, claims };
}

/** Whether it starts with a readable header and claims: then it is not opaque, and is not sent to introspection. */
export function isLikeJwt(token: string): boolean {
  const [header = '', claims = ''] = token.split('.', 2);
  return decode(header) !== undefined && decode(claims) !== undefined;
}

function decode(part: string): Node | undefined {
  return parseJsonObject(Buffer.from(part, 'base64url').toString());
}

/** In seconds, like the times in tokens. */
export interface TokenClock {
  readonly now: number;
  readonly skew: number;
}

const EXPIRED = 'The token has expired. Get a new one.';
const TOO_EARLY = 'The token is not valid yet.';
const ODD_TIMES = 'The token has no usable exp, nbf or iat.';

/** `needsExpiry`: a JWT must expire, because its issuer is not asked again. */
export function checkTimes(claims: Node, { now, skew }: TokenClock, needsExpiry: boolean): string | undefined {
  const exp = own(claims, 'exp');
  const nbf = own(claims, 'nbf');
  const iat = own(claims, 'iat');
  for (const time of [exp, nbf, iat]) if (time !== undefined && !isTime(time)) return ODD_TIMES;
  if (exp === undefined && needsExpiry) return ODD_TIMES;
  if (isTime(exp) && exp + skew <= now) return EXPIRED;
  if ((isTime(nbf) && nbf - skew > now) || (isTime(iat) && iat - skew > now)) return TOO_EARLY;
  return undefined;
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** When the token expires, in milliseconds; Infinity without `exp`. */
export function validUntilMs(claims: Node, skew: number): number {
  const exp = own(claims, 'exp');
  return isTime(exp) ? (exp + skew) * 1000 : Number.POSITIVE_INFINITY;
}

/** `aud`: one text or a list of them (RFC 7519 4.1.3). */
export function audiencesOf(claims: Node): readonly string[] {
  const aud = own(claims, 'aud');
  if (typeof aud === 'string') return [aud];
  return Array.isArray(aud) && aud.every((one) => typeof one === 'string') ? (aud as string[]) : [];
}

/**
 * A token that is bound to a key of its holder (DPoP, RFC 9449; mutual TLS, RFC 8705) must not be accepted as a bearer token: a
 * stolen one would work here.
 */
export function isBoundToKey(claims: Node): boolean {
  return own(claims, 'cnf') !== undefined;
}

/** Claims that only ID tokens have (OpenID Connect Core 2 and 3.3.2.11), or logout and security event tokens. */
const FOREIGN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'];
/** Keycloak and Cognito write the purpose of a token into its claims. */
const ACCESS_KINDS = new Set(['bearer', 'at+jwt', 'jwt', 'access', 'access_token']);

/**
 * Whether it is another kind of token. Many issuers give all of their tokens the same `typ`; then only the claims show
 * it.
 */
export function isOtherKind(claims: Node): boolean {
  if (FOREIGN_CLAIMS.some((name) => own(claims, name) !== undefined)) return true;
  return ['typ', 'token_use'].some((name) => {
    const kind = own(claims, name);
    return kind !== undefined && !(typeof kind === 'string' && ACCESS_KINDS.has(kind.toLowerCase()));
  });
}

/** `scope` (RFC 9068), or `scp` with some issuers; a list, or a string with spaces. */
export function scopesOf(claims: Node): readonly string[] {
  const value = own(claims, 'scope') ?? own(claims, 'scp');
  if (typeof value === 'string') return value.split(' ').filter((scope) => scope !== '');
  return Array.isArray(value) ? value.filter((scope): scope is string => typeof scope === 'string') : [];
}

/** Names end up in logs, the audit trail and headers: no line breaks, no invisible characters. */
const NAME = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,255}$/u;

/** Who is calling. A token without a subject belongs to a program: `client:` keeps it apart from a person of that name. */
export function callerNameOf(claims: Node, claim: string): string | undefined {
  const subject = own(claims, claim);
  const isProgram = subject === undefined && claim === 'sub';
  const name = isProgram ? textAt(claims, 'client_id') : subject;
  if (typeof name !== 'string' || !NAME.test(name)) return undefined;
  return isProgram ? `client:${name}` : name;
}
