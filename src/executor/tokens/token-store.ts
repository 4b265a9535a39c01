// Access tokens in hand: one per credential, or per credential and caller where the caller's own is exchanged; fetched once
// however many calls wait for it, renewed before it expires.
import type { Connection } from '../../endpoint/model.ts';
import type { Redactor } from '../../endpoint/redaction/redact.ts';
import { GatewayError } from '../../errors.ts';
import type { Subject } from '../caller/subject.ts';
import type { TokenCredential } from '../request/proof.ts';
import type { Send } from '../send.ts';
import { type ClientHabits, fetchClientToken } from './client-credentials.ts';
import type { Issued, Issuer, Wish } from './issue.ts';
import { logIn } from './login-token.ts';
import { exchangeToken } from './token-exchange.ts';

export interface Tokens {
  /** The token in hand, if it is still good. */
  current(wish: Wish): Issued | undefined;
  /** That token, or a new one. The fetch is shared, so it does not end when one of the callers leaves. */
  fetch(wish: Wish): Promise<Issued>;
  /**
   * The API refused this token: the next call gets another. False where another would hardly help, because the one before it
   * was refused only a moment ago.
   */
  forget(wish: Wish, issued: Issued): boolean;
}

interface Entry {
  readonly habits: ClientHabits;
  issued: Issued | undefined;
  expiresAt: number;
  pending: Promise<Issued> | undefined;
  /** When refused tokens were replaced, the last few times. */
  replacedAt: readonly number[];
  /** Times in a row that the secrets were refused. */
  refusals: number;
  /** Until then nobody is asked again, and this is what was said. */
  blocked: { readonly until: number; readonly error: GatewayError } | undefined;
}

/** Where nobody says how long a token is good. One that ends earlier is found out by the API's refusal. */
const DEFAULT_LIFETIME_S = { oauth2: 300, token_exchange: 300, login: 3_600 };
/** Refreshed this long before the end, or after nine tenths of a short life. */
const SKEW_S = 30;
const MAX_LIFETIME_S = 24 * 3600;
/**
 * At most one refused token is replaced in this time, even where other calls are taken with it: an operation may answer 401 to
 * everybody (a missing permission, a wrong old password), and a login for each such call locks accounts.
 */
const REPLACEMENT_PAUSE_MS = 10_000;
/** Within that time. A login is counted by whoever guards the accounts; a client's token costs nobody anything. */
const MAX_REPLACEMENTS = { login: 1, oauth2: 4, token_exchange: 4 };
/** Accounts are locked after a handful of wrong passwords, so they are not tried with every call. */
const FREE_REFUSALS = 3;
const REFUSAL_PAUSE_MS = 60_000;
/** Callers whose tokens are kept; the one that has not called for longest makes room. */
const MAX_CALLERS = 1_000;

export function createTokens(send: Send, redact: Redactor, userAgent: string): Tokens {
  const issuer: Issuer = { send, redact, userAgent };
  const entries = new Map<string, Entry>();
  const byCredential = new WeakMap<TokenCredential, Entry>();
  /** What exchanges of one credential have in common, whoever calls. */
  const exchanges = new WeakMap<TokenCredential, { readonly key: string; readonly habits: ClientHabits }>();
  /** By credential, caller and the caller's token: another token of the same caller may allow less. The latest used is last. */
  const ofCallers = new Map<string, Entry>();

  function exchangeBy(credential: TokenCredential, connection: Connection | undefined) {
    let exchange = exchanges.get(credential);
    if (exchange === undefined) {
      exchange = { key: keyOf(credential, connection), habits: { inBody: false } };
      exchanges.set(credential, exchange);
    }
    return exchange;
  }

  function entryOfCaller(credential: TokenCredential, subject: Subject, connection: Connection | undefined): Entry {
    const exchange = exchangeBy(credential, connection);
    const key = `${exchange.key} ${subject.key}`;
    const entry = ofCallers.get(key) ?? newEntry(exchange.habits);
    ofCallers.delete(key);
    ofCallers.set(key, entry);
    if (ofCallers.size > MAX_CALLERS) ofCallers.delete(ofCallers.keys().next().value as string);
    return entry;
  }

  function entryFor({ credential, subject, connection }: Wish): Entry {
    if (subject !== undefined) return entryOfCaller(credential, subject, connection);
    let entry = byCredential.get(credential);
    if (entry === undefined) {
      const key = keyOf(credential, connection);
      entry = entries.get(key) ?? newEntry();
      entries.set(key, entry);
      byCredential.set(credential, entry);
    }
    return entry;
  }

  async function request(wish: Wish, entry: Entry): Promise<Issued> {
    try {
      const issued = await issue(issuer, wish, entry);
      entry.issued = issued;
      const lifetimeS = Math.min(issued.lifetimeS ?? DEFAULT_LIFETIME_S[wish.credential.kind], MAX_LIFETIME_S);
      entry.expiresAt = Date.now() + Math.max(lifetimeS - SKEW_S, lifetimeS * 0.9 - 1, 0) * 1000;
      entry.refusals = 0;
      // What is one caller's alone, the redactor of that caller's calls is told.
      if (wish.subject === undefined) for (const secret of secretsOf(issued)) redact.addSecret(secret);
      return issued;
    } catch (error) {
      noteRefusal(entry, error);
      throw error;
    }
  }

  return {
    current(wish) {
      const entry = entryFor(wish);
      return entry.expiresAt > Date.now() ? entry.issued : undefined;
    },
    fetch(wish) {
      const entry = entryFor(wish);
      if (entry.pending === undefined && entry.blocked !== undefined) {
        const waitMs = entry.blocked.until - Date.now();
        if (waitMs > 0) return Promise.reject(blockedError(entry.blocked.error, wish.tool, waitMs));
        entry.blocked = undefined;
      }
      entry.pending ??= request(wish, entry).finally(() => {
        entry.pending = undefined;
      });
      return entry.pending;
    },
    forget(wish, issued) {
      const entry = entryFor(wish);
      // Somebody else has replaced it already.
      if (entry.issued !== issued) return true;
      const now = Date.now();
      const recent = entry.replacedAt.filter((at) => now - at < REPLACEMENT_PAUSE_MS);
      if (recent.length >= MAX_REPLACEMENTS[wish.credential.kind]) return false;
      entry.replacedAt = [...recent, now];
      entry.issued = undefined;
      return true;
    },
  };
}

function newEntry(habits: ClientHabits = { inBody: false }): Entry {
  return {
    habits,
    issued: undefined,
    expiresAt: 0,
    pending: undefined,
    replacedAt: [],
    refusals: 0,
    blocked: undefined,
  };
}

const connectionNumbers = new WeakMap<Connection, number>();
let connectionCount = 0;

/** A token may be bound to the certificate it was had with (RFC 8705). */
function numberOf(connection: Connection | undefined): number {
  if (connection === undefined) return 0;
  const number = connectionNumbers.get(connection) ?? ++connectionCount;
  connectionNumbers.set(connection, number);
  return number;
}

/** Credentials of one content share a token, wherever they are declared, if they travel the same way. */
function keyOf(credential: TokenCredential, connection: Connection | undefined): string {
  const way = numberOf(connection);
  if (credential.kind === 'login') {
    const { request, token, lifetime, send, publicOnly = false } = credential;
    return JSON.stringify([request, token, lifetime, send, publicOnly, way]);
  }
  const { tokenUrl, clientId, clientSecret, scopes } = credential;
  const client = [tokenUrl, clientId.value, clientSecret.value, scopes, way];
  if (credential.kind === 'oauth2') return JSON.stringify([...client, credential.publicOnly ?? false]);
  const { audience, resource, subjectTokenType, requestedTokenType } = credential;
  return JSON.stringify([...client, audience, resource, subjectTokenType, requestedTokenType]);
}

function issue(issuer: Issuer, { credential, ...wish }: Wish, { habits }: Entry): Promise<Issued> {
  if (credential.kind === 'login') return logIn(issuer, { credential, ...wish });
  if (credential.kind === 'token_exchange') return exchangeToken(issuer, { credential, ...wish }, habits);
  return fetchClientToken(issuer, { credential, ...wish }, habits);
}

/** What must not be seen of it. */
export function secretsOf({ token, cookies = [] }: Issued): string[] {
  return token === '' ? cookies.flatMap(({ secrets }) => secrets) : [token];
}

function noteRefusal(entry: Entry, error: unknown): void {
  if (!(error instanceof GatewayError)) return;
  if (error.code === 'RATE_LIMITED') {
    const { retry_after_seconds: seconds = 1 } = error.details as { retry_after_seconds?: number };
    entry.blocked = { until: Date.now() + Math.min(seconds * 1000, REFUSAL_PAUSE_MS), error };
  }
  if (error.code !== 'MISSING_CREDENTIAL') return;
  entry.refusals++;
  if (entry.refusals >= FREE_REFUSALS) entry.blocked = { until: Date.now() + REFUSAL_PAUSE_MS, error };
}

/** The same error, for another call: it names that call's tool, and when the secrets are tried again. */
function blockedError({ code, message, details }: GatewayError, tool: string, waitMs: number): GatewayError {
  const said = message.replace(`${String(details.tool)}: `, `${tool}: `);
  return new GatewayError(code, `${said} It is not tried again for ${Math.ceil(waitMs / 1000)} s.`, {
    ...details,
    tool,
  });
}
