// How credentials of a domain file relate to the security schemes of its document.
import type { Credential } from '../endpoint/credential.ts';
import { credentialKind } from './kind-table.ts';

/** Whether no document can declare its kind, so that the domain file defines it completely. */
export function isOnlyInDomainFiles(credential: Credential): boolean {
  return credentialKind(credential).isOnlyInDomainFiles ?? false;
}

/** Whether a credential of the domain file is the same as a scheme of the document, and only adds where its secrets are. */
export function isSameScheme(scheme: Credential, own: Credential): boolean {
  return scheme.kind === own.kind && (credentialKind(own).isSameScheme?.(scheme, own) ?? true);
}

/** Whether this request, `POST https://shop.example/login`, issues the token of a credential. */
export function isIssuedBy(credential: Credential, request: string): boolean {
  return credentialKind(credential).issuingRequest?.(credential) === request;
}
