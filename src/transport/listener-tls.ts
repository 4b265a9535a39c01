// TLS of a listener: PEM texts → options of node's servers; and the certificate that a client presents in the handshake.
import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { createSecureContext, type SecureVersion, type TlsOptions as ServerOptions, TLSSocket } from 'node:tls';
import { GatewayError } from '../errors.ts';

export interface ListenerTlsOptions {
  /** The certificate chain, PEM. */
  readonly cert: string;
  /** Its private key, PEM. */
  readonly key: string;
  /** The authority of client certificates, PEM. Clients are asked for one; the identity layer decides whether it is required. */
  readonly clientCa?: string | undefined;
  readonly minVersion?: Extract<SecureVersion, 'TLSv1.2' | 'TLSv1.3'> | undefined;
}

const HANDSHAKE_MS = 10_000;

export function toTlsServerOptions({ cert, key, clientCa, minVersion = 'TLSv1.2' }: ListenerTlsOptions): ServerOptions {
  const options: ServerOptions = {
    cert,
    key,
    minVersion,
    handshakeTimeout: HANDSHAKE_MS,
    ...(clientCa !== undefined && {
      ca: clientCa,
      requestCert: true,
      // A client without a certificate may have a key; one with a bad certificate gets an explanation (readPeerCertificate()).
      rejectUnauthorized: false,
      // A connection resumed with a ticket would keep the result of the first verification, however long ago that was.
      secureOptions: constants.SSL_OP_NO_TICKET,
    }),
  };
  try {
    createSecureContext(options);
  } catch (error) {
    throw new GatewayError(
      'BAD_CONFIG',
      `tls: the certificate, key and client CA cannot be used (${(error as Error).message}). Each must be PEM, and the key must belong to the certificate.`,
      {},
      error,
    );
  }
  return options;
}

/** Why a handshake failed, as a code of OpenSSL or the system: `ERR_SSL_HTTP_REQUEST`. */
export function handshakeFailure(error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : undefined;
}

export interface PeerCertificate {
  /** The common name of its subject; undefined if there is none, or several. */
  readonly commonName: string | undefined;
  /** Its subject alternative names: DNS names, URIs, mail addresses. */
  readonly altNames: readonly string[];
  readonly validToMs: number;
}

/**
 * Undefined if the client presented none. `untrusted`: no trusted authority signed it for clients, or it has expired.
 */
export function readPeerCertificate(socket: Socket): PeerCertificate | 'untrusted' | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  if (!socket.authorized) return 'untrusted';
  const { CN } = certificate.toLegacyObject().subject as { CN?: string | string[] };
  return {
    commonName: typeof CN === 'string' ? CN : undefined,
    altNames: parseAltNames(certificate.subjectAltName ?? ''),
    validToMs: Date.parse(certificate.validTo),
  };
}

/** `DNS:a.example, URI:spiffe://b`. Node quotes a name that could be read as several; no legitimate certificate has one. */
function parseAltNames(text: string): string[] {
  if (text.includes('"')) return [];
  return text.split(', ').flatMap((item) => /^(?:DNS|URI|email):(.+)$/.exec(item)?.[1] ?? []);
}
