// Signs what a client carries and sends back: confirmations, states of handlers, session ids. A gateway has one key. Purpose and
// profile are part of what is signed, so what is signed for one of them is not valid for another.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { GatewayError } from '../errors.ts';

export interface Signer {
  /** The parts are written as JSON, so that no value of one part can imitate another list of parts. */
  sign(purpose: string, parts: readonly unknown[]): Buffer;
  /** Takes constant time. A signature may be a prefix of the full one, if it is always cut to that length. */
  verify(signature: Buffer, purpose: string, parts: readonly unknown[]): boolean;
  /** A readable payload, followed by its signature. */
  seal(purpose: string, parts: readonly unknown[], payload: unknown): string;
  /** The payload of a seal. Undefined if another key signed it, it was changed, or it is bound to other parts. */
  open(purpose: string, parts: readonly unknown[], text: string): unknown;
  /** A signer with the same key for another scope. Neither accepts what the other signs. */
  scoped(scope: string): Signer;
}

const MIN_KEY_BYTES = 32;
const MIN_SIGNATURE_BYTES = 16;

/** `key` has at least 32 bytes; replicas share one. Default: a random key, so signatures are valid until the process ends. */
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
