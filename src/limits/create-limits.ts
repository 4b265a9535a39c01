// All limits of a gateway: of its callers, of the APIs behind it, and of this process.
import type { Principal } from '../call/caller.ts';
import type { CallLimits, Domain } from '../endpoint/model.ts';
import { type CallRules, PRINCIPAL_DEFAULTS, toRules, UPSTREAM_DEFAULTS } from './call-rules.ts';
import type { FairSemaphore, WaitingCall } from './fair-semaphore.ts';
import { LimitRefusals, type RefusalCounts } from './limit-refusals.ts';
import { Overload, type OverloadOptions, SHED_DEFAULTS, SHED_RETRY_SECONDS, type ShedRules } from './overload.ts';
import { type PrincipalLimiter, PrincipalLimiters } from './principal-limiters.ts';
import type { SharedRates } from './rate.ts';
import type { SharedPermits } from './shared-permits.ts';
import { type UpstreamLoad, UpstreamSemaphores } from './upstream-semaphores.ts';

/** The `limits` section of landbridge.yaml. */
export interface LimitOptions {
  readonly perPrincipal?: CallLimits | undefined;
  readonly perUpstream?: CallLimits | undefined;
  readonly shed?: Partial<ShedRules> | undefined;
}

export interface Limits {
  readonly overload: Overload;
  /** The limiter of this caller. Throws if the process accepts no calls at the moment. */
  limiterOf(principal: Principal, call: Pick<WaitingCall, 'label'>): PrincipalLimiter;
  /** Limits the calls of one domain at one origin. */
  semaphoreOf(domain: string, origin: string): FairSemaphore;
  /** Counts a call that was shed before it was read. */
  countShed(): void;
  /** Calls that were refused since the start, by kind of limit. */
  readonly refused: RefusalCounts;
  /** Calls that wait for another call of their caller to end. */
  readonly callersWaiting: number;
  readonly upstreams: readonly UpstreamLoad[];
  /** The rules for a caller with these limits, or for the API of a domain. */
  rulesOf(what: { readonly principal: CallLimits | undefined } | { readonly domain: string }): CallRules;
}

export function createLimits({
  options,
  domains,
  shared,
  sharedPermits,
  onOverload,
}: {
  readonly options: LimitOptions;
  readonly domains: readonly Pick<Domain, 'name' | 'limits'>[];
  /** Token buckets that replicas have in common. */
  readonly shared?: SharedRates | undefined;
  /** Permits that workers have in common. */
  readonly sharedPermits?: SharedPermits | undefined;
  readonly onOverload: OverloadOptions['onChange'];
}): Limits {
  const refusals = new LimitRefusals();
  const ofDomains = new Map(domains.map(({ name, limits }) => [name, limits]));
  const rules = toRules(PRINCIPAL_DEFAULTS, options.perPrincipal);
  const principals = new PrincipalLimiters({ rules, refusals, shared, sharedPermits });
  const upstreams = new UpstreamSemaphores({
    defaults: toRules(UPSTREAM_DEFAULTS, options.perUpstream),
    limitsOf: (domain) => ofDomains.get(domain),
    refusals,
    shared,
    sharedPermits,
  });
  const overload = new Overload({ rules: { ...SHED_DEFAULTS, ...options.shed }, onChange: onOverload });
  return {
    overload,
    limiterOf(principal, { label }) {
      if (overload.isShedding)
        throw refusals.refuse('overload', {
          tool: label,
          limit: 'load of the gateway',
          because: 'the gateway is overloaded',
          retryAfterMs: SHED_RETRY_SECONDS * 1_000,
        });
      return principals.limiterOf(principal);
    },
    semaphoreOf: (domain, origin) => upstreams.semaphoreOf(domain, origin),
    countShed: () => refusals.count('overload'),
    refused: refusals.counts,
    get callersWaiting() {
      return principals.waiting;
    },
    get upstreams() {
      return upstreams.load;
    },
    rulesOf: (what) => ('domain' in what ? upstreams.rulesOf(what.domain) : toRules(rules, what.principal)),
  };
}
