// What a service serves: everything, a profile of it, or what is left of either for callers who may do less.
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
  /** Operations of this profile: whoever serves a part of it shares them. */
  readonly compiled: Map<Endpoint, Operation>;
  /** Not everybody sees the same: nobody on the way may keep a list for others. */
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

/** The document tells also of what was left out when it was imported. One is made of the endpoints instead. */
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
  const selected = selectEndpoints(options.domains, profile);
  return {
    profile: name,
    // What a profile says about exposure is nearer than what its domains say.
    domains: profile.exposure === undefined ? selected : selected.map(withoutExposure),
    native: selectNative(options.native ?? {}, profile),
    exposure: profile.exposure ?? options.exposure ?? 'auto',
    compiled: new Map(),
    policy: {
      ...policy,
      readOnly: policy.readOnly || (profile.readOnly ?? false),
      atLeast: profile.guard,
      confirmAtLeast: profile.confirm,
    },
  };
}

/** A domain that leaves its exposure to whoever serves it. */
export function withoutExposure({ exposure: _, ...domain }: Domain): Domain {
  return domain;
}
