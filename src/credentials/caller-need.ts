// Which operations identify the caller to their API, and which can only be called with a token.
import { fitsAnyCaller, readsClaim, readsIssuer } from '../endpoint/caller/caller-text.ts';
import type { Credential } from '../endpoint/credential.ts';
import type { Endpoint } from '../endpoint/model.ts';
import { credentialKind } from './kind-table.ts';
import { alternativesOf, formatOf, identifiesCaller, unsetVariables } from './secrets.ts';

type CallerFields = Pick<Endpoint, 'callerHeaders' | 'security'>;

/** The ways in which an API learns who calls: `x-user: ${principal.sub}`. */
export function listCallerIdentification({ callerHeaders = [], security }: CallerFields): string[] {
  const headers = callerHeaders.map((header) =>
    header.from === 'principal' ? `${header.name}: ${header.text.shown}` : `${header.name} of the caller's request`,
  );
  return [...new Set([...security.flat().filter(identifiesCaller).map(formatOf), ...headers])];
}

/** Whether calls without a token, such as those of the local user, would be refused. */
export function needsToken({ callerHeaders = [], security }: CallerFields): boolean {
  const [choice = []] = alternativesOf(security).filter(
    (set) => set.length > 0 && set.flatMap(unsetVariables).length === 0,
  );
  return (
    callerHeaders.some((header) => header.from === 'principal' && !fitsAnyCaller(header.text)) ||
    choice.some((credential) => isPerCaller(credential) || !textsOf(credential).every(fitsAnyCaller))
  );
}

/** Whether every caller has a token of its own, made from the token it presented. */
export function isPerCaller(credential: Credential): boolean {
  const { proof } = credentialKind(credential);
  return proof.type === 'token' && proof.isPerCaller === true;
}

function textsOf(credential: Credential) {
  return credentialKind(credential).callerTexts?.(credential) ?? [];
}

/**
 * Texts that identify the caller by claims alone. Two authorization servers may each have an `ada`, which the API cannot tell
 * apart unless something else names the issuer.
 */
export function ambiguousTexts({ callerHeaders = [], security }: CallerFields): string[] {
  const texts = [
    ...callerHeaders.flatMap((header) => (header.from === 'principal' ? [header.text] : [])),
    ...security.flat().flatMap(textsOf),
  ];
  return texts.some(readsIssuer) ? [] : texts.filter(readsClaim).map(({ shown }) => shown);
}
