// Headers that no argument may write, because they carry a credential or identify the caller.
import type { Endpoint } from '../endpoint/model';
import type { Credential } from '../endpoint/credential';
import { plainName } from '../endpoint/headers/header-names';

/** The headers of its own that a credential is sent in. */
export function credentialHeaders(credential: Credential): string[] {
  if (credential.kind === 'assertion') return [credential.field];
  if (credential.kind === 'apiKey') return credential.in === 'header' ? [credential.field] : [];
  return credential.kind === 'login' && credential.send.in === 'header' ? [credential.send.field] : [];
}

/** Names are compared like in CGI, WSGI and PHP, where `X_User` is the same as `X-User`: a second spelling could win. */
export function createOwnedHeaders({
  callerHeaders = [],
  security,
}: Pick<Endpoint, 'callerHeaders' | 'security'>): (name: string) => boolean {
  const callerNames = new Set(callerHeaders.map(({ name }) => plainName(name)));
  const keys = new Map<string, string>();
  for (const credential of security.flat())
    for (const name of credentialHeaders(credential)) {
      if (credential.kind === 'assertion') callerNames.add(plainName(name));
      else keys.set(plainName(name), name.toLowerCase());
    }
  return (name) => {
    const plain = plainName(name);
    // A document may list the key among its parameters, too: then the credential overwrites the argument.
    return callerNames.has(plain) || (keys.has(plain) && keys.get(plain) !== name.toLowerCase());
  };
}
