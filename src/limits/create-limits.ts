// All limits of a gateway: of its callers, of the APIs behind it, and of this process.
import type { Principal } from '../call/caller.ts';
import type { CallLimits, Domain } from '../endpoint/model.ts';
import { type CallRules, PRINCIPAL_DEFAULTS, toRules, UPSTREAM_DEFAULTS } from './call-rules.ts';
import { LimitRefusals, type RefusalCounts } from './limit-refusals.ts';
import { Overload, type OverloadParts, SHED_DEFAULTS, SHED_RETRY_SECONDS, type ShedRules } from './overload.ts';
import { type PrincipalGate, Principals } from './principals.ts';
import type { SharedRates } from './rate.ts';
import type { SharedRoom } from './room.ts';
import type { Slots, WaitingCall } from './slots.ts';
import { type UpstreamLoad, Upstreams } from './upstreams.ts';

/** The `limits` section of landbridge.yaml. */
export interface LimitOptions {
  readonly perPrincipal?: CallLimits | undefined;
  readonly perUpstream?: CallLimits | undefined;
  readonly shed?: Partial<ShedRules> | undefined;
}

export interface LimitParts {
  readonly options: LimitOptions;
  readonly domains: readonly Pick<Domain, 'name' | 'limits'>[];
  /** Buckets that replicas have in common. */
  readonly shared?: SharedRates | undefined;
  /** Room that workers have in common. */
  readonly room?: SharedRoom | undefined;
  readonly onOverload: OverloadParts['onChange'];
}

export interface Limits {
  readonly overload: Overload;
  /** The limits of this caller; throws if this process accepts no calls at the moment. */
  gateOf(principal: Principal, call: Pick<WaitingCall, 'label'>): PrincipalGate;
  /** Room for calls of one domain at one origin. */
  slotsOf(domain: string, origin: string): Slots;
  /** Counts a call that was shed before it was read. */
  countShed(): void;
  /** Calls that were refused since the start, by what refused them. */
  readonly refused: RefusalCounts;
  /** Calls that wait for another of their caller to end. */
  readonly callersWaiting: number;
  readonly upstreams: readonly UpstreamLoad[];
  /** The rules for callers without limits of their own, and for the API of a domain. */
  rulesOf(what: { readonly principal: CallLimits | undefined } | { readonly domain: string }): CallRules;
}

export function createLimits({ options, domains, shared, room, onOverload }: LimitParts): Limits {
  const refusals = new LimitRefusals();
  const ofDomains = new Map(domains.map(({ name, limits }) => [name, limits]));
  const rules = toRules(PRINCIPAL_DEFAULTS, options.perPrincipal);
  const principals = new Principals({ rules, refusals, shared, room });
  const upstreams = new Upstreams({
    defaults: toRules(UPSTREAM_DEFAULTS, options.perUpstream),
    limitsOf: (domain) => ofDomains.get(domain),
    refusals,
    shared,
    room,
  });
  const overload = new Overload({ rules: { ...SHED_DEFAULTS, ...options.shed }, onChange: onOverload });
  return {
    overload,
    gateOf(principal, { label }) {
      if (overload.isShedding)
        throw refusals.refuse('overload', {
          tool: label,
          limit: 'load of the gateway',
          because: 'the gateway is overloaded',
          retryAfterMs: SHED_RETRY_SECONDS * 1_000,
        });
      return principals.gateOf(principal);
    },
    slotsOf: (domain, origin) => upstreams.slotsOf(domain, origin),
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
