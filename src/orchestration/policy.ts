// Decides which policy applies to an endpoint. Refusals of the deployment take precedence, then the most specific setting counts.
import {
  CONFIRM_WAYS,
  type ConfirmWay,
  type Domain,
  type Endpoint,
  GUARD_POLICIES,
  type GuardPolicy,
} from '../endpoint/model.ts';

export interface DeploymentPolicy {
  /** Only reads are allowed. */
  readonly readOnly: boolean;
  /** The same for one profile. */
  readonly readOnlyProfile?: boolean | undefined;
  /** The operator's policy for destructive calls. Undefined: domain files and the default decide. */
  readonly destructive?: GuardPolicy | undefined;
  /** A profile's policy for destructive calls: it can be stricter, never laxer. */
  readonly atLeast?: GuardPolicy | undefined;
  /** What counts as a confirmation. `ask` applies to every domain, whatever its file says. */
  readonly confirm?: ConfirmWay | undefined;
  /** The same for one profile: it can be stricter, never laxer. */
  readonly confirmAtLeast?: ConfirmWay | undefined;
}

/** The properties on which a decision depends. Endpoints have them; for native tools they are built. */
export type PolicySubject = Pick<Endpoint, 'effect' | 'guard' | 'confirm' | 'domain' | 'source' | 'provenance'>;

export interface Decision {
  readonly policy: GuardPolicy;
  /** Who decided, for the text of the refusal. */
  readonly because: string;
}

export function decidePolicy(
  endpoint: PolicySubject,
  domain: Pick<Domain, 'guard'>,
  deployment: DeploymentPolicy,
): Decision {
  const decision = decide(endpoint, domain, deployment);
  const { atLeast } = deployment;
  if (endpoint.effect !== 'destructive' || atLeast === undefined) return decision;
  const isStricter = GUARD_POLICIES.indexOf(atLeast) > GUARD_POLICIES.indexOf(decision.policy);
  return isStricter ? { policy: atLeast, because: `this profile says guard: ${atLeast}` } : decision;
}

/**
 * Decides what counts as a confirmation. The default is `either`. Agents without a person (`claude -p`, `codex exec`) declare
 * elicitation and answer it themselves, so `ask` would make every confirmed call impossible for them, while `token` would not ask
 * people who are present.
 */
export function decideWay(
  endpoint: Pick<PolicySubject, 'confirm' | 'provenance'>,
  domain: Partial<Pick<Domain, 'name' | 'confirm'>>,
  { confirm, confirmAtLeast = 'token' }: DeploymentPolicy,
): WayDecision {
  const decidedBy = (who: string, way: ConfirmWay): WayDecision => ({ way, because: `${who} says confirm: ${way}` });
  const flag = confirm && { way: confirm, because: `this gateway was started with --confirm ${confirm}` };
  const nearest: WayDecision = (confirm === 'ask' ? flag : undefined) ??
    (endpoint.confirm && decidedBy(endpoint.provenance?.confirm ?? 'the operation', endpoint.confirm)) ??
    (domain.confirm && decidedBy(`the domain ${domain.name}`, domain.confirm)) ??
    flag ?? { way: 'either', because: 'it is the default' };
  const isLaxer = CONFIRM_WAYS.indexOf(confirmAtLeast) > CONFIRM_WAYS.indexOf(nearest.way);
  return isLaxer ? decidedBy('this profile', confirmAtLeast) : nearest;
}

export interface WayDecision {
  readonly way: ConfirmWay;
  /** Who decided. */
  readonly because: string;
}

function decide(endpoint: PolicySubject, domain: Pick<Domain, 'guard'>, deployment: DeploymentPolicy): Decision {
  const { effect } = endpoint;
  if (effect === 'read') return { policy: 'allow', because: 'it only reads' };
  if (deployment.readOnly) return { policy: 'deny', because: 'this gateway was started with --read-only' };
  if (deployment.readOnlyProfile) return { policy: 'deny', because: 'this profile says readOnly: true' };
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
    const policy = deployment.destructive;
    if (policy) return { policy, because: `this gateway was started with --guard ${policy}` };
    return { policy: 'confirm', because: 'it destroys data' };
  }
  return { policy: 'allow', because: 'writes are allowed' };
}
