// Headers that identify the caller to the API: merges those of the domain with those of an operation, and makes sure that
// nothing else writes the same header.

import { createOwnedHeaders, headerOf } from '../../credentials/credential-places.ts';
import type { Credential } from '../../endpoint/credential.ts';
import type { HeaderPlan } from '../../endpoint/headers/header-fields.ts';
import { plainName } from '../../endpoint/headers/header-names.ts';
import type { CallerHeader, Endpoint } from '../../endpoint/model.ts';
import type { Problem } from '../../endpoint/problems.ts';

type Headers = Pick<HeaderPlan, 'headers' | 'callerHeaders'>;

/** Headers of the operation replace those of the domain. */
export function mergeHeaders(outer: Headers, inner: Headers): Pick<Endpoint, 'headers' | 'callerHeaders'> {
  const nearer = new Set(
    [...Object.keys(inner.headers), ...inner.callerHeaders.map(({ name }) => name)].map(plainName),
  );
  const isOpen = (name: string) => !nearer.has(plainName(name));
  const plain = Object.entries(outer.headers).filter(([name]) => isOpen(name));
  const callerHeaders = [...outer.callerHeaders.filter(({ name }) => isOpen(name)), ...inner.callerHeaders];
  return {
    headers: { ...Object.fromEntries(plain), ...inner.headers },
    ...(callerHeaders.length > 0 && { callerHeaders }),
  };
}

/** Reports headers that two parts of the file would write, because it would be undefined which value is sent. */
export function refuseDuplicateHeaders(
  forward: readonly CallerHeader[],
  { headers, callerHeaders }: Headers,
  credentials: Iterable<Credential>,
  problems: Problem[],
): void {
  const report = (path: (string | number)[], message: string) => problems.push({ path, message });
  const headerNames = new Set([...Object.keys(headers), ...callerHeaders.map(({ name }) => name)].map(plainName));
  for (const [index, { name }] of forward.entries())
    if (headerNames.has(plainName(name))) report(['forward', index], `${name} is set by headers already`);
  const byHeader = new Map(
    [...credentials].flatMap((one) => {
      const header = headerOf(one);
      return header === undefined ? [] : [[plainName(header), one.name]];
    }),
  );
  for (const { name, from } of [...callerHeaders, ...forward]) {
    const credential = byHeader.get(plainName(name));
    if (credential !== undefined)
      report(
        from === 'request' ? ['forward'] : ['headers', name],
        `${name} is written by the credential ${credential}`,
      );
  }
}

/** The arguments that would write a header of the caller or of a credential. Reads no other field: imported fields are lazy. */
export function argumentsOverwritingHeaders(
  endpoint: Pick<Endpoint, 'args' | 'callerHeaders' | 'security'>,
): readonly string[] {
  const isOwned = createOwnedHeaders(endpoint);
  const writes = (arg: Endpoint['args'][number]) => arg.to.some((to) => to.in === 'header' && isOwned(to.name));
  return endpoint.args.filter(writes).map(({ key }) => key);
}
