// Finds the token in the answer of a login, and how long it is valid.
import { isObject } from '../../endpoint/is-object.ts';
import { own, parseJson, valueAtPath } from '../../endpoint/untrusted.ts';
import type { TokenLifetime } from '../kinds/login.ts';

const TOKEN_KEYS = [
  'access_token',
  'accessToken',
  'token',
  'id_token',
  'idToken',
  'jwt',
  'jwtToken',
  'authToken',
  'auth_token',
  'sessionToken',
  'session_token',
  'bearer',
  'key',
];
const LIFETIME_KEYS = [
  'expires_in',
  'expiresIn',
  'expires',
  'expires_at',
  'expiresAt',
  'expiration',
  'expiry',
  'exp',
  'ttl',
  'valid_until',
  'validUntil',
];
/** Keys of objects in which answers wrap their content. */
const WRAPPERS = ['data', 'result', 'response', 'payload', 'tokens', 'auth', 'session'];

/** From here on a number is a point in time: in seconds, or in milliseconds. */
const EPOCH_S = 1_000_000_000;
const EPOCH_MS = 1_000_000_000_000;
/** A lifetime this large is milliseconds, unless its name says seconds: Directus has `expires: 900000` for 15 minutes. */
const LIKELY_MS = 100_000;

/** The token at a dot path, or where answers usually have it. */
export function findToken(answer: unknown, path: string | undefined): string | undefined {
  // `"eyJ…"`: the whole answer.
  if (typeof answer === 'string' && path === undefined) return answer;
  const value = path === undefined ? findFirst(answer, TOKEN_KEYS, isText) : valueAtPath(answer, path);
  return isText(value) ? value : undefined;
}

/** Seconds from now; undefined if neither the answer nor the token contains it. */
export function findLifetime(
  answer: unknown,
  token: string,
  place: TokenLifetime | undefined,
  now = Date.now(),
): number | undefined {
  if (place !== undefined && 'seconds' in place) return place.seconds;
  if (place !== undefined) return toSeconds(valueAtPath(answer, place.at), place.unit ?? unitOf(place.at), now);
  const key = LIFETIME_KEYS.find((name) => holderOf(answer, name) !== undefined);
  const seconds = key === undefined ? undefined : toSeconds(own(holderOf(answer, key), key), unitOf(key), now);
  return seconds ?? lifetimeOfJwt(token, now);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function findFirst(answer: unknown, keys: readonly string[], fits: (value: unknown) => boolean): unknown {
  for (const key of keys) {
    const value = own(holderOf(answer, key), key);
    if (fits(value)) return value;
  }
  return undefined;
}

/** The answer itself, or what is wrapped in it, whichever has such a key. */
function holderOf(answer: unknown, key: string): object | undefined {
  const holders = [answer, ...WRAPPERS.map((wrapper) => own(answer, wrapper))];
  return holders.filter(isObject).find((holder) => Object.hasOwn(holder, key));
}

/** `expires_in` is seconds (RFC 6749 5.1), whatever the number. */
function unitOf(path: string): 'seconds' | undefined {
  return /_?in$/i.test(path) ? 'seconds' : undefined;
}

function toSeconds(value: unknown, unit: 'seconds' | 'milliseconds' | undefined, now: number): number | undefined {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d{1,15}(?:\.\d+)?$/.test(value));
  const seconds = isNumber ? numberToSeconds(Number(value), unit, now) : dateToSeconds(value, now);
  return seconds !== undefined && Number.isFinite(seconds) && seconds > 0 ? seconds : undefined;
}

function numberToSeconds(value: number, unit: 'seconds' | 'milliseconds' | undefined, now: number): number {
  if (value >= EPOCH_MS) return (value - now) / 1000;
  if (value >= EPOCH_S && unit !== 'milliseconds') return value - now / 1000;
  const isMs = unit === undefined ? value >= LIKELY_MS : unit === 'milliseconds';
  return isMs ? value / 1000 : value;
}

function dateToSeconds(value: unknown, now: number): number | undefined {
  if (typeof value !== 'string' || value.length > 64) return undefined;
  const end = Date.parse(value);
  return Number.isNaN(end) ? undefined : (end - now) / 1000;
}

/** A JWT contains its own expiry. Its lifetime is measured from its `iat`, so that our clock need not agree with the issuer's. */
function lifetimeOfJwt(token: string, now: number): number | undefined {
  const [, payload, signature] = token.split('.', 3);
  if (payload === undefined || signature === undefined) return undefined;
  const claims = parseJson(Buffer.from(payload, 'base64url').toString('utf8'));
  const [exp, iat] = [own(claims, 'exp'), own(claims, 'iat')];
  if (typeof exp !== 'number') return undefined;
  const seconds = exp - (typeof iat === 'number' ? iat : now / 1000);
  return seconds > 0 ? seconds : undefined;
}
