// TLS of a listener: what an operator has (PEM texts) → what node's servers take.
import { constants } from 'node:crypto';
import { createSecureContext, type SecureVersion, type TlsOptions as ServerOptions } from 'node:tls';
import { GatewayError } from '../../errors.ts';

export interface TlsOptions {
  /** The chain, PEM. */
  readonly cert: string;
  /** Its private key, PEM. */
  readonly key: string;
  /** Who signs client certificates, PEM. Clients are asked for a certificate; whether one is required is decided elsewhere. */
  readonly clientCa?: string | undefined;
  readonly minVersion?: Extract<SecureVersion, 'TLSv1.2' | 'TLSv1.3'> | undefined;
}

const HANDSHAKE_MS = 10_000;

export function toTlsServerOptions({ cert, key, clientCa, minVersion = 'TLSv1.2' }: TlsOptions): ServerOptions {
  const options: ServerOptions = {
    cert,
    key,
    minVersion,
    handshakeTimeout: HANDSHAKE_MS,
    ...(clientCa !== undefined && {
      ca: clientCa,
      requestCert: true,
      // A client without a certificate may have a key; one with a bad certificate gets an explanation (peer-certificate.ts).
      rejectUnauthorized: false,
      // A connection resumed by a ticket would bring the verdict of the first one, however long ago that was.
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

/** Why a handshake failed, as OpenSSL or the system calls it: `ERR_SSL_HTTP_REQUEST`. */
export function handshakeFailure(error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : undefined;
}
