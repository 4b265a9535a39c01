// Messages for TLS failures: whose certificate the failure is about, and the line of the domain file that repairs it.
import type { WireRequest } from './request/build-request.ts';

const UNKNOWN_AUTHORITY =
  /^(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|CERT_UNTRUSTED|INVALID_CA)$/;
/** The answer of a server that requires a client certificate: TLS 1.3 has an alert for it, older versions fail the handshake. */
const WANTS_CERTIFICATE = /^ERR_SSL_(?:TLSV13_ALERT_CERTIFICATE_REQUIRED|\w*ALERT_HANDSHAKE_FAILURE)$/;
const REFUSES_CERTIFICATE =
  /^ERR_SSL_\w*ALERT_(?:UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_\w+|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED)$/;
const VERSION = /^ERR_SSL_(?:UNSUPPORTED_PROTOCOL|\w*ALERT_PROTOCOL_VERSION)$/;
const NO_TLS = /^(?:ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)|EPROTO)$/;
const ANY = /^(?:ERR_SSL_|ERR_TLS_|ERR_OSSL|CERT_|EPROTO$|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH)/;

/** The certificate is signed by an authority that is not trusted here, or by itself. */
export function isUnknownAuthority(code: string): boolean {
  return UNKNOWN_AUTHORITY.test(code);
}

/** Undefined if the failure is not about TLS. */
export function explainTls(code: string, error: Error, { origin, connection }: WireRequest): string | undefined {
  if (!ANY.test(code)) return undefined;
  const { host } = new URL(origin);
  const hasCertificate = connection?.certificate !== undefined && connection.origin === origin;
  if (isUnknownAuthority(code))
    return connection?.authorities === undefined
      ? `the certificate of ${host} is signed by an authority that the gateway does not trust (${code}); add it to tls.ca of the domain file. Nothing was sent.`
      : `the certificate of ${host} is not signed by an authority in tls.ca of the domain file (${code}). Nothing was sent.`;
  if (code === 'CERT_HAS_EXPIRED')
    return `the certificate of ${host} has expired and must be renewed. If its dates are right, check the clock of this machine. Nothing was sent.`;
  if (code === 'CERT_NOT_YET_VALID')
    return `the certificate of ${host} is not valid yet; check the clock of this machine and of the API. Nothing was sent.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH')
    return `the certificate that ${host} shows is for another host (${namesIn(error)}); correct the base URL, or name the host of the certificate in tls.serverName of the domain file. Nothing was sent.`;
  if (WANTS_CERTIFICATE.test(code) && !hasCertificate)
    return `${host} ended the TLS handshake (${code}): it probably needs a client certificate (tls.cert and tls.key of the domain file).`;
  if (REFUSES_CERTIFICATE.test(code) || WANTS_CERTIFICATE.test(code))
    return `${host} does not accept the client certificate (${code}); check tls.cert of the domain file: who signed it, its dates, and whether it was revoked.`;
  if (VERSION.test(code))
    return `${host} supports no TLS version that the gateway allows (at least ${connection?.minVersion ?? 'TLSv1.2'}); update the API${connection?.minVersion === 'TLSv1.3' ? ', or lower tls.minVersion of the domain file to TLSv1.2' : ''}.`;
  if (NO_TLS.test(code))
    return `${host} did not answer with TLS (${code}); check the port of the base URL, and whether it should be http://.`;
  return `the TLS connection to ${host} failed (${code}). Check the certificate: its names, its dates, and who signed it.`;
}

/**
 * With TLS 1.3, a server checks our certificate after our side of the handshake is complete; many then just close the connection.
 */
export function adviseClosed({ origin, connection }: WireRequest): string {
  if (!origin.startsWith('https:')) return '';
  return connection?.certificate === undefined || connection.origin !== origin
    ? '; perhaps it needs a client certificate (tls.cert and tls.key of the domain file)'
    : '; perhaps it does not accept the client certificate (tls.cert of the domain file)';
}

/** The names in a certificate, as Node reports them. Untrusted text. */
function namesIn(error: Error): string {
  const names = (error as { cert?: { subjectaltname?: string } }).cert?.subjectaltname ?? 'it names no host';
  return names.replaceAll(/[^\w.:*, -]/g, '?').slice(0, 200);
}
