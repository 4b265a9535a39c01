// The permissions of a caller in the configuration → those of its principal.
import type { Principal } from '../call/caller.ts';
import type { CallLimits, Effect } from '../endpoint/model.ts';

export interface Permissions {
  /** '*' means all profiles and the default endpoint; so does an absent list. */
  readonly profiles?: readonly string[] | undefined;
  /** Absent: all. */
  readonly effects?: readonly Effect[] | undefined;
  /** ISO 8601; it is refused from then on. */
  readonly expires?: string | undefined;
  readonly limits?: CallLimits | undefined;
}

export function toPrincipal(id: string, { profiles, effects, limits }: Permissions): Principal {
  return Object.freeze({
    id,
    ...(profiles !== undefined && !profiles.includes('*') && { profiles: Object.freeze([...profiles]) }),
    ...(effects !== undefined && { effects: Object.freeze([...effects]) }),
    ...(limits !== undefined && { limits }),
  });
}

/** Milliseconds since 1970. */
export function expiryOf({ expires }: Permissions): number {
  return expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires);
}
