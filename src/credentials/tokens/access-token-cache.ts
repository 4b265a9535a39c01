// Access tokens: one per credential, or one per credential and caller if the caller's own token is exchanged. Each is fetched
// once for all calls that wait for it, and for all processes if they share tokens. A call that comes shortly before a token expires
// gets a new one.
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Credential } from '../../endpoint/credential.ts';
import type { UpstreamConnection } from '../../endpoint/model.ts';
import { tokenProofOf } from '../proof.ts';
import type { CallerToken } from './caller-token.ts';
import type { ClientAuthentication } from './client-request.ts';
import type { SharedToken, SharedTokens, TokenTurn } from './shared-tokens.ts';
import {
  blockedError,
  mayReplace,
  newTokenEntry,
  noteRefusal,
  REFUSAL_PAUSE_MS,
  type TokenEntry,
} from './token-entry.ts';
import type { IssuedToken, TokenClient, TokenRequest } from './token-request.ts';

/** Renewed this long before it expires, or after nine tenths of a short lifetime. */
const SKEW_S = 30;
const MAX_LIFETIME_S = 24 * 3600;
/** How often, and how long, to check for a token that another process is fetching: a login may take two requests. */
const LOOK_MS = 50;
const MAX_LOOKING_MS = 25_000;
/** Callers whose tokens are kept; the least recently used one is dropped. */
const MAX_CALLERS = 1_000;

export class AccessTokenCache {
  readonly #client: TokenClient;
  readonly #shared: SharedTokens | undefined;
  readonly #entries = new Map<string, TokenEntry>();
  readonly #byCredential = new WeakMap<Credential, TokenEntry>();
  /** Data that the exchanges of one credential share, for all callers. */
  readonly #exchanges = new WeakMap<
    Credential,
    { readonly key: string; readonly authentication: ClientAuthentication }
  >();
  /** By credential, caller and the caller's token: another token of the same caller may allow less. The latest used is last. */
  readonly #ofCallers = new Map<string, TokenEntry>();

  constructor(client: TokenClient, sharedTokens?: SharedTokens) {
    this.#client = client;
    this.#shared = sharedTokens;
  }

  /** The cached token, if it is still valid. */
  current(request: TokenRequest): IssuedToken | undefined {
    const entry = this.#entryFor(request);
    return entry.expiresAt > Date.now() ? entry.issued : undefined;
  }

  /** Fetches a new token. Calls share the fetch, so it continues if one of their callers disconnects. */
  fetch(request: TokenRequest): Promise<IssuedToken> {
    const entry = this.#entryFor(request);
    if (entry.pending === undefined && entry.blocked !== undefined) {
      const waitMs = entry.blocked.until - Date.now();
      if (waitMs > 0) return Promise.reject(blockedError(entry.blocked.error, request.tool, waitMs));
      entry.blocked = undefined;
    }
    const fetching = this.#shared === undefined ? this.#request : this.#requestShared;
    entry.pending ??= fetching.call(this, request, entry).finally(() => {
      entry.pending = undefined;
    });
    return entry.pending;
  }

  /**
   * Call it when the API refused this token: the next call gets another. False if another would hardly help, because
   * the previous one was refused only a moment ago.
   */
  forget(request: TokenRequest, token: IssuedToken): boolean {
    const entry = this.#entryFor(request);
    // Another call has replaced it already.
    if (entry.issued !== token) return true;
    if (!mayReplace(entry, tokenProofOf(request.credential).maxReplacements)) return false;
    entry.issued = undefined;
    return true;
  }

  #entryFor({ credential, callerToken, connection }: TokenRequest): TokenEntry {
    if (callerToken !== undefined) return this.#entryOfCaller(credential, callerToken, connection);
    let entry = this.#byCredential.get(credential);
    if (entry === undefined) {
      const key = keyOf(credential, connection);
      entry = this.#entries.get(key) ?? newTokenEntry(key);
      this.#entries.set(key, entry);
      this.#byCredential.set(credential, entry);
    }
    return entry;
  }

  #entryOfCaller(
    credential: Credential,
    callerToken: CallerToken,
    connection: UpstreamConnection | undefined,
  ): TokenEntry {
    let exchange = this.#exchanges.get(credential);
    if (exchange === undefined) {
      exchange = { key: keyOf(credential, connection), authentication: { inBody: false } };
      this.#exchanges.set(credential, exchange);
    }
    const key = `${exchange.key} ${callerToken.key}`;
    const entry = this.#ofCallers.get(key) ?? newTokenEntry(key, exchange.authentication);
    this.#ofCallers.delete(key);
    this.#ofCallers.set(key, entry);
    if (this.#ofCallers.size > MAX_CALLERS) this.#ofCallers.delete(this.#ofCallers.keys().next().value as string);
    return entry;
  }

  #keep(request: TokenRequest, entry: TokenEntry, token: IssuedToken, expiresAt: number): IssuedToken {
    entry.issued = token;
    entry.expiresAt = expiresAt;
    entry.refusals = 0;
    // A token of a single caller is redacted in that caller's calls only.
    if (request.callerToken === undefined)
      for (const secret of secretsOfToken(token)) this.#client.redact.addSecret(secret);
    return token;
  }

  async #request(request: TokenRequest, entry: TokenEntry): Promise<IssuedToken> {
    try {
      const proof = tokenProofOf(request.credential);
      const token = await proof.fetch(this.#client, request, entry.authentication);
      const lifetimeS = Math.min(token.lifetimeS ?? proof.defaultLifetimeS, MAX_LIFETIME_S);
      const validMs = Math.max(lifetimeS - SKEW_S, lifetimeS * 0.9 - 1, 0) * 1000;
      return this.#keep(request, entry, token, Date.now() + validMs);
    } catch (error) {
      noteRefusal(entry, error);
      throw error;
    }
  }

  /** The token that another process has fetched, or one that this process fetches for all. */
  async #requestShared(request: TokenRequest, entry: TokenEntry): Promise<IssuedToken> {
    const until = performance.now() + MAX_LOOKING_MS;
    while (performance.now() < until) {
      const claim = await this.#shared!.claim(entry.key, entry.generation);
      if (claim.kind === 'away') break;
      if (claim.kind === 'ours') return this.#requestForAll(request, entry, claim.turn, claim.before);
      if (claim.kind === 'busy') {
        await pause(LOOK_MS);
        continue;
      }
      const { issued, expiresAt, replacedAt } = claim.token;
      entry.generation = claim.generation;
      entry.replacedAt = [...new Set([...entry.replacedAt, ...replacedAt])];
      if (issued !== undefined && expiresAt > Date.now()) return this.#keep(request, entry, issued, expiresAt);
    }
    entry.generation = undefined;
    return this.#request(request, entry);
  }

  async #requestForAll(
    request: TokenRequest,
    entry: TokenEntry,
    turn: TokenTurn,
    before: SharedToken | undefined,
  ): Promise<IssuedToken> {
    entry.refusals = Math.max(entry.refusals, before?.refusals ?? 0);
    if (before?.blocked !== undefined && before.blocked.until > Date.now()) {
      turn.abandon();
      entry.blocked = before.blocked;
      throw blockedError(before.blocked.error, request.tool, before.blocked.until - Date.now());
    }
    const publish = (token: Pick<SharedToken, 'issued' | 'expiresAt'>, keepMs: number) =>
      turn.finish({ ...token, replacedAt: entry.replacedAt, refusals: entry.refusals, blocked: entry.blocked }, keepMs);
    try {
      const token = await this.#request(request, entry);
      const { expiresAt } = entry;
      entry.generation = await publish({ issued: token, expiresAt }, expiresAt - Date.now());
      return token;
    } catch (error) {
      if (entry.refusals > 0 || entry.blocked !== undefined) await publish({ expiresAt: 0 }, REFUSAL_PAUSE_MS);
      else turn.abandon();
      throw error;
    }
  }
}

/** The texts of a token that must not be shown. */
export function secretsOfToken({ token, cookies = [] }: IssuedToken): string[] {
  return token === '' ? cookies.flatMap(({ secrets }) => secrets) : [token];
}

/**
 * Credentials with the same content share a token, wherever they are declared, if they use the same connection: a token may be
 * bound to the certificate it was requested with (RFC 8705).
 */
function keyOf(credential: Credential, connection: UpstreamConnection | undefined): string {
  const content = tokenProofOf(credential).cacheKey(credential);
  return createHash('sha256')
    .update(JSON.stringify([credential.kind, ...content, connection]))
    .digest('base64url');
}
