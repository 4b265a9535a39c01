// Which operations tell their API who is calling, and which can only be called with a token.
import type { Endpoint } from '../endpoint/model';
import type { Credential } from '../endpoint/credential';
import { alternativesOf, formatOf, unsetVariables } from './secrets';
import { type CallerText, fitsAnybody, readsClaim, readsIssuer } from '../endpoint/caller/caller-text';

type Told = Pick<Endpoint, 'callerHeaders' | 'security'>;

/** The ways in which an API learns who calls: `x-user: ${principal.sub}`. */
export function waysToTell({ callerHeaders = [], security }: Told): string[] {
  const headers = callerHeaders.map((header) =>
    header.from === 'principal' ? `${header.name}: ${header.text.shown}` : `${header.name} of the caller's request`,
  );
  const credentials = security.flat().filter(({ kind }) => kind === 'token_exchange' || kind === 'assertion');
  return [...new Set([...credentials.map(formatOf), ...headers])];
}

/** Calls of the local user, who has shown no token, would be refused. */
export function needsToken({ callerHeaders = [], security }: Told): boolean {
  const [choice = []] = alternativesOf(security).filter(
    (set) => set.length > 0 && set.flatMap(unsetVariables).length === 0,
  );
  return (
    callerHeaders.some((header) => header.from === 'principal' && !fitsAnybody(header.text)) ||
    choice.some((credential) => credential.kind === 'token_exchange' || !textsOf(credential).every(fitsAnybody))
  );
}

/** The texts about the caller in an assertion. */
function textsOf(credential: Credential): CallerText[] {
  if (credential.kind !== 'assertion') return [];
  return [credential.subject, ...credential.claims.flatMap((claim) => ('text' in claim ? claim.text : []))];
}

/**
 * Texts that identify the caller by claims alone. Two authorization servers may each have an `ada`, which the API cannot tell
 * apart unless something else names the issuer.
 */
export function ambiguousTexts({ callerHeaders = [], security }: Told): string[] {
  const texts = [
    ...callerHeaders.flatMap((header) => (header.from === 'principal' ? [header.text] : [])),
    ...security.flat().flatMap(textsOf),
  ];
  return texts.some(readsIssuer) ? [] : texts.filter(readsClaim).map(({ shown }) => shown);
}
