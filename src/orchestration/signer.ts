// Signs what travels through a client and comes back: confirmations, states of handlers, session ids. One key per
// gateway; purpose and profile are part of what is signed, so nothing made for one of them passes for another.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { GatewayError } from '../errors.ts';

export interface Signer {
  /** JSON keeps the parts apart: no choice of one part can imitate another list. */
  sign(purpose: string, parts: readonly unknown[]): Buffer;
  /** Constant time. A signature may be a prefix of the full one, if the signer always cuts it to that length. */
  verify(signature: Buffer, purpose: string, parts: readonly unknown[]): boolean;
  /** A readable payload with its signature behind it. */
  seal(purpose: string, parts: readonly unknown[], payload: unknown): string;
  /** The payload of a seal; undefined when it is not ours, was changed, or is bound to other parts. */
  open(purpose: string, parts: readonly unknown[], text: string): unknown;
  /** The same key for another scope: what one signs, the other does not accept. */
  scoped(scope: string): Signer;
}

const MIN_KEY_BYTES = 32;
const MIN_SIGNATURE_BYTES = 16;

/** `key` has at least 32 bytes; replicas share one. Random when absent: then signatures die with the process. */
export function createSigner(key: Buffer = randomBytes(MIN_KEY_BYTES), scope = ''): Signer {
  if (key.length < MIN_KEY_BYTES) {
    throw new GatewayError('BAD_CONFIG', `The secret that signs must have at least ${MIN_KEY_BYTES} bytes.`);
  }
  const sign: Signer['sign'] = (purpose, parts) =>
    createHmac('sha256', key)
      .update(JSON.stringify([scope, purpose, ...parts]))
      .digest();
  return {
    sign,
    verify(signature, purpose, parts) {
      const whole = sign(purpose, parts);
      if (signature.length < MIN_SIGNATURE_BYTES || signature.length > whole.length) return false;
      return timingSafeEqual(signature, whole.subarray(0, signature.length));
    },
    seal(purpose, parts, payload) {
      const body = Buffer.from(JSON.stringify(payload)).toString('base64url');
      return `${body}.${sign(purpose, [...parts, body]).toString('base64url')}`;
    },
    open(purpose, parts, text) {
      const body = text.slice(0, Math.max(0, text.indexOf('.')));
      const whole = Buffer.from(`${body}.${sign(purpose, [...parts, body]).toString('base64url')}`);
      const bytes = Buffer.from(text);
      if (bytes.length !== whole.length || !timingSafeEqual(bytes, whole)) return undefined;
      return JSON.parse(Buffer.from(body, 'base64url').toString());
    },
    scoped: (inner) => createSigner(key, JSON.stringify([scope, inner])),
  };
}
