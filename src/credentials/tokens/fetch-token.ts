// Fetches a token: for this process alone or, if several processes share tokens, once for all of them.
import { setTimeout as pause } from 'node:timers/promises';
import { fetchClientToken } from '../kinds/oauth2';
import type { Issued, Issuer, Wish } from './token-request';
import { logIn } from '../login/log-in';
import type { SharedToken, SharedTokens, TokenTurn } from './shared-tokens';
import { blockedError, noteRefusal, REFUSAL_PAUSE_MS, type TokenEntry } from './token-entry';
import { exchangeToken } from '../kinds/token-exchange';

/** Used if the lifetime is not known. A token that expires earlier is noticed when the API refuses it. */
const DEFAULT_LIFETIME_S = { oauth2: 300, token_exchange: 300, login: 3_600 };
/** Renewed this long before it expires, or after nine tenths of a short lifetime. */
const SKEW_S = 30;
const MAX_LIFETIME_S = 24 * 3600;
/** How often, and how long, to look for a token that another process is fetching: a login may take two requests. */
const LOOK_MS = 50;
const MAX_LOOKING_MS = 25_000;

export type FetchToken = (wish: Wish, entry: TokenEntry) => Promise<Issued>;

export function createFetchToken(issuer: Issuer, sharedTokens: SharedTokens | undefined): FetchToken {
  const { redact } = issuer;

  function keep(wish: Wish, entry: TokenEntry, grant: Issued, expiresAt: number): Issued {
    entry.issued = grant;
    entry.expiresAt = expiresAt;
    entry.refusals = 0;
    // A token of a single caller is redacted in that caller's calls only.
    if (wish.subject === undefined) for (const secret of secretsOf(grant)) redact.addSecret(secret);
    return grant;
  }

  async function request(wish: Wish, entry: TokenEntry): Promise<Issued> {
    try {
      const grant = await issue(issuer, wish, entry);
      const lifetimeS = Math.min(grant.lifetimeS ?? DEFAULT_LIFETIME_S[wish.credential.kind], MAX_LIFETIME_S);
      const goodMs = Math.max(lifetimeS - SKEW_S, lifetimeS * 0.9 - 1, 0) * 1000;
      return keep(wish, entry, grant, Date.now() + goodMs);
    } catch (error) {
      noteRefusal(entry, error);
      throw error;
    }
  }

  /** The one that another process has fetched, or one that is fetched for all. */
  async function requestShared(wish: Wish, entry: TokenEntry, from: SharedTokens): Promise<Issued> {
    const until = performance.now() + MAX_LOOKING_MS;
    while (performance.now() < until) {
      const claim = await from.claim(entry.key, entry.generation);
      if (claim.kind === 'away') break;
      if (claim.kind === 'ours') return requestForAll(wish, entry, claim.turn, claim.before);
      if (claim.kind === 'busy') {
        await pause(LOOK_MS);
        continue;
      }
      const { issued, expiresAt, replacedAt } = claim.token;
      entry.generation = claim.generation;
      entry.replacedAt = [...new Set([...entry.replacedAt, ...replacedAt])];
      if (issued !== undefined && expiresAt > Date.now()) return keep(wish, entry, issued, expiresAt);
    }
    entry.generation = undefined;
    return request(wish, entry);
  }

  async function requestForAll(
    wish: Wish,
    entry: TokenEntry,
    turn: TokenTurn,
    before: SharedToken | undefined,
  ): Promise<Issued> {
    entry.refusals = Math.max(entry.refusals, before?.refusals ?? 0);
    if (before?.blocked !== undefined && before.blocked.until > Date.now()) {
      turn.abandon();
      entry.blocked = before.blocked;
      throw blockedError(before.blocked.error, wish.tool, before.blocked.until - Date.now());
    }
    const tell = (token: Pick<SharedToken, 'issued' | 'expiresAt'>, keepMs: number) =>
      turn.finish({ ...token, replacedAt: entry.replacedAt, refusals: entry.refusals, blocked: entry.blocked }, keepMs);
    try {
      const grant = await request(wish, entry);
      const { expiresAt } = entry;
      entry.generation = await tell({ issued: grant, expiresAt }, expiresAt - Date.now());
      return grant;
    } catch (error) {
      if (entry.refusals > 0 || entry.blocked !== undefined) await tell({ expiresAt: 0 }, REFUSAL_PAUSE_MS);
      else turn.abandon();
      throw error;
    }
  }

  return sharedTokens === undefined ? request : (wish, entry) => requestShared(wish, entry, sharedTokens);
}

function issue(issuer: Issuer, { credential, ...wish }: Wish, { habits }: TokenEntry): Promise<Issued> {
  if (credential.kind === 'login') return logIn(issuer, { credential, ...wish });
  if (credential.kind === 'token_exchange') return exchangeToken(issuer, { credential, ...wish }, habits);
  return fetchClientToken(issuer, { credential, ...wish }, habits);
}

/** What must not be seen of it. */
export function secretsOf({ token, cookies = [] }: Issued): string[] {
  return token === '' ? cookies.flatMap(({ secrets }) => secrets) : [token];
}
