// Headers of a domain file that say who calls: how those of a domain and of one operation go together, and that nothing else
// writes the same header.

import type { HeaderPlan } from '../../endpoint/headers/header-fields.ts';
import { plainName } from '../../endpoint/headers/header-names.ts';
import { createOwnedHeaders, credentialHeaders } from '../../endpoint/headers/owned-headers.ts';
import type { CallerHeader, Credential, Endpoint } from '../../endpoint/model.ts';
import type { Problem } from '../../endpoint/problems.ts';

type Headers = Pick<HeaderPlan, 'headers' | 'callerHeaders'>;

/** What is said of one operation is nearer than what is said of all. */
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

/** A header with two writers would have the value of either. */
export function refuseTwice(
  forward: readonly CallerHeader[],
  { headers, callerHeaders }: Headers,
  credentials: Iterable<Credential>,
  problems: Problem[],
): void {
  const say = (path: (string | number)[], message: string) => problems.push({ path, message });
  const configured = new Set([...Object.keys(headers), ...callerHeaders.map(({ name }) => name)].map(plainName));
  for (const [index, { name }] of forward.entries())
    if (configured.has(plainName(name))) say(['forward', index], `${name} is set by headers already`);
  const proven = new Map(
    [...credentials].flatMap((one) => credentialHeaders(one).map((field) => [plainName(field), one.name])),
  );
  for (const { name, from } of [...callerHeaders, ...forward]) {
    const credential = proven.get(plainName(name));
    if (credential !== undefined)
      say(from === 'request' ? ['forward'] : ['headers', name], `${name} is written by the credential ${credential}`);
  }
}

/** Arguments that would write one of these headers, or one of a credential. */
export function argumentsOf({
  args,
  ...endpoint
}: Pick<Endpoint, 'args' | 'callerHeaders' | 'security'>): readonly string[] {
  const isOwned = createOwnedHeaders(endpoint);
  const writes = (arg: Endpoint['args'][number]) => arg.to.some((to) => to.in === 'header' && isOwned(to.name));
  return args.filter(writes).map(({ key }) => key);
}
