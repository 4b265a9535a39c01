// A login as a domain file or a document's password flow describes it: one request (sent again if the server
// moves it within its origin), and a token or cookies in the answer.
import type { Credential } from '../../endpoint/credential';
import { type GatewayError, NoTokenError, ToolError } from '../../errors';
import { checkHeaderValue } from '../../endpoint/wire-text';
import type { RawResponse } from '../../executor/send';
import { askIssuer, checkAddress, checkIssued, type Issued, type Issuer, jsonOf, type Wish } from '../tokens/token-request';
import { findLifetime, findToken } from './read-token';
import { earliestEnd, readCookies } from './set-cookie';

export type LoginCredential = Extract<Credential, { kind: 'login' }>;

export async function logIn(issuer: Issuer, wish: Wish<LoginCredential>): Promise<Issued> {
  const { credential } = wish;
  const { name, request, secrets, send } = credential;
  const { method, url: address, query, body } = request;
  const url = checkAddress(query === '' ? address : `${address}?${query}`, `the login URL of ${name}`, wish);
  const variables = secrets.map(({ variable }) => variable);
  const asking = { method, headers: checkHeaders(wish), body };
  const first = await askIssuer(issuer, { ...asking, url }, wish);
  const next = sameOriginTarget(first, url);
  const raw = next === undefined ? first : await askIssuer(issuer, { ...asking, url: next }, wish);
  const secretsCheck =
    variables.length === 0 ? `Check credentials.${name} in the domain file.` : `Check ${listOf(variables)}.`;
  const check =
    raw.status === 404 || raw.status === 405
      ? `There is probably no login there: check its address, ${method} ${request.shown}, in credentials.${name} of the domain file.`
      : secretsCheck;
  // A form login sets the cookie and redirects the browser; the target does not matter.
  const isSentOn = send.in === 'cookies' && (raw.status === 302 || raw.status === 303);
  if (!isSentOn) checkIssued(raw, url, wish, { refused: `refused the login ${name}`, check, variables }, issuer.redact);
  return send.in === 'cookies' ? takeCookies(raw, url, wish) : takeToken(raw, url, wish);
}

/**
 * The target of a redirect that wants the same request at another path of the same origin (307 or 308), mostly one with a final
 * slash.
 */
function sameOriginTarget({ status, headers }: RawResponse, url: URL): URL | undefined {
  const location = String(headers.location ?? '');
  if ((status !== 307 && status !== 308) || location === '' || !URL.canParse(location, url.href)) return undefined;
  const target = new URL(location, url.href);
  const isSame = target.origin === url.origin && target.username === '' && target.password === '';
  return isSame ? target : undefined;
}

/** A stray line break in a variable must not become a header of its own; the message must not show the value. */
function checkHeaders({ credential, tool }: Wish<LoginCredential>): Readonly<Record<string, string>> {
  const { headers } = credential.request;
  for (const [field, text] of Object.entries(headers)) {
    try {
      checkHeaderValue(text);
    } catch {
      throw new ToolError(
        'MISSING_CREDENTIAL',
        tool,
        `the header ${field} of the login ${credential.name} holds characters no header can carry (often a line break at the end of a variable); nothing was sent.`,
        { tool },
      );
    }
  }
  return headers;
}

function takeToken(raw: RawResponse, url: URL, wish: Wish<LoginCredential>): Issued {
  const { token: place, lifetime } = wish.credential;
  const answer = jsonOf(raw);
  const token =
    place?.in === 'header'
      ? String(raw.headers[place.field.toLowerCase()] ?? '')
      : (findToken(answer, place?.at) ?? (place === undefined ? plainToken(raw) : ''));
  // The answer may contain the token with `Bearer` in front; the prefix is added when it is sent.
  const bare = token.trim().replace(/^Bearer +/i, '');
  if (bare === '') {
    const where = place === undefined ? '' : ` at ${place.in === 'header' ? `the header ${place.field}` : place.at}`;
    throw unusable(wish, url, `answered without a token${where}. Set its place with token:`);
  }
  if (!/^[\x21-\x7e]{1,7000}$/.test(bare)) {
    throw unusable(
      wish,
      url,
      'answered with a token that a header cannot carry. Set the place of the right one with token:',
    );
  }
  return { token: bare, lifetimeS: findLifetime(answer, bare, lifetime) };
}

/** Some logins answer with the token and nothing else. */
function plainToken({ headers, body }: RawResponse): string {
  const isPlain = /^text\/plain\b/i.test(String(headers['content-type'] ?? ''));
  return isPlain && body.length < 8_000 ? body.toString('utf8') : '';
}

function takeCookies(raw: RawResponse, url: URL, wish: Wish<LoginCredential>): Issued {
  const cookies = readCookies(raw.headers['set-cookie']);
  if (cookies.length === 0)
    throw unusable(wish, url, 'set no cookie. If it answers with a token instead, remove send: cookies');
  const { lifetime } = wish.credential;
  const lifetimeS = lifetime === undefined ? undefined : findLifetime(jsonOf(raw), '', lifetime);
  return { token: '', cookies, lifetimeS: lifetimeS ?? earliestEnd(cookies) };
}

function unusable(
  { credential: { name, request }, tool }: Wish<LoginCredential>,
  url: URL,
  what: string,
): GatewayError {
  return new NoTokenError(
    'BAD_RESPONSE',
    tool,
    `the login ${name} at ${request.shown} ${what} in credentials.${name} of the domain file. The call was not made.`,
    { tool, origin: url.origin },
  );
}

function listOf(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
