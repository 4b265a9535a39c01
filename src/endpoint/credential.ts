// The part of a credential that every layer may use: its kind and its name. Only src/credentials uses what depends on the kind.

/** A secret from one of the sources (sources/sources.ts). `value` is undefined while there is none. Never serialise one. */
export interface Secret {
  /** '': there is no variable for it. `file:/run/secrets/x`: it is read from that file. */
  readonly variable: string;
  readonly value: string | undefined;
  /** It is a name, such as a user name, and not a secret: answers may show it. */
  readonly isName?: true;
  /** Why its source has no value, in words. */
  readonly problem?: string;
}

/**
 * How a request proves who sends it. Bound to the origin of its endpoint, and sent nowhere else. Its other fields depend on its kind;
 * src/credentials has a table of all kinds.
 */
export interface Credential {
  readonly kind: string;
  readonly name: string;
}
