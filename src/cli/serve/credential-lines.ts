// Which secrets go where: every alternative of the credentials that operations ask for, by the names of its variables.
import { originOf } from '../../endpoint/address.ts';
import type { CallerHeader, Domain } from '../../endpoint/model.ts';
import type { Credential } from '../../endpoint/secret/credential.ts';
import { alternativesOf, destinationOf, secretsIn, unsetVariables } from '../../endpoint/secrets.ts';

/**
 * `PETSTORE_API_KEY → https://petstore.example` for variables that are sent: an imported document names its security schemes and
 * servers itself, so the operator should see at start what is sent where. Alternative credentials follow if one is required.
 */
export function listCredentials(domains: readonly Pick<Domain, 'endpoints'>[]): string[] {
  const lines = new Set<string>();
  const others = new Set<string>();
  // Thousands of operations share a handful of alternatives.
  const urlsBySecurity = new Map<readonly unknown[], Set<string>>();
  for (const { endpoints } of domains) {
    for (const { security: all, baseUrl, callerHeaders = [] } of endpoints) {
      for (const header of callerHeaders) lines.add(`${lineOfHeader(header)} → ${originOf(baseUrl) ?? 'the API'}`);
      const urls = urlsBySecurity.get(all) ?? new Set();
      if (!URL.canParse(baseUrl) || urls.has(baseUrl)) continue;
      urlsBySecurity.set(all, urls.add(baseUrl));
      const security = alternativesOf(all);
      const choice = security.find((set) => set.length > 0 && set.every(isSet));
      for (const line of (choice ?? []).flatMap((one) => linesOf(one, baseUrl))) lines.add(line);
      // If a credential is required and none is set, a warning lists all of them elsewhere; if it is optional, none is missing.
      if (choice === undefined || security.some((set) => set.length === 0)) continue;
      for (const set of security) if (set !== choice) others.add(otherWay(set, baseUrl));
    }
  }
  return [...lines, ...others];
}

function isSet(credential: Credential): boolean {
  return unsetVariables(credential).length === 0;
}

function linesOf(credential: Credential, baseUrl: string): string[] {
  const to = destinationOf(credential, baseUrl);
  if (credential.kind === 'assertion') return [`${credential.field}: assertion about the caller → ${to}`];
  const ofCaller =
    credential.kind === 'token_exchange'
      ? [`the caller's token → ${to}, exchanged for one of the caller's for ${originOf(baseUrl)}`]
      : [];
  return ofCaller.concat(
    secretsIn(credential).flatMap(({ variable, value }) => (value === undefined ? [] : [`${variable} → ${to}`])),
  );
}

function lineOfHeader(header: CallerHeader): string {
  return header.from === 'principal'
    ? `${header.name}: ${header.text.shown}`
    : `${header.name} of the caller's request`;
}

function otherWay(set: readonly Credential[], baseUrl: string): string {
  const variables = [...new Set(set.flatMap(secretsIn).map(({ variable }) => variable))];
  const origins = [...new Set(set.map((one) => destinationOf(one, baseUrl)))];
  const state = set.every(isSet) ? 'set, and not needed' : 'not set, and not needed';
  const what = variables.length > 0 ? variables.join(' and ') : set.map(({ name }) => name).join(' and ');
  return `or ${what} → ${origins.join(' and ')} (${state})`;
}
