// The plan of a service: everything, a profile, or the part of either that callers with fewer permissions may use.
import type { Exposure } from './catalog/registry.ts';
import { selectEndpoints, selectNative } from './catalog/select-endpoints.ts';
import type { Domain, Effect, Endpoint } from './endpoint/model.ts';
import type { GatewayOptions, NativeEntries, Profile } from './gateway-options.ts';
import type { Operation } from './orchestration/operation.ts';
import type { DeploymentPolicy } from './orchestration/policy.ts';

/** Which operations and native entries one service has, and under which policy. */
export interface ServicePlan {
  /** '' is the default service. Confirmations and sessions of one profile are not valid in another. */
  readonly profile: string;
  readonly domains: readonly Domain[];
  readonly native: NativeEntries;
  readonly exposure: Exposure | 'auto';
  readonly policy: DeploymentPolicy;
  /** Compiled operations of this profile, shared with its restricted services. */
  readonly compiled: Map<Endpoint, Operation>;
  /** Callers see different lists, so no proxy may cache a list for other callers. */
  readonly isPrivate?: boolean;
  /** For a restricted service: the effects that its callers may use. */
  readonly effects?: readonly Effect[];
}

/** The service at /mcp: everything the gateway has. */
export function planDefaultService({ domains, native = {}, exposure = 'auto', policy }: GatewayOptions): ServicePlan {
  return { profile: '', domains, native, exposure, policy: policy ?? { readOnly: false }, compiled: new Map() };
}

/** The part of a service for callers whose calls may only have these effects. */
export function planRestrictedService(plan: ServicePlan, effects: readonly Effect[]): ServicePlan {
  return {
    ...plan,
    domains: selectEndpoints(plan.domains, { effects }).map(withoutDocument),
    native: selectNative(plan.native, { native: true, effects }),
    isPrivate: true,
    effects,
  };
}

/** The document describes operations that this service does not have. A document is generated from its endpoints instead. */
function withoutDocument({ document: _, ...domain }: Domain): Domain {
  return Object.freeze(domain);
}

/** A profile may be stricter than the deployment, never laxer. */
export function planProfileService(
  name: string,
  profile: Profile,
  options: GatewayOptions,
  policy: DeploymentPolicy,
): ServicePlan {
  const choice = selectEndpoints(options.domains, profile);
  return {
    profile: name,
    // A profile's exposure takes precedence over that of its domains.
    domains: profile.exposure === undefined ? choice : choice.map(withoutExposure),
    native: selectNative(options.native ?? {}, profile),
    exposure: profile.exposure ?? options.exposure ?? 'auto',
    compiled: new Map(),
    policy: {
      ...policy,
      readOnlyProfile: profile.readOnly,
      atLeast: profile.guard,
      confirmAtLeast: profile.confirm,
    },
  };
}

/** A domain without its own exposure, so that the one of the service applies. */
export function withoutExposure({ exposure: _, ...domain }: Domain): Domain {
  return domain;
}
