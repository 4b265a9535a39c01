// Where credentials stand in requests: for code that keeps those places free, or recognises a credential by its place.
import type { Credential } from '../endpoint/credential.ts';
import { plainName } from '../endpoint/headers/header-names.ts';
import type { Endpoint } from '../endpoint/model.ts';
import { credentialKind } from './kind-table.ts';
import { credentialPlace } from './proof.ts';
import { identifiesCaller } from './secrets.ts';

/** The header that a credential is sent in, as it is declared. */
export function headerOf(credential: Credential): string | undefined {
  const { in: where, field } = credentialPlace(credential);
  return where === 'header' ? field : undefined;
}

/** The fields of the body or the query that credentials are sent in. */
export function fieldsIn(credentials: readonly Credential[], where: 'body' | 'query'): string[] {
  return credentials
    .map(credentialPlace)
    .flatMap((place) => (place.in === where && place.field !== undefined ? place.field : []));
}

/** The key that stands in this place, and its variable. Names outside of the body are compared without case. */
export function findKey(
  credentials: readonly Credential[],
  where: string,
  field: string,
): { readonly name: string; readonly variable: string } | undefined {
  const plain = (name: string | undefined) => (where === 'body' ? name : name?.toLowerCase());
  for (const credential of credentials) {
    const variable = credentialKind(credential).keyVariable?.(credential);
    const place = credentialPlace(credential);
    if (variable !== undefined && place.in === where && plain(place.field) === plain(field))
      return { name: credential.name, variable };
  }
  return undefined;
}

/**
 * Whether no argument may write a header, because it carries a credential or identifies the caller. Names are compared like in
 * CGI, WSGI and PHP, where `X_User` is the same as `X-User`: a second spelling could win.
 */
export function createOwnedHeaders({
  callerHeaders = [],
  security,
}: Pick<Endpoint, 'callerHeaders' | 'security'>): (name: string) => boolean {
  const callerNames = new Set(callerHeaders.map(({ name }) => plainName(name)));
  const keys = new Map<string, string>();
  for (const credential of security.flat()) {
    const name = headerOf(credential);
    if (name === undefined) continue;
    if (identifiesCaller(credential)) callerNames.add(plainName(name));
    else keys.set(plainName(name), name.toLowerCase());
  }
  return (name) => {
    const plain = plainName(name);
    // A document may list the key among its parameters, too: then the credential overwrites the argument.
    return callerNames.has(plain) || (keys.has(plain) && keys.get(plain) !== name.toLowerCase());
  };
}
