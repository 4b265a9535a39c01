// Access tokens: one per credential, or one per credential and caller if the caller's own token is exchanged. Each is fetched
// once for all calls that wait for it, and for all processes if they share tokens. A call that comes shortly before it expires gets
// a new one.
import { createHash } from 'node:crypto';
import type { Connection } from '../../endpoint/model';
import type { Redactor } from '../../endpoint/redaction/redact';
import type { Subject } from './caller-token';
import type { TokenCredential } from '../proof';
import type { Send } from '../../executor/send';
import type { ClientHabits } from '../kinds/oauth2';
import { createFetchToken } from './fetch-token';
import type { Issued, Wish } from './token-request';
import type { SharedTokens } from './shared-tokens';
import { blockedError, mayReplace, newTokenEntry, type TokenEntry } from './token-entry';

export interface Tokens {
  /** The token in hand, if it is still good. */
  current(wish: Wish): Issued | undefined;
  /** That token, or a new one. The fetch is shared, so it does not end when one of the callers leaves. */
  fetch(wish: Wish): Promise<Issued>;
  /**
   * The API refused this token: the next call gets another. False where another would hardly help, because the one before it
   * was refused only a moment ago.
   */
  forget(wish: Wish, grant: Issued): boolean;
}

/** Callers whose tokens are kept; the least recently used one is dropped. */
const MAX_CALLERS = 1_000;

export function createTokens(send: Send, redact: Redactor, userAgent: string, sharedTokens?: SharedTokens): Tokens {
  const fetch = createFetchToken({ send, redact, userAgent }, sharedTokens);
  const entries = new Map<string, TokenEntry>();
  const byCredential = new WeakMap<TokenCredential, TokenEntry>();
  /** What exchanges of one credential have in common, whoever calls. */
  const exchanges = new WeakMap<TokenCredential, { readonly key: string; readonly habits: ClientHabits }>();
  /** By credential, caller and the caller's token: another token of the same caller may allow less. The latest used is last. */
  const ofCallers = new Map<string, TokenEntry>();

  function exchangeBy(credential: TokenCredential, connection: Connection | undefined) {
    let exchange = exchanges.get(credential);
    if (exchange === undefined) {
      exchange = { key: keyOf(credential, connection), habits: { inBody: false } };
      exchanges.set(credential, exchange);
    }
    return exchange;
  }

  function entryOfCaller(
    credential: TokenCredential,
    subject: Subject,
    connection: Connection | undefined,
  ): TokenEntry {
    const exchange = exchangeBy(credential, connection);
    const key = `${exchange.key} ${subject.key}`;
    const entry = ofCallers.get(key) ?? newTokenEntry(key, exchange.habits);
    ofCallers.delete(key);
    ofCallers.set(key, entry);
    if (ofCallers.size > MAX_CALLERS) ofCallers.delete(ofCallers.keys().next().value as string);
    return entry;
  }

  function entryFor({ credential, subject, connection }: Wish): TokenEntry {
    if (subject !== undefined) return entryOfCaller(credential, subject, connection);
    let entry = byCredential.get(credential);
    if (entry === undefined) {
      const key = keyOf(credential, connection);
      entry = entries.get(key) ?? newTokenEntry(key);
      entries.set(key, entry);
      byCredential.set(credential, entry);
    }
    return entry;
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
      entry.pending ??= fetch(wish, entry).finally(() => {
        entry.pending = undefined;
      });
      return entry.pending;
    },
    forget(wish, grant) {
      const entry = entryFor(wish);
      // Somebody else has replaced it already.
      if (entry.issued !== grant) return true;
      if (!mayReplace(entry, wish.credential.kind)) return false;
      entry.issued = undefined;
      return true;
    },
  };
}

/**
 * Credentials with the same content share a token, wherever they are declared, if they use the same connection: a token may be
 * bound to the certificate it was requested with (RFC 8705).
 */
function keyOf(credential: TokenCredential, connection: Connection | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify([credential.kind, ...contentOf(credential), connection]))
    .digest('base64url');
}

function contentOf(credential: TokenCredential): unknown[] {
  if (credential.kind === 'login') {
    const { request, token, lifetime, send, publicOnly = false } = credential;
    return [request, token, lifetime, send, publicOnly];
  }
  const { tokenUrl, clientId, clientSecret, scopes } = credential;
  const client = [tokenUrl, clientId.value, clientSecret.value, scopes];
  if (credential.kind === 'oauth2') return [...client, credential.publicOnly ?? false];
  const { audience, resource, subjectTokenType, requestedTokenType } = credential;
  return [...client, audience, resource, subjectTokenType, requestedTokenType];
}
