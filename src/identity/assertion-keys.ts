// The keys that sign assertions about callers, read from files at start. The first one signs; all are published, so that a key
// can be replaced while assertions of the old one are still valid.
import { createPrivateKey, createPublicKey, type KeyObject, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { AssertionSigner } from '../call/assertion-signer.ts';
import { GatewayError } from '../errors.ts';

export interface AssertionKeys {
  /** The `iss` claim; undefined if not configured. */
  readonly issuer: string | undefined;
  /** Files with a private key each. */
  readonly keys: readonly string[];
}

interface SigningKey {
  readonly alg: string;
  readonly key: KeyObject;
}

const MIN_RSA_BITS = 2_048;
const CURVES: ReadonlyMap<string, string> = new Map([
  ['prime256v1', 'ES256'],
  ['secp384r1', 'ES384'],
]);

/** Throws BAD_CONFIG for a key that cannot be read or is too weak. */
export async function loadAssertionKeys({ issuer, keys: files }: AssertionKeys): Promise<AssertionSigner> {
  if (issuer === undefined)
    throw new GatewayError(
      'BAD_CONFIG',
      'assertions.issuer is missing. Set it, or set publicUrl, which is then used as the issuer.',
    );
  // Loaded only when it is used: loading jose takes as long as importing a small document.
  const { SignJWT, calculateJwkThumbprint } = await import('jose');
  const keys = files.map(readKey);
  const publicKeys = await Promise.all(
    keys.map(async ({ key, alg }) => {
      const jwk = createPublicKey(key).export({ format: 'jwk' });
      return {
        ...jwk,
        kid: await calculateJwkThumbprint(jwk as Parameters<typeof calculateJwkThumbprint>[0]),
        alg,
        use: 'sig',
      };
    }),
  );
  const [{ key, alg }] = keys as [SigningKey];
  const header = { alg, kid: publicKeys[0]!.kid, typ: 'JWT' };
  return {
    jwks: JSON.stringify({ keys: publicKeys }),
    sign: ({ subject, audience, lifetimeS, claims }) => {
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT({ ...claims })
        .setProtectedHeader(header)
        .setIssuer(issuer)
        .setSubject(subject)
        .setAudience(audience)
        .setIssuedAt(now)
        .setExpirationTime(now + lifetimeS)
        .setJti(randomUUID())
        .sign(key);
    },
  };
}

function readKey(file: string): SigningKey {
  const refuse = (why: string, cause?: unknown) =>
    new GatewayError('BAD_CONFIG', `assertions.keys: ${file} ${why}.`, {}, cause);
  let pem: string;
  try {
    pem = readFileSync(file, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read: ${code ?? message}`;
    throw refuse(`${why}. Make one with: openssl genpkey -algorithm ed25519 -out ${file}`, cause);
  }
  // node:crypto's own error for a certificate or a public key would not help.
  if (/-----BEGIN (?:RSA )?PUBLIC KEY-----|-----BEGIN CERTIFICATE-----/.test(pem) && !pem.includes('PRIVATE KEY'))
    throw refuse('is a public key or a certificate; name the private key');
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED/.test(pem))
    throw refuse('is protected by a passphrase; store it without one, in a file that only the gateway can read');
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (cause) {
    throw refuse('holds no private key in PEM', cause);
  }
  const alg = algorithmOf(key);
  if ('problem' in alg) throw refuse(alg.problem);
  return { key, alg: alg.name };
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): { name: string } | { problem: string } {
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails ?? {};
  if (asymmetricKeyType === 'ed25519') return { name: 'EdDSA' };
  if (asymmetricKeyType === 'rsa')
    return modulusLength >= MIN_RSA_BITS
      ? { name: 'RS256' }
      : { problem: `is an RSA key of ${modulusLength} bits, which is too weak; use ${MIN_RSA_BITS} or more` };
  const curve = asymmetricKeyType === 'ec' ? CURVES.get(namedCurve) : undefined;
  if (curve !== undefined) return { name: curve };
  const kind = asymmetricKeyType === 'ec' ? `the curve ${namedCurve}` : asymmetricKeyType;
  return { problem: `is a key of ${kind}, which is not supported; use RSA, P-256, P-384 or Ed25519` };
}
