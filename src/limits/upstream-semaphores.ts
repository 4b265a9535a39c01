// Concurrency limits per API, so that one dead or slow API does not block calls of another. An API is one domain at one origin:
// neither domains on the same host nor the servers of one domain share their limit.
import type { CallLimits } from '../endpoint/model.ts';
import { type CallRules, toRules } from './call-rules.ts';
import { FairSemaphore } from './fair-semaphore.ts';
import type { LimitRefusals } from './limit-refusals.ts';
import { RateLimiter, type SharedRates } from './rate.ts';
import type { SharedPermits } from './shared-permits.ts';

export interface UpstreamSemaphoreOptions {
  /** For APIs without limits of their own. */
  readonly defaults: CallRules;
  /** The limits in domain files, by the name of the domain. */
  readonly limitsOf: (domain: string) => CallLimits | undefined;
  readonly refusals: LimitRefusals;
  readonly shared: SharedRates | undefined;
  readonly sharedPermits: SharedPermits | undefined;
}

/** How many permits of an API are in use. */
export interface UpstreamLoad {
  readonly domain: string;
  readonly running: number;
  readonly waiting: number;
  readonly concurrent: number;
}

export class UpstreamSemaphores {
  readonly #options: UpstreamSemaphoreOptions;
  readonly #semaphores = new Map<string, FairSemaphore>();
  readonly #byDomain = new Map<string, FairSemaphore[]>();

  constructor(options: UpstreamSemaphoreOptions) {
    this.#options = options;
  }

  rulesOf(domain: string): CallRules {
    return toRules(this.#options.defaults, this.#options.limitsOf(domain));
  }

  /** By domain; the servers of a domain are added up. */
  get load(): readonly UpstreamLoad[] {
    return [...this.#byDomain].map(([domain, semaphores]) => ({
      domain,
      running: semaphores.reduce((sum, { running }) => sum + running, 0),
      waiting: semaphores.reduce((sum, { waiting }) => sum + waiting, 0),
      concurrent: semaphores.reduce((sum, { rules }) => sum + rules.concurrent, 0),
    }));
  }

  semaphoreOf(domain: string, origin: string): FairSemaphore {
    const key = `${domain} ${origin}`;
    let semaphore = this.#semaphores.get(key);
    if (semaphore === undefined) {
      semaphore = this.#build(domain, key);
      this.#semaphores.set(key, semaphore);
      this.#byDomain.set(domain, [...(this.#byDomain.get(domain) ?? []), semaphore]);
    }
    return semaphore;
  }

  #build(domain: string, key: string): FairSemaphore {
    const rules = this.rulesOf(domain);
    const { refusals, shared, sharedPermits } = this.#options;
    const { rate, waitSeconds } = rules;
    const rateLimiter = rate && new RateLimiter(`upstream ${key}`, shared);
    return new FairSemaphore(
      rules,
      (why, { label }) =>
        refusals.refuse('upstreamBusy', {
          tool: label,
          limit: `calls of ${domain} at once${rate ? `, or ${rate.text}` : ''}`,
          because:
            why === 'full'
              ? `the API is busy and too many calls already wait for it`
              : `the API is busy and this call waited too long for its turn`,
          retryAfterMs: why === 'full' ? 1_000 : waitSeconds * 1_000,
        }),
      rate && rateLimiter && (() => rateLimiter.take(rate, performance.now())),
      sharedPermits && ((user, total) => sharedPermits.shareOf(`upstream ${key}`, total, user)),
    );
  }
}
