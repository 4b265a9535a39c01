// Seals what goes through a store that others may read: AES-256-GCM, under keys made of the secret that replicas share.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { createSigner } from '../../orchestration/signer.ts';

export interface SealBox {
  /** `place` is authenticated as well: a text moved to another place cannot be opened there. */
  seal(place: string, text: string): string;
  /** Undefined for what was not sealed with this secret, for this place. */
  open(place: string, envelope: string): string | undefined;
  /** A name that reveals nothing about the text without the secret, not even by guessing. */
  nameOf(text: string): string;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

export function createSealBox(secret: Buffer): SealBox {
  const keys = Buffer.from(hkdfSync('sha256', secret, '', 'landbridge shared state', 64));
  const sealing = keys.subarray(0, 32);
  const names = createSigner(keys.subarray(32));
  return {
    seal(place, text) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealing, iv).setAAD(Buffer.from(place));
      return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
    },
    open(place, envelope) {
      const bytes = Buffer.from(envelope, 'base64');
      if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
      try {
        const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, IV_BYTES));
        decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(-TAG_BYTES));
        return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        return undefined;
      }
    },
    nameOf: (text) => names.sign('name', [text]).toString('base64url').slice(0, 22),
  };
}
