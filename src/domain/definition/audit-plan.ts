// Merges the `audit` settings of a domain and of one operation.
import type { AuditPlan } from '../../endpoint/model.ts';

/** The operation decides whether arguments are kept; both lists of redactions apply. */
export function mergeAudit(domain: AuditPlan | undefined, operation: AuditPlan | undefined): AuditPlan | undefined {
  if (domain === undefined || operation === undefined) return operation ?? domain;
  return { ...domain, ...operation, redact: [...(domain.redact ?? []), ...(operation.redact ?? [])] };
}
