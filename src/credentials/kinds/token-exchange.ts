// OAuth2 token exchange (RFC 8693): the caller's verified token for one that the API accepts. The caller's own never goes there.
import { createRedactor, joinRedactors } from '../../endpoint/redaction/redact';
import { own, textAt } from '../../endpoint/untrusted';
import { NoTokenError } from '../../errors';
import type { Subject } from '../tokens/caller-token';
import type { TokenCredential } from '../proof';
import type { RawResponse } from '../../executor/send';
import { askAsClient, type ClientHabits } from './oauth2';
import { checkAddress, checkIssued, type Issued, type Issuer, jsonOf, type Wish } from '../tokens/token-request';

type ExchangeCredential = Extract<TokenCredential, { kind: 'token_exchange' }>;
type ExchangeWish = Wish<ExchangeCredential>;

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const JWT = 'urn:ietf:params:oauth:token-type:jwt';
/** What a bearer token may look like (RFC 6750 2.1), and how long a header may be. */
const BEARER = /^[A-Za-z0-9\-._~+/]{1,7000}=*$/;
/** Where the server does not say how long the token is good. */
const DEFAULT_LIFETIME_S = 300;

export async function exchangeToken(issuer: Issuer, wish: ExchangeWish, habits: ClientHabits): Promise<Issued> {
  const { credential, subject } = wish;
  const { clientId, clientSecret, name, tokenUrl } = credential;
  if (subject === undefined) throw new TypeError('A token exchange needs the token of a caller.');
  const url = checkAddress(tokenUrl, `the token URL of ${name}`, wish);
  const raw = await askAsClient(issuer, wish, url, fieldsOf(credential, subject), habits, {
    isRefused: isClientRefused,
    isTaken: (second) => !isClientRefused(second),
  });
  const words = {
    refused: "did not exchange the caller's token",
    check: isClientRefused(raw)
      ? `Check ${clientId.variable} and ${clientSecret.variable}.`
      : `Check whether the client may exchange tokens for audience, resource and scopes of credentials.${name}, and whether the caller's token is still valid.`,
    variables: isClientRefused(raw) ? [clientId.variable, clientSecret.variable] : [],
  };
  checkIssued(raw, url, wish, words, joinRedactors(issuer.redact, createRedactor([subject.token])));
  return readAnswer(jsonOf(raw), wish, subject, url);
}

/** Some servers read the client only in the body (RFC 6749 2.3.1); a refused subject is no reason to ask again. */
function isClientRefused(raw: RawResponse): boolean {
  if (raw.status === 401) return true;
  return raw.status === 400 && textAt(jsonOf(raw), 'error') === 'invalid_client';
}

function fieldsOf(credential: ExchangeCredential, subject: Subject): [string, string][] {
  const { scopes, audience, resource, subjectTokenType, requestedTokenType } = credential;
  return [
    ['grant_type', GRANT],
    ['subject_token', subject.token],
    ['subject_token_type', subjectTokenType],
    ...(requestedTokenType === undefined ? [] : [['requested_token_type', requestedTokenType] as [string, string]]),
    ...audience.map((text): [string, string] => ['audience', text]),
    ...resource.map((text): [string, string] => ['resource', text]),
    ...(scopes.length === 0 ? [] : [['scope', scopes.join(' ')] as [string, string]]),
  ];
}

/** Strictly after RFC 8693 2.2.1: a token of another type would be sent to an API that does not expect it. */
function readAnswer(answer: unknown, wish: ExchangeWish, subject: Subject, url: URL): Issued {
  const { requestedTokenType } = wish.credential;
  const refuse = (what: string) =>
    new NoTokenError(
      'BAD_RESPONSE',
      wish.tool,
      `the token exchange at ${url.origin} ${what}. The call was not made. Check credentials.${wish.credential.name} in the domain file.`,
      { tool: wish.tool, origin: url.origin },
    );
  const token = textAt(answer, 'access_token') ?? '';
  if (token === '') throw refuse('answered without an access token');
  if (!BEARER.test(token)) throw refuse('answered with a token that a header cannot carry');
  if (token === subject.token) throw refuse("answered with the caller's own token, which is never passed on");
  if (textAt(answer, 'token_type')?.toLowerCase() !== 'bearer')
    throw refuse('answered with a token that is not a bearer token (token_type)');
  const type = textAt(answer, 'issued_token_type');
  const isFit = requestedTokenType === undefined ? type === ACCESS_TOKEN || type === JWT : type === requestedTokenType;
  if (!isFit) throw refuse('answered with a token of a type that was not asked for (issued_token_type)');
  const lifetime = own(answer, 'expires_in');
  const seconds = lifetime === undefined ? DEFAULT_LIFETIME_S : Number(lifetime);
  if (!(Number.isFinite(seconds) && seconds > 0)) throw refuse('does not say in seconds how long its token is valid');
  const { expiresAtMs } = subject;
  // The exchanged token is used no longer than the caller's own token is valid.
  const restS = expiresAtMs === undefined ? seconds : (expiresAtMs - Date.now()) / 1000;
  return { token, lifetimeS: Math.min(seconds, restS) };
}
