// A login as a domain file or a document's password flow describes it: one request (sent again if the server moves it within its
// origin), and a token or cookies in the answer.

import { checkHeaderValue } from '../../endpoint/wire-text.ts';
import { type GatewayError, NoTokenError, ToolError } from '../../errors.ts';
import type { LoginCredential } from '../kinds/login.ts';
import {
  checkAddress,
  checkIssued,
  type IssuedToken,
  jsonOf,
  sendTokenRequest,
  type TokenClient,
  type TokenHttpResponse,
  type TokenRequest,
} from '../tokens/token-request.ts';
import { findLifetime, findToken } from './read-token.ts';
import { earliestEnd, readCookies } from './set-cookie.ts';

type Login = TokenRequest<LoginCredential>;

export async function logIn(client: TokenClient, login: Login): Promise<IssuedToken> {
  const { name, request, secrets, send, isScheme, publicOnly } = login.credential;
  const { method, url: address, query, body } = request;
  const url = checkAddress(query === '' ? address : `${address}?${query}`, `the login URL of ${name}`, login);
  const variables = secrets.map(({ variable }) => variable);
  const plan = { method, headers: checkHeaders(login), body, publicOnly };
  const first = await sendTokenRequest(client, { ...plan, url }, login);
  const next = sameOriginTarget(first, url);
  const response = next === undefined ? first : await sendTokenRequest(client, { ...plan, url: next }, login);
  const secretsCheck =
    variables.length === 0 ? `Check credentials.${name} in the domain file.` : `Check ${listOf(variables)}.`;
  const check =
    response.status === 404 || response.status === 405
      ? `There is probably no login there: check its address, ${method} ${request.shown}, in credentials.${name} of the domain file.`
      : secretsCheck;
  const words = {
    refused: `refused the login ${name}`,
    check,
    variables,
    server: 'login',
    addressField: isScheme === true ? 'tokenUrl' : 'url',
  } as const;
  // A form login sets the cookie and redirects the browser; the target does not matter.
  const isFormRedirect = send.in === 'cookies' && (response.status === 302 || response.status === 303);
  if (!isFormRedirect) checkIssued(response, url, login, words, client);
  return send.in === 'cookies' ? takeCookies(response, url, login) : takeToken(response, url, login);
}

/**
 * The target of a redirect that asks for the same request at another path of the same origin (307 or 308), usually one with a final
 * slash.
 */
function sameOriginTarget({ status, headers }: TokenHttpResponse, url: URL): URL | undefined {
  const location = String(headers.location ?? '');
  if ((status !== 307 && status !== 308) || location === '' || !URL.canParse(location, url.href)) return undefined;
  const target = new URL(location, url.href);
  const isSame = target.origin === url.origin && target.username === '' && target.password === '';
  return isSame ? target : undefined;
}

/** A stray line break in a variable must not become a header of its own; the message must not show the value. */
function checkHeaders({ credential, tool }: Login): Readonly<Record<string, string>> {
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

function takeToken(response: TokenHttpResponse, url: URL, login: Login): IssuedToken {
  const { token: place, lifetime } = login.credential;
  const answer = jsonOf(response);
  const token =
    place?.in === 'header'
      ? String(response.headers[place.field.toLowerCase()] ?? '')
      : (findToken(answer, place?.at) ?? (place === undefined ? plainToken(response) : ''));
  // The answer may contain the token with `Bearer` in front; the prefix is added when it is sent.
  const bare = token.trim().replace(/^Bearer +/i, '');
  if (bare === '') {
    const where = place === undefined ? '' : ` at ${place.in === 'header' ? `the header ${place.field}` : place.at}`;
    throw unusable(login, url, `answered without a token${where}. Set its place with token:`);
  }
  if (!/^[\x21-\x7e]{1,7000}$/.test(bare)) {
    throw unusable(
      login,
      url,
      'answered with a token that a header cannot carry. Set the place of the right one with token:',
    );
  }
  return { token: bare, lifetimeS: findLifetime(answer, bare, lifetime) };
}

/** Some logins answer with the token and nothing else. */
function plainToken({ headers, body }: TokenHttpResponse): string {
  const isPlain = /^text\/plain\b/i.test(String(headers['content-type'] ?? ''));
  return isPlain && body.length < 8_000 ? body.toString('utf8') : '';
}

function takeCookies(response: TokenHttpResponse, url: URL, login: Login): IssuedToken {
  const cookies = readCookies(response.headers['set-cookie']);
  if (cookies.length === 0)
    throw unusable(login, url, 'set no cookie. If it answers with a token instead, remove send: cookies');
  const { lifetime } = login.credential;
  const lifetimeS = lifetime === undefined ? undefined : findLifetime(jsonOf(response), '', lifetime);
  return { token: '', cookies, lifetimeS: lifetimeS ?? earliestEnd(cookies) };
}

function unusable({ credential: { name, request }, tool }: Login, url: URL, what: string): GatewayError {
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
