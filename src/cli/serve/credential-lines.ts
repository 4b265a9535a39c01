// Which secrets go where: every alternative of the credentials that operations require, by the names of its variables.

import { alternativesOf, bannerLines, destinationOf, secretsIn, unsetVariables } from '../../credentials/secrets.ts';
import { originOf } from '../../endpoint/address.ts';
import type { Credential } from '../../endpoint/credential.ts';
import type { CallerHeader, Domain, Endpoint } from '../../endpoint/model.ts';

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

/** A credential that operations of a domain need and that is not set: its variables, and how many operations wait for it. */
export interface MissingCredential {
  readonly domain: string;
  readonly variables: readonly string[];
  readonly operations: number;
  /** Whether there are alternatives with variables of their own. */
  readonly hasOthers: boolean;
}

/** The missing credentials of all operations that cannot be called yet; those of most operations first. */
export function listMissing(domains: readonly Pick<Domain, 'name' | 'endpoints'>[]): MissingCredential[] {
  return domains.flatMap(({ name, endpoints }) => {
    const counts = new Map<Endpoint['security'], number>();
    for (const { security } of endpoints) counts.set(security, (counts.get(security) ?? 0) + 1);
    const byVariables = new Map<string, MissingCredential>();
    for (const [security, operations] of counts) {
      const ways = alternativesOf(security).map((set) => [...new Set(set.flatMap(unsetVariables))]);
      if (ways.length === 0 || ways.some((variables) => variables.length === 0)) continue;
      const variables = ways.reduce((least, way) => (way.length < least.length ? way : least));
      const key = variables.join(' ');
      const before = byVariables.get(key)?.operations ?? 0;
      byVariables.set(key, { domain: name, variables, operations: before + operations, hasOthers: ways.length > 1 });
    }
    return [...byVariables.values()].sort((a, b) => b.operations - a.operations);
  });
}

/** Whether the operation can be called with what is set. */
export function isReady({ security }: Endpoint): boolean {
  return security.length === 0 || alternativesOf(security).some((set) => set.every(isSet));
}

function isSet(credential: Credential): boolean {
  return unsetVariables(credential).length === 0;
}

function linesOf(credential: Credential, baseUrl: string): string[] {
  const to = destinationOf(credential, baseUrl);
  const variables = secretsIn(credential).flatMap(({ variable, value }) =>
    value === undefined ? [] : [`${variable} → ${to}`],
  );
  return [...bannerLines(credential, to, baseUrl), ...variables];
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
