// All kinds of credentials. A new kind is a file in kinds/ and an entry here. No code outside of this folder checks the
// kind of a credential: the functions of secrets.ts, proof.ts and the other files of this folder handle all kinds.
import type { z } from 'zod';
import type { Credential } from '../endpoint/credential.ts';
import type { CredentialKind } from './credential-kind.ts';
import { apiKey } from './kinds/api-key.ts';
import { assertion } from './kinds/assertion.ts';
import { awsSigv4 } from './kinds/aws-sigv4.ts';
import { basic } from './kinds/basic.ts';
import { bearer } from './kinds/bearer.ts';
import { login } from './kinds/login.ts';
import { oauth2 } from './kinds/oauth2.ts';
import { tokenExchange } from './kinds/token-exchange.ts';

/** In the order in which most messages name them; `isLastInReference` moves a kind to the end of the reference. */
const KINDS = { apiKey, bearer, basic, login, oauth2, token_exchange: tokenExchange, assertion, awsSigv4 };

export type KindName = keyof typeof KINDS;

/** By the name that domain files use. */
export const CREDENTIAL_KINDS = KINDS satisfies Record<KindName, CredentialKind> & {
  readonly [Name in KindName]: CredentialKind<Credential & { readonly kind: Name }>;
};

/** A credential with the fields of its kind. */
export type KnownCredential = { [Name in KindName]: ReturnType<(typeof KINDS)[Name]['build']> }[KindName];

/** A credential as a domain file declares it. */
export type CredentialDefinition = {
  [Name in KindName]: z.output<ReturnType<(typeof KINDS)[Name]['shape']>>;
}[KindName];

export function credentialKind({ kind }: Credential): CredentialKind {
  return CREDENTIAL_KINDS[kind as KindName];
}
