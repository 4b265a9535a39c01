// Who may call, from the configuration: the authorities that check tokens and keys, the challenge for unknown callers, and what each
// class of callers may do, so that their catalogs are ready before the first call.

import { toSectionError } from '../../config/config-file.ts';
import { type ConfiguredKey, checkProfiles, readKeys } from '../../config/key-sources.ts';
import type { Config } from '../../config/read-config.ts';
import type { Effect } from '../../endpoint/model.ts';
import type { Gateway } from '../../gateway.ts';
import { createKeyAuthority } from '../../identity/api-keys.ts';
import { type CertificateCheck, createCertificateCheck, withCertificates } from '../../identity/certificates.ts';
import { type Authority, createIdentify, createTokenCheck, toPrincipal } from '../../identity/identify.ts';
import type { TcpIdentify } from '../../transport/lines/tcp.ts';
import type { Identify } from '../../transport/request-handler.ts';
import { count } from '../terminal/terminal.ts';
import type { Issuers } from './issuers.ts';

/** Callers that see the same catalog. */
export interface CallerClass {
  /** Absent: all of them, and what is served by default. */
  readonly profiles?: readonly string[] | undefined;
  /** Absent: all of them. */
  readonly effects?: readonly Effect[] | undefined;
}

export interface Authorities {
  /** Asked in this order. */
  readonly all: readonly Authority[];
  readonly identify: Identify;
  /** The same over TCP, which serves one profile. */
  readonly identifyOverTcp: (profile: string) => TcpIdentify;
  readonly classes: readonly CallerClass[];
  readonly issuers?: Issuers | undefined;
  /** `2 keys`: for the banner. */
  readonly summary: string;
  /** For the operator. */
  readonly warnings: readonly string[];
}

/** Undefined if the configuration does not restrict who may call: then everybody may. */
export async function createAuthorities(config: Config, profiles: readonly string[]): Promise<Authorities | undefined> {
  const keys = readKeys(config, profiles);
  const certificates = openCertificates(config, profiles);
  if (config.auth === undefined && keys.length === 0 && !certificates) return undefined;
  const { auth = {} } = config;
  const { oauth = [] } = auth;
  // The code for tokens is loaded only if tokens are accepted.
  const issuers = oauth.length > 0 ? (await import('./issuers.ts')).openIssuers(config, auth, profiles) : undefined;
  const all: Authority[] = [
    ...(keys.length > 0 ? [createKeyAuthority(keys)] : []),
    ...(issuers ? [issuers.authority] : []),
  ];
  const classes: CallerClass[] = [
    ...keys.map((key) => toPrincipal(key.name, key)),
    ...(certificates ? (config.auth?.certificates ?? [{}]) : []).map((rule) => toPrincipal('', rule)),
    ...(issuers?.effectSets.map((effects) => ({ effects })) ?? []),
  ];
  const summary = [
    ...(keys.length > 0 ? [count(keys.length, 'key')] : []),
    ...(certificates ? ['client certificates'] : []),
    ...(oauth.length > 0 ? [`tokens of ${oauth.map(({ issuer }) => issuer).join(', ')}`] : []),
  ];
  if (all.length === 0 && !certificates)
    throw toSectionError(auth, [
      {
        path: ['auth'],
        message:
          'allows no callers: add a key ("landbridge key new <name>" makes one), an authorization server (auth.oauth) or the authority of client certificates (tls.clientCa), or remove it',
      },
    ]);
  const challenge = (profile: string, error?: 'invalid_token') =>
    issuers?.resource.challenge(profile, error && { error }) ??
    `Bearer realm="landbridge"${error === undefined ? '' : `, error="${error}"`}`;
  return {
    all,
    identify: withCertificates(certificates, createIdentify({ authorities: all, challenge })),
    identifyOverTcp: (profile) => toTcpIdentify(all, certificates, profile),
    classes,
    issuers,
    summary: summary.join(', '),
    warnings: [...listExpired(keys), ...(issuers?.warnings ?? [])],
  };
}

/** Undefined if certificates are not accepted as identification. */
function openCertificates({ auth, tls }: Config, profiles: readonly string[]): CertificateCheck | undefined {
  const rules = auth?.certificates;
  if (tls?.clientCa === undefined) {
    if (rules === undefined) return undefined;
    const message = 'needs tls.clientCa, the authority that signs them (--tls-client-ca)';
    throw toSectionError(auth!, [{ path: ['auth', 'certificates'], message }]);
  }
  const problems = (rules ?? []).flatMap((rule, index) =>
    checkProfiles(rule, ['auth', 'certificates', index], profiles),
  );
  if (problems.length > 0) throw toSectionError(auth!, problems);
  return createCertificateCheck(rules);
}

function toTcpIdentify(
  all: readonly Authority[],
  certificate: CertificateCheck | undefined,
  profile: string,
): TcpIdentify {
  return { certificate, ...(all.length > 0 && { token: createTokenCheck(all, profile) }) };
}

function listExpired(keys: readonly ConfiguredKey[]): string[] {
  return keys.flatMap(({ name, expires }) =>
    expires !== undefined && Date.parse(expires) <= Date.now()
      ? [`The key of ${name} expired on ${expires} and is refused.`]
      : [],
  );
}

/** Builds the catalog of each class of callers, so that no first call waits for it. */
export function prepareCatalogs(gateway: Gateway, { classes }: Authorities): void {
  for (const { profiles = ['', ...gateway.profiles.keys()], effects } of classes)
    for (const profile of profiles) gateway.serviceOf(profile, effects);
}
