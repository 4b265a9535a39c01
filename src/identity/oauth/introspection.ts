// Opaque tokens: the issuer is asked about each (RFC 7662). Callers with the same token share one request. A refusal is
// remembered for a few seconds, a failure not at all; neither lets the caller in.
import { type Node, own } from '../../endpoint/untrusted.ts';
import type { AuthorizationServer, ClientSecret } from './authorization-server.ts';
import { TokenCache } from './token-cache.ts';

export type Introspected =
  | { readonly kind: 'active'; readonly claims: Node }
  | { readonly kind: 'inactive' }
  | { readonly kind: 'unavailable' };

export interface IntrospectionOptions extends ClientSecret {
  readonly server: AuthorizationServer;
  readonly onFailure: (why: string) => void;
}

/** Also how long a token that was presented too early stays refused. */
const INACTIVE_MS = 5_000;
const MAX_INACTIVE = 10_000;
/** Concurrent requests; further ones queue, so that made-up tokens overload neither this gateway nor the issuer. */
const MAX_CONCURRENT = 64;
const MAX_QUEUED = 400;
/** Callers waiting for the answer about one token: they share a request, but each takes up memory. */
const MAX_WAITING = 100;
const MAX_GOOD = 10_000;

const INACTIVE: Introspected = Object.freeze({ kind: 'inactive' });
const UNAVAILABLE: Introspected = Object.freeze({ kind: 'unavailable' });

interface PendingIntrospection {
  readonly answer: Promise<Introspected>;
  waiting: number;
}

export class Introspection {
  readonly #options: IntrospectionOptions;
  readonly #pending = new Map<string, PendingIntrospection>();
  readonly #semaphore = new PrioritySemaphore(MAX_CONCURRENT);
  /** Tokens that were good when the issuer was last asked about them. */
  readonly #recentlyGood = new TokenCache<true>(MAX_GOOD, MAX_GOOD);
  readonly #inactiveUntil = new TokenCache<number>(MAX_INACTIVE, MAX_INACTIVE);

  constructor(options: IntrospectionOptions) {
    this.#options = options;
  }

  /** `key`: the hash of the token. */
  async check(token: string, key: string): Promise<Introspected> {
    if ((this.#inactiveUntil.get(key) ?? 0) > Date.now()) return INACTIVE;
    let pending = this.#pending.get(key);
    if (pending === undefined) {
      const isLikelyGood = this.#recentlyGood.get(key) === true;
      if (!isLikelyGood && this.#semaphore.queued >= MAX_QUEUED) return UNAVAILABLE;
      pending = { answer: this.#askWithPermit(token, key, this.#semaphore.acquire(isLikelyGood)), waiting: 0 };
      this.#pending.set(key, pending);
    }
    if (pending.waiting >= MAX_WAITING) return UNAVAILABLE;
    pending.waiting++;
    try {
      return await pending.answer;
    } finally {
      pending.waiting--;
    }
  }

  async #askWithPermit(token: string, key: string, permit: Promise<void> | undefined): Promise<Introspected> {
    if (permit !== undefined) await permit;
    try {
      return await this.#ask(token, key);
    } finally {
      this.#pending.delete(key);
      this.#semaphore.release();
    }
  }

  async #ask(token: string, key: string): Promise<Introspected> {
    const { server, onFailure } = this.#options;
    try {
      const answer = await server.introspect(token, this.#options);
      // Only `true` is accepted.
      if (own(answer, 'active') === true) {
        this.#recentlyGood.set(key, true, 1);
        return { kind: 'active', claims: answer };
      }
      this.#recentlyGood.delete(key);
      this.#inactiveUntil.set(key, Date.now() + INACTIVE_MS, 1);
      return INACTIVE;
    } catch (error) {
      server.forget();
      onFailure(error instanceof Error ? error.message : 'it could not be reached');
      return UNAVAILABLE;
    }
  }
}

/** Tokens that were good before go first, so that a flood of made-up ones does not delay their holders. */
class PrioritySemaphore {
  readonly #first: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  #free: number;

  constructor(permits: number) {
    this.#free = permits;
  }

  /** Waiters without priority. */
  get queued(): number {
    return this.#others.length;
  }

  /** Returns undefined if there is a permit, or a promise to wait for. release() must follow. */
  acquire(hasPriority: boolean): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free--;
      return undefined;
    }
    return new Promise((resolve) => (hasPriority ? this.#first : this.#others).push(resolve));
  }

  release(): void {
    const next = this.#first.shift() ?? this.#others.shift();
    if (next) next();
    else this.#free++;
  }
}
