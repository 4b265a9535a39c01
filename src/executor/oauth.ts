// OAuth2 client credentials: one token per client and scope, fetched once however many calls wait for it.

import { visible } from '../endpoint/hidden.ts';
import type { EndpointLimits } from '../endpoint/model.ts';
import { basicToken } from '../endpoint/secrets.ts';
import { own, textAt } from '../endpoint/untrusted.ts';
import { GatewayError } from '../errors.ts';
import type { OAuthCredential } from './request/proof.ts';
import { encode } from './request/wire-text.ts';
import type { RawResponse, Send } from './send.ts';

export interface Tokens {
  /** The token in hand, if it is still good. */
  current(credential: OAuthCredential): string | undefined;
  /** That token, or a new one. The fetch is shared, so it does not end when one of the callers leaves. */
  fetch(credential: OAuthCredential, tool: string, apiOrigin: string): Promise<string>;
  /** The API refused this token: the next call gets another. */
  forget(credential: OAuthCredential, token: string): void;
}

interface Entry {
  token: string | undefined;
  expiresAt: number;
  pending: Promise<string> | undefined;
  /** RFC 6749 2.3.1 wants Basic; some servers only read the body. Found out once. */
  inBody: boolean;
}

const TOKEN_LIMITS: EndpointLimits = Object.freeze({ timeoutMs: 10_000, maxResponseBytes: 256 * 1024 });
const DEFAULT_LIFETIME_S = 300;
/** Refreshed this long before the end, or after nine tenths of a short life. */
const SKEW_S = 30;
const MAX_LIFETIME_S = 24 * 3600;

export function createTokens(send: Send, onSecret: (value: string) => void): Tokens {
  const entries = new Map<string, Entry>();

  function entryFor(credential: OAuthCredential): Entry {
    const { tokenUrl, clientId, clientSecret, scopes, publicOnly = false } = credential;
    const key = JSON.stringify([tokenUrl, clientId.value, clientSecret.value, scopes, publicOnly]);
    let entry = entries.get(key);
    if (entry === undefined) {
      entry = { token: undefined, expiresAt: 0, pending: undefined, inBody: false };
      entries.set(key, entry);
    }
    return entry;
  }

  async function request(credential: OAuthCredential, entry: Entry, tool: string, apiOrigin: string): Promise<string> {
    const grant = { credential, tool, url: parseTokenUrl(credential, tool, apiOrigin) };
    let raw = await ask(send, grant, entry.inBody);
    if (!entry.inBody && (raw.status === 400 || raw.status === 401)) {
      const second = await ask(send, grant, true);
      entry.inBody = second.status < 300;
      if (entry.inBody) raw = second;
    }
    const { token, lifetimeS } = readToken(raw, grant);
    entry.token = token;
    entry.expiresAt = Date.now() + Math.max(lifetimeS - SKEW_S, lifetimeS * 0.9 - 1, 0) * 1000;
    onSecret(token);
    return token;
  }

  return {
    current(credential) {
      const entry = entryFor(credential);
      return entry.expiresAt > Date.now() ? entry.token : undefined;
    },
    fetch(credential, tool, apiOrigin) {
      const entry = entryFor(credential);
      entry.pending ??= request(credential, entry, tool, apiOrigin).finally(() => {
        entry.pending = undefined;
      });
      return entry.pending;
    },
    forget(credential, token) {
      const entry = entryFor(credential);
      if (entry.token === token) entry.expiresAt = 0;
    },
  };
}

/** A client secret goes over TLS, to this machine, or to the very origin the API calls go to anyway. */
function parseTokenUrl(credential: OAuthCredential, tool: string, apiOrigin: string): URL {
  const url = URL.canParse(credential.tokenUrl) ? new URL(credential.tokenUrl) : undefined;
  const safe =
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' &&
      (url.origin === apiOrigin || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)));
  if (url === undefined || !safe) {
    throw new GatewayError(
      'MISSING_CREDENTIAL',
      `${tool}: the token URL of ${credential.name} must be an https URL; the client secret is not sent anywhere else. Correct it in the domain file.`,
      { tool },
    );
  }
  return url;
}

/** What a token is asked for with, and for whose call. */
interface Grant {
  readonly credential: OAuthCredential;
  readonly url: URL;
  readonly tool: string;
}

async function ask(send: Send, { credential, url, tool }: Grant, inBody: boolean): Promise<RawResponse> {
  const id = encode(credential.clientId.value ?? '');
  const secret = encode(credential.clientSecret.value ?? '');
  let body = 'grant_type=client_credentials';
  if (credential.scopes.length > 0) body += `&scope=${encode(credential.scopes.join(' '))}`;
  if (inBody) body += `&client_id=${id}&client_secret=${secret}`;
  try {
    return await send(
      {
        method: 'POST',
        origin: url.origin,
        path: url.pathname + url.search,
        url: url.origin + url.pathname,
        headers: {
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
          ...(!inBody && { authorization: `Basic ${basicToken(id, secret)}` }),
        },
        body,
        limits: TOKEN_LIMITS,
        isRead: true,
        publicOnly: credential.publicOnly === true,
      },
      // Shared by every call that waits for it: no single caller's leaving ends it.
      { label: tool, signal: new AbortController().signal, deadline: performance.now() + TOKEN_LIMITS.timeoutMs },
    );
  } catch (error) {
    const why = error instanceof GatewayError ? error.message.replace(`${tool}: `, '') : 'it could not be reached';
    throw new GatewayError(
      'UNREACHABLE',
      `${tool}: no access token could be fetched from ${url.origin}: ${why}\nNothing was sent to the API.`,
      { tool, origin: url.origin },
      error,
    );
  }
}

function readToken(raw: RawResponse, { credential, url, tool }: Grant): { token: string; lifetimeS: number } {
  let answer: unknown;
  try {
    answer = JSON.parse(raw.body.toString('utf8'));
  } catch {
    // The status says enough.
  }
  if (raw.status >= 500) {
    throw new GatewayError(
      'UNREACHABLE',
      `${tool}: ${url.origin} could not issue an access token (status ${raw.status}). Nothing was sent to the API; try again later.`,
      { tool, origin: url.origin },
    );
  }
  if (raw.status < 200 || raw.status >= 300) {
    const { clientId, clientSecret } = credential;
    const error = textAt(answer, 'error');
    const reason = error === undefined ? '' : ` ${visible(error.slice(0, 100))}`;
    throw new GatewayError(
      'MISSING_CREDENTIAL',
      `${tool}: ${url.origin} refused the client credentials (${raw.status}${reason}). Nothing was sent to the API. Check ${clientId.variable} and ${clientSecret.variable}, and the scopes.`,
      { tool, variables: [clientId.variable, clientSecret.variable] },
    );
  }
  const token = textAt(answer, 'access_token') ?? '';
  if (token === '') {
    throw new GatewayError(
      'BAD_RESPONSE',
      `${tool}: ${url.origin} answered without an access token. Check the token URL.`,
      { tool, origin: url.origin },
    );
  }
  const seconds = Number(own(answer, 'expires_in') ?? DEFAULT_LIFETIME_S);
  const lifetimeS = Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, MAX_LIFETIME_S) : DEFAULT_LIFETIME_S;
  return { token, lifetimeS };
}
