// Checks the claims of an access token, from a JWT or from introspection. Every problem is a sentence for `error_description`:
// printable ASCII, without quotes, and without anything from the token.
import { type Node, own, textAt } from '../../endpoint/untrusted.ts';

/** Seconds, as tokens have them. */
export interface Clock {
  readonly now: number;
  readonly skew: number;
}

const EXPIRED = 'The token has expired. Get a new one.';
const TOO_EARLY = 'The token is not valid yet.';
const ODD_TIMES = 'The token has no usable exp, nbf or iat.';

/** `needsExpiry`: for a JWT, which cannot be checked with its issuer later. */
export function checkTimes(claims: Node, { now, skew }: Clock, needsExpiry: boolean): string | undefined {
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

/** In milliseconds; Infinity without `exp`. */
export function endOf(claims: Node, skew: number): number {
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
/** Keycloak and Cognito write into the claims what a token is for. */
const ACCESS_KINDS = new Set(['bearer', 'at+jwt', 'jwt', 'access', 'access_token']);

/** Many issuers write the same `typ` over all of their tokens; then their claims tell them apart. */
export function isOtherKind(claims: Node): boolean {
  if (FOREIGN_CLAIMS.some((name) => own(claims, name) !== undefined)) return true;
  return ['typ', 'token_use'].some((name) => {
    const kind = own(claims, name);
    return kind !== undefined && !(typeof kind === 'string' && ACCESS_KINDS.has(kind.toLowerCase()));
  });
}

/** `scope` (RFC 9068), or `scp` as some issuers call it; a list, or a text with spaces. */
export function scopesOf(claims: Node): readonly string[] {
  const value = own(claims, 'scope') ?? own(claims, 'scp');
  if (typeof value === 'string') return value.split(' ').filter((scope) => scope !== '');
  return Array.isArray(value) ? value.filter((scope): scope is string => typeof scope === 'string') : [];
}

/** Names end up in logs, audit and headers: no line breaks, nothing invisible. */
const NAME = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,255}$/u;

/** Who is calling. A token without a subject belongs to a program: `client:` keeps it apart from a person of that name. */
export function subjectOf(claims: Node, claim: string): string | undefined {
  const subject = own(claims, claim);
  const isProgram = subject === undefined && claim === 'sub';
  const name = isProgram ? textAt(claims, 'client_id') : subject;
  if (typeof name !== 'string' || !NAME.test(name)) return undefined;
  return isProgram ? `client:${name}` : name;
}
