// How the certificate of an origin is checked, and which client certificate it gets. Nothing switches the check off, not even
// NODE_TLS_REJECT_UNAUTHORIZED.

import * as tls from 'node:tls';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { Connection, TlsVersion } from '../endpoint/model.ts';

export interface TlsOptions {
  readonly rejectUnauthorized: true;
  readonly minVersion: TlsVersion;
  readonly secureContext?: SecureContext;
  readonly servername?: string;
}

const PLAIN: TlsOptions = Object.freeze({ rejectUnauthorized: true, minVersion: 'TLSv1.2' });

/** Client certificate and server name are used for the origin of the connection only. */
export function tlsOptionsFor(origin: string, connection: Connection | undefined): TlsOptions {
  if (connection === undefined) return PLAIN;
  const { authorities, certificate, minVersion = PLAIN.minVersion, serverName } = connection;
  const isHome = connection.origin === origin;
  const own = isHome ? certificate : undefined;
  const ca = authorities && (isHome ? [...authorities] : [...trustedHere(), ...authorities]);
  return {
    ...PLAIN,
    minVersion,
    // Made once: parsing authorities for every socket would cost milliseconds each.
    ...((ca ?? own) !== undefined && { secureContext: createSecureContext({ ...(ca && { ca }), ...own, minVersion }) }),
    ...(isHome && serverName !== undefined && { servername: serverName }),
  };
}

/** Newer Node.js lists all trusted authorities, with NODE_EXTRA_CA_CERTS; older versions only the bundled ones. */
function trustedHere(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return getCACertificates?.('default') ?? rootCertificates;
}
