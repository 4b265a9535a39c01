// Signed statements of the gateway about its callers. identity/ creates the signer, the executor calls it.

/** The claims of one assertion, apart from its issuer and times. */
export interface CallerAssertion {
  readonly subject: string;
  readonly audience: string;
  readonly lifetimeS: number;
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface AssertionSigner {
  /** A JWT with `iss`, `iat`, `exp` and a `jti` of its own. */
  sign(assertion: CallerAssertion): Promise<string>;
  /** The public keys (RFC 7517) that verify it, as JSON text. */
  readonly jwks: string;
}
