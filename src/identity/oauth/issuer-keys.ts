// The public keys of an issuer. They come from its JWKS only, never from the header of a token. There is one request at a time
// and at most one per interval; while the issuer is unavailable, known keys stay valid for a configured time.
import { createLocalJWKSet, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose';
import { type Node, own } from '../../endpoint/untrusted.ts';
import type { AuthorizationServer } from './authorization-server.ts';

export type Verified =
  /** `generation`: that of the keys it was checked with. */
  | { readonly kind: 'good'; readonly claims: JWTPayload; readonly generation: number }
  | { readonly kind: 'bad'; readonly why: string }
  | { readonly kind: 'unavailable' };

export interface IssuerKeysOptions {
  readonly server: AuthorizationServer;
  /** How long keys stay valid without being fetched again. */
  readonly maxAgeMs: number;
  readonly onFetched: (keys: number) => void;
  readonly onFailure: (why: string) => void;
}

/** At most one request in this time, whatever keys the tokens name. */
const FETCH_INTERVAL_MS = 10_000;
/** How long a withdrawn key stays accepted at most, if the issuer can be reached. */
const REFRESH_MS = 300_000;
/**
 * Callers that wait for keys, all together; more are refused at once, so that waiting requests do not pile up in the
 * gateway.
 */
const MAX_WAITING = 100;
/** How many keys are tried for a token that does not name its key. */
const MAX_TRIED = 4;

type KeySet = ReturnType<typeof createLocalJWKSet>;

export class IssuerKeys {
  readonly #options: IssuerKeysOptions;
  #keys: KeySet | undefined;
  #fingerprints: ReadonlySet<string> = new Set();
  #generation = 0;
  #fetchedAt = 0;
  #triedAt = Number.NEGATIVE_INFINITY;
  #hasFailed = false;
  #pending: Promise<void> | undefined;
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: IssuerKeysOptions) {
    this.#options = options;
  }

  /** Rises when a key is withdrawn: tokens that were verified before have to be verified again. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether there are keys that are not too old. Refreshes them in the background when it is time. */
  checkFresh(): boolean {
    if (Date.now() - this.#fetchedAt >= REFRESH_MS && this.#mayFetch()) void this.#refresh();
    return this.#areFresh();
  }

  async verify(token: string, options: JWTVerifyOptions): Promise<Verified> {
    if (!this.#areFresh() && this.#mayFetch() && !(await this.#waitForKeys())) return { kind: 'unavailable' };
    if (!this.#areFresh()) return { kind: 'unavailable' };
    const first = await this.#tryKeys(token, options);
    if (first !== 'no_key') return first;
    if (this.#mayFetch() && !(await this.#waitForKeys())) return { kind: 'unavailable' };
    const second = await this.#tryKeys(token, options);
    if (second !== 'no_key') return second;
    // It may be a new key that could not be fetched.
    if (this.#hasFailed) return { kind: 'unavailable' };
    return { kind: 'bad', why: 'The token is signed with a key that its issuer does not publish.' };
  }

  /** Fetches the keys, and retries until it succeeds. */
  start(): void {
    void this.#refresh().then(() => this.#retry());
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #areFresh(): boolean {
    return this.#keys !== undefined && Date.now() - this.#fetchedAt < this.#options.maxAgeMs;
  }

  #mayFetch(): boolean {
    return this.#pending !== undefined || Date.now() - this.#triedAt >= FETCH_INTERVAL_MS;
  }

  #refresh(): Promise<void> {
    this.#pending ??= this.#fetch().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  #retry(): void {
    if (this.#isClosed || this.#areFresh()) return;
    this.#timer = setTimeout(() => void this.#refresh().then(() => this.#retry()), FETCH_INTERVAL_MS);
    this.#timer.unref();
  }

  async #fetch(): Promise<void> {
    const { server, onFetched, onFailure } = this.#options;
    this.#triedAt = Date.now();
    try {
      const keys = await server.fetchKeys();
      this.#keys = createLocalJWKSet({ keys } as never);
      const fingerprints = new Set(keys.map(fingerprintOf));
      if ([...this.#fingerprints].some((fingerprint) => !fingerprints.has(fingerprint))) this.#generation++;
      this.#fingerprints = fingerprints;
      this.#fetchedAt = Date.now();
      this.#hasFailed = false;
      onFetched(keys.length);
    } catch (error) {
      this.#hasFailed = true;
      server.forget();
      onFailure(error instanceof Error ? error.message : 'it could not be reached');
    }
  }

  /** False if too many callers are waiting already. */
  async #waitForKeys(): Promise<boolean> {
    if (this.#waiting >= MAX_WAITING) return false;
    this.#waiting++;
    try {
      await this.#refresh();
      return true;
    } finally {
      this.#waiting--;
    }
  }

  async #tryKeys(token: string, options: JWTVerifyOptions): Promise<Verified | 'no_key'> {
    // Read before the await: the keys may be replaced while the signature is checked.
    const generation = this.#generation;
    try {
      return { kind: 'good', claims: await verifyWith(this.#keys!, token, options), generation };
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) return 'no_key';
      return { kind: 'bad', why: 'The token does not have a valid signature of its issuer.' };
    }
  }
}

async function verifyWith(keys: KeySet, token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let count = 0;
    for await (const key of error) {
      if (++count > MAX_TRIED) break;
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** Two keys with the same fingerprint are the same key, used in the same way. */
function fingerprintOf(key: Node): string {
  return JSON.stringify(['kty', 'kid', 'alg', 'use', 'crv', 'n', 'e', 'x', 'y'].map((name) => own(key, name)));
}
