// What a service serves: everything, a profile, or the part of either that callers with fewer permissions may use.
import type { Exposure } from './catalog/registry.ts';
import { selectEndpoints, selectNative } from './catalog/select-endpoints.ts';
import type { Domain, Effect, Endpoint } from './endpoint/model.ts';
import type { GatewayOptions, NativeEntries, Profile } from './gateway-options.ts';
import type { Operation } from './orchestration/operation.ts';
import type { DeploymentPolicy } from './orchestration/policy.ts';

/** What one service serves. */
export interface Serving {
  /** '' is the default. Confirmations and sessions of one profile are worth nothing in another. */
  readonly profile: string;
  readonly domains: readonly Domain[];
  readonly native: NativeEntries;
  readonly exposure: Exposure | 'auto';
  readonly policy: DeploymentPolicy;
  /** Compiled operations of this profile, shared with services that serve a part of it. */
  readonly compiled: Map<Endpoint, Operation>;
  /** Callers see different lists, so no proxy may cache one for others. */
  readonly isPrivate?: boolean;
  /** What its callers may do, where that is not all. */
  readonly effects?: readonly Effect[];
}

/** What is served by default. */
export function toWholeServing({ domains, native = {}, exposure = 'auto', policy }: GatewayOptions): Serving {
  return { profile: '', domains, native, exposure, policy: policy ?? { readOnly: false }, compiled: new Map() };
}

/** What is left of a profile for a caller whose calls may only do this. */
export function toPartServing(serving: Serving, effects: readonly Effect[]): Serving {
  return {
    ...serving,
    domains: selectEndpoints(serving.domains, { effects }).map(withoutDocument),
    native: selectNative(serving.native, { native: true, effects }),
    isPrivate: true,
    effects,
  };
}

/** The document also describes operations that are not served. One is generated from the endpoints instead. */
function withoutDocument({ document: _, ...domain }: Domain): Domain {
  return Object.freeze(domain);
}

/** A profile may be stricter than the deployment, never laxer. */
export function toProfileServing(
  name: string,
  profile: Profile,
  options: GatewayOptions,
  policy: DeploymentPolicy,
): Serving {
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
