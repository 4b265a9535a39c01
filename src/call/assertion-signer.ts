// Signed statements of the gateway about its callers. The signer is created at the edge; the executor only calls it.

/** What one assertion says, beside who signs it and when. */
export interface Assertion {
  readonly subject: string;
  readonly audience: string;
  readonly lifetimeS: number;
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface AssertionSigner {
  /** A JWT with `iss`, `iat`, `exp` and a `jti` of its own. */
  sign(assertion: Assertion): Promise<string>;
  /** The public keys (RFC 7517) that verify it, as JSON text. */
  readonly jwks: string;
}
