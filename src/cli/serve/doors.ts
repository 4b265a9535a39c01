// What HTTP and TCP share: callers known by a certificate, and the log of refused callers.

import { toSectionError } from '../../config/config-file.ts';
import { checkProfiles } from '../../config/key-sources.ts';
import type { Config } from '../../config/read-config.ts';
import { isLoopback } from '../../endpoint/address.ts';
import { trimEnd } from '../../endpoint/plain-text.ts';
import { type CertificateCheck, createCertificateCheck } from '../../identity/certificates.ts';
import type { Logger } from '../../log.ts';
import { createRefusals, type Refusals } from '../../transport/door/refusals.ts';

/** Undefined if certificates are not accepted as identification. */
export function openCertificates({ auth, tls }: Config, profiles: readonly string[]): CertificateCheck | undefined {
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

export function openRefusals(log: Logger): Refusals {
  return createRefusals((facts, message) => log.warn(facts, message));
}

const IN_THE_CLEAR =
  'The TCP port has no TLS, so others on the network can read the keys and tokens sent to it. Set a certificate and its key (tls, --tls-cert, --tls-key).';

const NAMELESS =
  'HTTP accepts requests to the addresses of this machine only, not to a host name. Set the URL that clients use (publicUrl, --public-url), or allow the name (allowedHosts, --allowed-host).';
const UNSEALED =
  'Replicas share `state`, but no secret, so they refuse the confirmations and sessions of each other. Give all of them the same secret (secret, LANDBRIDGE_SECRET).';

/**
 * Warnings for the operator: keys in clear text over TCP, HTTP without a name that is served, replicas without a shared secret.
 */
export function listDoorWarnings(config: Config, isAuthenticated: boolean): string[] {
  const { host, http, tcp, tls, publicUrl, allowedHosts, state, secret } = config;
  const isWide = !isLoopback(host);
  return [
    ...(tcp !== undefined && tls === undefined && isAuthenticated && isWide ? [IN_THE_CLEAR] : []),
    ...(http && isWide && publicUrl === undefined && allowedHosts.length === 0 ? [NAMELESS] : []),
    ...(state !== undefined && secret === undefined ? [UNSEALED] : []),
  ];
}

/** What people paste: where clients reach the gateway, or else what they can call from this machine. */
export function clientUrl({ publicUrl, allowedHosts, host }: Config, bound: string): string {
  if (publicUrl !== undefined) return `${trimEnd(publicUrl, '/')}/mcp`;
  const url = new URL(bound);
  // A wildcard address cannot be called.
  if (allowedHosts[0] !== undefined && !isLoopback(host)) url.hostname = allowedHosts[0].replace(/:\d+$/, '');
  else if (host === '0.0.0.0' || host === '::') url.hostname = '127.0.0.1';
  return url.href;
}

/** As it stands in a URL. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
