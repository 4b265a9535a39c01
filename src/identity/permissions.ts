// What a configuration says that a caller may do → that part of its principal.
import type { Principal } from '../call/caller.ts';
import type { CallLimits, Effect } from '../endpoint/model.ts';

export interface Permissions {
  /** '*' stands for all of them and for what is served by default. Absent: the same. */
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
