// What everyone may know of a credential: its kind and its name. What follows from the kind, only src/credentials knows.

/** A secret from one of the sources (sources/sources.ts). `value` is undefined while there is none. Never serialise one. */
export interface Secret {
  /** '': there is no variable for it. `file:/run/secrets/x`: it is read from that file. */
  readonly variable: string;
  readonly value: string | undefined;
  /** It is a name, such as a user name, and proves nothing: answers may show it. */
  readonly isName?: true;
  /** Why its source gives nothing, in words. */
  readonly problem?: string;
}

/**
 * How a request proves who sends it. Bound to the origin of the endpoint that carries it, and sent nowhere else. Its other fields
 * depend on its kind: ask src/credentials, which has a table of all kinds.
 */
export interface Credential {
  readonly kind: string;
  readonly name: string;
}
