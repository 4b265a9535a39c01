// Whether load balancers should send calls to this process, and what is wrong with it: the one source for /readyz and the admin
// listener.
import type { Components } from './serve-process.ts';

/** Something that operators should know. If it `isUnready`, load balancers should know it too. */
export interface Condition {
  readonly name: 'draining' | 'memory' | 'overload' | 'audit' | 'state' | 'issuer';
  /** The text in /readyz. */
  readonly what: string;
  /** Calls should go to other replicas meanwhile. */
  readonly isUnready: boolean;
}

/** The conditions that hold now, the gravest first. */
export type ReadConditions = () => readonly Condition[];

export function createConditions(
  { gateway, audit, state, authorities }: Pick<Components, 'gateway' | 'audit' | 'state' | 'authorities'>,
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
    // Tokens verified before and those of other issuers are still accepted, and other replicas have the same problem.
    {
      name: 'issuer',
      what: 'an authorization server is down',
      isUnready: false,
      holds: () => (authorities?.issuers?.authority.away.length ?? 0) > 0,
    },
  ];
  return () => table.filter(({ holds }) => holds()).map(({ holds: _, ...condition }) => condition);
}
