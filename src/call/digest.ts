// A digest of arguments that does not depend on key order: what a confirmation is bound to, and what the audit trail
// keeps of arguments; the arguments themselves only where a domain file allows it.
import { hash } from 'node:crypto';
import { remember } from '../endpoint/untrusted.ts';

/** Arguments have the same names again and again. */
const quoteKey = remember(1_000, (key) => JSON.stringify(key));
const MAX_KEY_CHARS = 100;

/** JSON with sorted keys. What is not JSON counts as it would be sent: dates as text, big integers digit by digit. */
export function toCanonicalJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value === null || typeof value !== 'object') return 'null';
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return toCanonicalJson(toJSON.call(value));
  let members = '';
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    const name = key.length > MAX_KEY_CHARS ? JSON.stringify(key) : quoteKey(key);
    members += `${members === '' ? '' : ','}${name}:${toCanonicalJson(member)}`;
  }
  return `{${members}}`;
}

/** Whether the canonical JSON of a value says all of it: class instances may differ where it does not look. */
export function isPlainData(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'function';
  if (Array.isArray(value)) return value.every(isPlainData);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value instanceof Date;
  return Object.values(value).every(isPlainData);
}

export function buildDigest(args: unknown): string {
  return hash('sha256', toCanonicalJson(args), 'base64url');
}
