// Concurrency limits per API, so that one dead or slow API does not block calls of another. An API is one domain at one origin:
// neither domains on the same host nor the servers of one domain share their limit.
import type { CallLimits } from '../endpoint/model.ts';
import { type CallRules, toRules } from './call-rules.ts';
import type { LimitRefusals } from './limit-refusals.ts';
import { Meter, type SharedRates } from './rate.ts';
import type { SharedRoom } from './room.ts';
import { Slots } from './slots.ts';

export interface UpstreamParts {
  /** Of all APIs about which nothing is said. */
  readonly defaults: CallRules;
  /** What domain files say, by the name of the domain. */
  readonly limitsOf: (domain: string) => CallLimits | undefined;
  readonly refusals: LimitRefusals;
  readonly shared: SharedRates | undefined;
  readonly room: SharedRoom | undefined;
}

/** How much of an API's room is taken. */
export interface UpstreamLoad {
  readonly domain: string;
  readonly running: number;
  readonly waiting: number;
  readonly concurrent: number;
}

export class Upstreams {
  readonly #parts: UpstreamParts;
  readonly #slots = new Map<string, Slots>();
  readonly #byDomain = new Map<string, Slots[]>();

  constructor(parts: UpstreamParts) {
    this.#parts = parts;
  }

  rulesOf(domain: string): CallRules {
    return toRules(this.#parts.defaults, this.#parts.limitsOf(domain));
  }

  /** By domain, the servers of one together. */
  get load(): readonly UpstreamLoad[] {
    return [...this.#byDomain].map(([domain, slots]) => ({
      domain,
      running: slots.reduce((sum, { running }) => sum + running, 0),
      waiting: slots.reduce((sum, { waiting }) => sum + waiting, 0),
      concurrent: slots.reduce((sum, { rules }) => sum + rules.concurrent, 0),
    }));
  }

  slotsOf(domain: string, origin: string): Slots {
    const key = `${domain} ${origin}`;
    let slots = this.#slots.get(key);
    if (slots === undefined) {
      slots = this.#build(domain, key);
      this.#slots.set(key, slots);
      this.#byDomain.set(domain, [...(this.#byDomain.get(domain) ?? []), slots]);
    }
    return slots;
  }

  #build(domain: string, key: string): Slots {
    const rules = this.rulesOf(domain);
    const { refusals, shared, room } = this.#parts;
    const { rate, waitSeconds } = rules;
    const meter = rate && new Meter(`upstream ${key}`, shared);
    return new Slots(
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
      rate && meter && (() => meter.take(rate, performance.now())),
      room && ((user, total) => room.shareOf(`upstream ${key}`, total, user)),
    );
  }
}
