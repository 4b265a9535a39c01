// The certificate a client showed in its TLS handshake: the names in it, once the authority that signed it is known.
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

export interface PeerCertificate {
  /** Of its subject; undefined where it has none, or several. */
  readonly commonName: string | undefined;
  /** Of its subject alternative names: DNS names, URIs, mail addresses. */
  readonly altNames: readonly string[];
  readonly validToMs: number;
}

/** Undefined: the client showed none. `untrusted`: it was not signed for clients by an authority we trust, or has expired. */
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

/**
 * `DNS:a.example, URI:spiffe://b`. Node quotes a name that could be taken for several; a legitimate certificate needs none of
 * that.
 */
function parseAltNames(text: string): string[] {
  if (text.includes('"')) return [];
  return text.split(', ').flatMap((item) => /^(?:DNS|URI|email):(.+)$/.exec(item)?.[1] ?? []);
}
