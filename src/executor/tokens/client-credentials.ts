// OAuth2 client credentials: a token for a client id and its secret (RFC 6749 4.4).

import { basicToken } from '../../endpoint/secrets.ts';
import { own, textAt } from '../../endpoint/untrusted.ts';
import { GatewayError } from '../../errors.ts';
import type { OAuthCredential } from '../request/proof.ts';
import { encode } from '../request/wire-text.ts';
import type { RawResponse } from '../send.ts';
import { askIssuer, checkAddress, checkIssued, type Issued, type Issuer, jsonOf, type Wish } from './issue.ts';

/** RFC 6749 2.3.1 wants Basic; some servers only read the body. Found out once per credential. */
export interface ClientHabits {
  inBody: boolean;
}

export async function fetchClientToken(
  issuer: Issuer,
  wish: Wish<OAuthCredential>,
  habits: ClientHabits,
): Promise<Issued> {
  const { clientId, clientSecret, name, tokenUrl } = wish.credential;
  const url = checkAddress(tokenUrl, `the token URL of ${name}`, wish);
  let raw = await ask(issuer, wish, url, habits.inBody);
  if (!habits.inBody && (raw.status === 400 || raw.status === 401)) {
    const second = await ask(issuer, wish, url, true);
    habits.inBody = second.status < 300;
    if (habits.inBody) raw = second;
  }
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
    const what = token === '' ? 'without an access token' : 'with a token that no request can carry';
    throw new GatewayError('BAD_RESPONSE', `${tool}: ${url.origin} answered ${what}. Check the token URL.`, {
      tool,
      origin: url.origin,
    });
  }
  const seconds = Number(own(answer, 'expires_in') ?? Number.NaN);
  return { token, lifetimeS: Number.isFinite(seconds) && seconds > 0 ? seconds : undefined };
}

function ask(issuer: Issuer, wish: Wish<OAuthCredential>, url: URL, inBody: boolean): Promise<RawResponse> {
  const { clientId, clientSecret, scopes } = wish.credential;
  const id = encode(clientId.value ?? '');
  const secret = encode(clientSecret.value ?? '');
  let body = 'grant_type=client_credentials';
  if (scopes.length > 0) body += `&scope=${encode(scopes.join(' '))}`;
  if (inBody) body += `&client_id=${id}&client_secret=${secret}`;
  const headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    ...(!inBody && { authorization: `Basic ${basicToken(id, secret)}` }),
  };
  return askIssuer(issuer, { method: 'POST', url, headers, body }, wish);
}
