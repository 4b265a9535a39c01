// Operations that destroy data and run without a confirmation.
import { decidePolicy } from '../../orchestration/policy.ts';
import { type DiagnoseInput, type Finding, repairOperation } from '../finding.ts';

export function* checkGuards({ registry, domains, policy }: DiagnoseInput): Generator<Finding> {
  const byName = new Map(domains.map((domain) => [domain.name, domain]));
  for (const { name, endpoint } of registry.operations) {
    const domain = byName.get(endpoint.domain);
    if (endpoint.effect !== 'destructive' || !domain) continue;
    const decision = decidePolicy(endpoint, domain, policy);
    if (decision.policy !== 'allow') continue;
    yield {
      check: 'guard',
      severity: 'error',
      where: name,
      message: `destroys data and runs without a confirmation: ${decision.because}`,
      fix: 'set guard: confirm (or deny), so that a model cannot destroy data by mistake; if it destroys nothing, set effect: write',
      repairs: [repairOperation(endpoint, ['guard'], 'confirm')],
    };
  }
}
