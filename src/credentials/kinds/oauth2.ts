// OAuth2 client credentials: a token for a client id and its secret (RFC 6749 4.4).

import { basicToken } from '../secrets';
import { own, textAt } from '../../endpoint/untrusted';
import { ToolError } from '../../errors';
import type { OAuthCredential, TokenCredential } from '../proof';
import { encode } from '../../endpoint/wire-text';
import type { RawResponse } from '../../executor/send';
import { askIssuer, checkAddress, checkIssued, type Issued, type Issuer, jsonOf, type Wish } from '../tokens/token-request';

/** RFC 6749 2.3.1 wants Basic; some servers only read the body. Found out once per credential. */
export interface ClientHabits {
  inBody: boolean;
}

export async function fetchClientToken(
  issuer: Issuer,
  wish: Wish<OAuthCredential>,
  habits: ClientHabits,
): Promise<Issued> {
  const { clientId, clientSecret, name, tokenUrl, scopes } = wish.credential;
  const url = checkAddress(tokenUrl, `the token URL of ${name}`, wish);
  const fields: Fields = [
    ['grant_type', 'client_credentials'],
    ...(scopes.length > 0 ? [['scope', scopes.join(' ')] as const] : []),
  ];
  const raw = await askAsClient(issuer, wish, url, fields, habits, {
    isRefused: ({ status }) => status === 400 || status === 401,
    isTaken: ({ status }) => status < 300,
  });
  const words = {
    refused: 'refused the client credentials',
    check: `Check ${clientId.variable} and ${clientSecret.variable}, and the scopes.`,
    variables: [clientId.variable, clientSecret.variable],
  };
  checkIssued(raw, url, wish, words, issuer.redact);
  const answer = jsonOf(raw);
  const token = textAt(answer, 'access_token') ?? '';
  if (!/^[\x21-\x7e]{1,7000}$/.test(token)) {
    const { tool } = wish;
    const what = token === '' ? 'without an access token' : 'with a token that a header cannot carry';
    throw new ToolError('BAD_RESPONSE', tool, `${url.origin} answered ${what}. Check the token URL.`, {
      tool,
      origin: url.origin,
    });
  }
  const seconds = Number(own(answer, 'expires_in') ?? Number.NaN);
  return { token, lifetimeS: Number.isFinite(seconds) && seconds > 0 ? seconds : undefined };
}

type Fields = readonly (readonly [name: string, value: string])[];

/** Sends a request as the client: in the way the server is known to accept, or in the other way if it refuses. */
export async function askAsClient(
  issuer: Issuer,
  wish: Wish<Extract<TokenCredential, { clientId: unknown }>>,
  url: URL,
  fields: Fields,
  habits: ClientHabits,
  { isRefused, isTaken }: Record<'isRefused' | 'isTaken', (raw: RawResponse) => boolean>,
): Promise<RawResponse> {
  const { clientId, clientSecret } = wish.credential;
  const [id, secret] = [encode(clientId.value ?? ''), encode(clientSecret.value ?? '')];
  const plain = fields.map(([key, value]) => `${key}=${encode(value)}`).join('&');
  const ask = (inBody: boolean) => {
    const headers = {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(!inBody && { authorization: `Basic ${basicToken(id, secret)}` }),
    };
    const body = inBody ? `${plain}&client_id=${id}&client_secret=${secret}` : plain;
    return askIssuer(issuer, { method: 'POST', url, headers, body }, wish);
  };
  const first = await ask(habits.inBody);
  if (habits.inBody || !isRefused(first)) return first;
  const second = await ask(true);
  habits.inBody = isTaken(second);
  return habits.inBody ? second : first;
}
