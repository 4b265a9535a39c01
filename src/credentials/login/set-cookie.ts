// Cookies that a login sets (RFC 6265), kept as long as its token would be and sent to its origin only.
import { decodePercent } from '../../endpoint/untrusted.ts';

export interface Cookie {
  /** `name=value`. */
  readonly pair: string;
  readonly path: string;
  /** undefined: until the session ends, whenever that is. */
  readonly lifetimeS: number | undefined;
  /**
   * The texts that must be redacted; empty if the value is an ordinary word such as `true` or `dark`, which occurs in
   * many answers.
   */
  readonly secrets: readonly string[];
}

const MAX_COOKIES = 20;
const MAX_COOKIE_CHARS = 4_096;
const PAIR = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)=("?[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e ,\\]*"?)$/;

/** The cookies after all Set-Cookie lines: a later line replaces an earlier one, an expired one removes it. */
export function readCookies(header: string | string[] | undefined, now = Date.now()): Cookie[] {
  const cookies = new Map<string, Cookie>();
  const lines = header === undefined ? [] : [header].flat();
  for (const line of lines.slice(0, MAX_COOKIES)) {
    if (line.length > MAX_COOKIE_CHARS) continue;
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [, name] = PAIR.exec(pair) ?? [];
    if (name === undefined) continue;
    const path = attributeOf(attributes, 'path');
    const key = `${name} ${path?.startsWith('/') ? path : '/'}`;
    const lifetimeS = lifetimeOf(attributes, now);
    if (lifetimeS !== undefined && lifetimeS <= 0) cookies.delete(key);
    else
      cookies.set(key, { pair, path: path?.startsWith('/') ? path : '/', lifetimeS, secrets: secretsIn(name, pair) });
  }
  return [...cookies.values()];
}

/** Names of session cookies, whose values are secret even if they are short. */
const SESSION = /sess|sid|token|auth|jwt|csrf|xsrf|secret|key|ticket|remember/i;
/** Words, numbers and dates: typical values of settings, which occur in any answer. */
const ORDINARY = /^(?:[A-Za-z_. -]{1,19}|[\d.:_-]{1,15}|\d{4}-\d\d-\d\dT[\d:.Z+-]*|[^@\s]+@[^@\s]+)$/;

function secretsIn(name: string, pair: string): string[] {
  const text = pair.slice(name.length + 1).replace(/^"(.*)"$/, '$1');
  if (text.length < (SESSION.test(name) ? 8 : 16) || ORDINARY.test(text)) return [];
  const plain = decodePercent(text);
  return plain === text ? [text] : [text, plain];
}

/** The Cookie header of a request whose path begins like this. */
export function cookiesFor(cookies: readonly Cookie[], path: string): string {
  return cookies
    .filter((cookie) => isBelow(path, cookie.path))
    .map(({ pair }) => pair)
    .join('; ');
}

/** The earliest end of any of them. */
export function earliestEnd(cookies: readonly Cookie[]): number | undefined {
  const lifetimes = cookies.flatMap(({ lifetimeS }) => lifetimeS ?? []);
  return lifetimes.length === 0 ? undefined : Math.min(...lifetimes);
}

function isBelow(path: string, scope: string): boolean {
  return scope.endsWith('/') ? path.startsWith(scope) || `${path}/` === scope : `${path}/`.startsWith(`${scope}/`);
}

function attributeOf(attributes: readonly string[], name: string): string | undefined {
  const attribute = attributes.find((text) => text.slice(0, name.length + 1).toLowerCase() === `${name}=`);
  return attribute?.slice(name.length + 1).trim();
}

/** Max-Age wins over Expires (RFC 6265 5.3). */
function lifetimeOf(attributes: readonly string[], now: number): number | undefined {
  const age = attributeOf(attributes, 'max-age');
  if (age !== undefined && /^-?\d{1,12}$/.test(age)) return Number(age);
  const end = Date.parse(attributeOf(attributes, 'expires') ?? '');
  return Number.isNaN(end) ? undefined : (end - now) / 1000;
}
