// Which policy applies to an endpoint: the deployment's refusals always win, then the nearest word counts.
import type { ConfirmWay, Domain, Endpoint, GuardPolicy } from '../endpoint/model.ts';

export interface DeploymentPolicy {
  /** Nothing but reads. */
  readonly readOnly: boolean;
  /** The operator's word on destructive calls; undefined leaves it to domain files and the default. */
  readonly destructive?: GuardPolicy | undefined;
  /** A profile's word on destructive calls: it makes stricter, never laxer. */
  readonly atLeast?: GuardPolicy | undefined;
  /** What counts as a person's yes; `ask` holds for every domain, whatever its file says. */
  readonly confirm?: ConfirmWay | undefined;
  /** A profile's word on that: it makes stricter, never laxer. */
  readonly confirmAtLeast?: ConfirmWay | undefined;
}

/** What a decision looks at; an Endpoint is one, a native tool another. */
export type Governed = Pick<Endpoint, 'effect' | 'guard' | 'confirm' | 'domain' | 'source' | 'provenance'>;

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

/** Laxest first: of a token the gateway only knows that the model handed it back. */
const WAYS: readonly ConfirmWay[] = ['token', 'either', 'ask'];

/**
 * What counts as a yes. `either` unless somebody says otherwise: agents without a person at the client (`claude -p`,
 * `codex exec`) declare elicitation and answer it themselves, so that `ask` would lock them out of every confirmed call,
 * while `token` would not ask people who are there.
 */
export function decideWay(
  endpoint: Pick<Governed, 'confirm' | 'provenance'>,
  domain: Partial<Pick<Domain, 'name' | 'confirm'>>,
  { confirm, confirmAtLeast = 'token' }: DeploymentPolicy,
): WayDecision {
  const decidedBy = (who: string, way: ConfirmWay): WayDecision => ({ way, because: `${who} says confirm: ${way}` });
  const started = confirm && { way: confirm, because: `this gateway was started with --confirm ${confirm}` };
  const nearest: WayDecision = (confirm === 'ask' ? started : undefined) ??
    (endpoint.confirm && decidedBy(endpoint.provenance?.confirm ?? 'the operation', endpoint.confirm)) ??
    (domain.confirm && decidedBy(`the domain ${domain.name}`, domain.confirm)) ??
    started ?? { way: 'either', because: 'nobody said otherwise' };
  const isLaxer = WAYS.indexOf(confirmAtLeast) > WAYS.indexOf(nearest.way);
  return isLaxer ? decidedBy('this profile', confirmAtLeast) : nearest;
}

export interface WayDecision {
  readonly way: ConfirmWay;
  /** Who decided. */
  readonly because: string;
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
    const policy = deployment.destructive;
    if (policy) return { policy, because: `this gateway was started with --guard ${policy}` };
    return { policy: 'confirm', because: 'it destroys data' };
  }
  return { policy: 'allow', because: 'writes are allowed' };
}
