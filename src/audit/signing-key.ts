// The key that signs the chain: Ed25519, in a file that is created on first use and that only its owner may read.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { closeSync, existsSync, fstatSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { GatewayError } from '../errors.ts';

export interface SigningKey {
  /** SHA-256 of the public key (SPKI, DER), base64url. */
  readonly id: string;
  /** PEM. */
  readonly publicKey: string;
  /** Whether other users may read the file. */
  readonly isShared: boolean;
  sign(text: string): string;
}

export interface CheckingKey {
  readonly id: string;
  isSignature(bytes: Buffer, signature: Buffer): boolean;
}

/** Reads the key; creates one if there is none. */
export function openSigningKey(file: string): SigningKey {
  createKeyFile(file);
  return readSigningKey(file);
}

export function readSigningKey(file: string): SigningKey {
  const { text, isShared } = readKeyFile(file);
  const key = parseKey(file, () => createPrivateKey(text), 'a private key (PEM, Ed25519)');
  const publicKey = createPublicKey(key);
  return {
    id: idOf(publicKey),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    isShared,
    sign: (message) => sign(null, Buffer.from(message), key).toString('base64url'),
  };
}

/** Reads a public key, or the public half of a private key. */
export function readCheckingKey(file: string): CheckingKey {
  const { text } = readKeyFile(file);
  const key = parseKey(
    file,
    () => createPublicKey(text),
    'a public key (PEM, Ed25519), as "landbridge audit key" prints',
  );
  return { id: idOf(key), isSignature: (bytes, signature) => verify(null, bytes, key, signature) };
}

function idOf(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
}

function parseKey(file: string, parse: () => KeyObject, what: string): KeyObject {
  try {
    const key = parse();
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // OpenSSL's message does not help; the error below says what is expected.
  }
  throw new GatewayError('BAD_CONFIG', `${file} must hold ${what}.`);
}

/** Never overwrites an existing key: of two processes that start at once, the second reads the key of the first. */
function createKeyFile(file: string): void {
  if (existsSync(file)) return;
  const draft = `${file}.${process.pid}`;
  try {
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(draft, privateKey.export({ type: 'pkcs8', format: 'pem' }), { flag: 'wx', mode: 0o600 });
    // A hard link to the finished draft: no process can read a half-written key.
    linkSync(draft, file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    throw new GatewayError(
      'BAD_CONFIG',
      `Cannot make the signing key ${file} of the audit trail: ${message}.`,
      {},
      error,
    );
  } finally {
    rmSync(draft, { force: true });
  }
}

function readKeyFile(file: string): { text: string; isShared: boolean } {
  try {
    const fd = openSync(file, 'r');
    try {
      return { text: readFileSync(fd, 'utf8'), isShared: (fstatSync(fd).mode & 0o077) !== 0 };
    } finally {
      closeSync(fd);
    }
  } catch (cause) {
    throw new GatewayError('BAD_CONFIG', `Cannot read the key ${file}: ${(cause as Error).message}.`, {}, cause);
  }
}
