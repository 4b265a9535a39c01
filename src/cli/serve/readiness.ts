// Whether this process should be sent calls, and what is wrong with it: the one source for /readyz and the admin listener.
import type { Parts } from './open-parts.ts';

/** Something that an operator should know of; a load balancer as well, where it `isUnready`. */
export interface Condition {
  readonly name: 'draining' | 'memory' | 'overload' | 'audit' | 'state' | 'issuer';
  /** As /readyz says it. */
  readonly what: string;
  /** Calls should go elsewhere meanwhile. */
  readonly isUnready: boolean;
}

/** What holds now, the gravest first; nothing where all is well. */
export type ReadConditions = () => readonly Condition[];

export function createConditions(
  { gateway, audit, state, authorities }: Pick<Parts, 'gateway' | 'audit' | 'state' | 'authorities'>,
  isStopping: () => boolean,
): ReadConditions {
  const { overload } = gateway.limits;
  const table: readonly (Condition & { readonly holds: () => boolean | undefined })[] = [
    { name: 'draining', what: 'draining', isUnready: true, holds: isStopping },
    { name: 'memory', what: 'out of memory', isUnready: true, holds: () => overload.isExhausted },
    { name: 'audit', what: 'calls cannot be recorded', isUnready: true, holds: () => audit?.isRefusing },
    // Only single calls are shed, for moments: taking the replica out of service would load the others even more.
    { name: 'overload', what: 'overloaded', isUnready: false, holds: () => overload.isShedding },
    { name: 'state', what: 'shared state is down', isUnready: false, holds: () => state && !state.isUsable },
    // Tokens verified before and those of other issuers are still accepted, and another replica would not know more.
    {
      name: 'issuer',
      what: 'an authorization server is down',
      isUnready: false,
      holds: () => (authorities?.issuers?.authority.away.length ?? 0) > 0,
    },
  ];
  return () => table.filter(({ holds }) => holds()).map(({ holds: _, ...condition }) => condition);
}
