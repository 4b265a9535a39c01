// Encrypts what goes through a store that others may read: AES-256-GCM, with keys derived from the secret that replicas share.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { createSigner } from '../orchestration/signer.ts';

export interface SecretBox {
  /** `place` is authenticated as well: a text that was moved to another place cannot be decrypted there. */
  encrypt(place: string, text: string): string;
  /** Undefined for anything that was not encrypted with this secret, for this place. */
  decrypt(place: string, envelope: string): string | undefined;
  /** A name that reveals nothing about the text without the secret, not even by guessing. */
  hideName(text: string): string;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

export function createSecretBox(secret: Buffer): SecretBox {
  const keys = Buffer.from(hkdfSync('sha256', secret, '', 'landbridge shared state', 64));
  const encryptionKey = keys.subarray(0, 32);
  const names = createSigner(keys.subarray(32));
  return {
    encrypt(place, text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, iv).setAAD(Buffer.from(place));
      return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
    },
    decrypt(place, envelope) {
      const bytes = Buffer.from(envelope, 'base64');
      if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
      try {
        const decipher = createDecipheriv('aes-256-gcm', encryptionKey, bytes.subarray(0, IV_BYTES));
        decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG_BYTES));
        return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        return undefined;
      }
    },
    hideName: (text) => names.sign('name', [text]).toString('base64url').slice(0, 22),
  };
}
