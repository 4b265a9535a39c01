// Which policy applies to an endpoint: the deployment's refusals always win, then the nearest word counts.
import type { Domain, Endpoint, GuardPolicy } from '../endpoint/model.ts';

export interface DeploymentPolicy {
  /** Nothing but reads. */
  readonly readOnly: boolean;
  /** The operator's word on destructive calls; undefined leaves it to domain files and the default. */
  readonly destructive?: GuardPolicy | undefined;
  /** A profile's word on destructive calls: it makes stricter, never laxer. */
  readonly atLeast?: GuardPolicy | undefined;
}

/** What a decision looks at; an Endpoint is one, a native tool another. */
export type Governed = Pick<Endpoint, 'effect' | 'guard' | 'domain' | 'source' | 'provenance'>;

export interface Decision {
  readonly policy: GuardPolicy;
  /** Who decided, for the refusal's text. */
  readonly because: string;
}

const STRICTNESS: readonly GuardPolicy[] = ['allow', 'confirm', 'deny'];

export function decidePolicy(
  endpoint: Governed,
  domain: Pick<Domain, 'guard'>,
  deployment: DeploymentPolicy,
): Decision {
  const decision = decide(endpoint, domain, deployment);
  const { atLeast } = deployment;
  if (endpoint.effect !== 'destructive' || atLeast === undefined) return decision;
  const isStricter = STRICTNESS.indexOf(atLeast) > STRICTNESS.indexOf(decision.policy);
  return isStricter ? { policy: atLeast, because: `this profile says guard: ${atLeast}` } : decision;
}

function decide(endpoint: Governed, domain: Pick<Domain, 'guard'>, deployment: DeploymentPolicy): Decision {
  const { effect } = endpoint;
  if (effect === 'read') return { policy: 'allow', because: 'it only reads' };
  if (deployment.readOnly) return { policy: 'deny', because: 'this gateway was started with --read-only' };
  if (effect === 'destructive' && deployment.destructive === 'deny') {
    return { policy: 'deny', because: 'this gateway was started with --guard deny' };
  }
  if (endpoint.guard)
    return {
      policy: endpoint.guard,
      because: `${endpoint.provenance?.guard ?? endpoint.source.file} says guard: ${endpoint.guard}`,
    };
  const ofDomain = domain.guard[effect];
  if (ofDomain) return { policy: ofDomain, because: `the domain ${endpoint.domain} says guard.${effect}: ${ofDomain}` };
  if (effect === 'destructive') {
    return { policy: deployment.destructive ?? 'confirm', because: 'it destroys data' };
  }
  return { policy: 'allow', because: 'writes are allowed' };
}
