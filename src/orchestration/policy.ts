// Which policy applies to an endpoint: the deployment's refusals always win, then the nearest word counts.
import type { Domain, Endpoint, GuardPolicy } from '../endpoint/model.ts';

export interface DeploymentPolicy {
  /** Nothing but reads. */
  readonly readOnly: boolean;
  /** The operator's word on destructive calls; undefined leaves it to domain files and the default. */
  readonly destructive?: GuardPolicy | undefined;
}

export interface Decision {
  readonly policy: GuardPolicy;
  /** Who decided, for the refusal's text. */
  readonly because: string;
}

export function decidePolicy(
  endpoint: Endpoint,
  domain: Pick<Domain, 'guard'>,
  deployment: DeploymentPolicy,
): Decision {
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
