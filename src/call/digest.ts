// A digest of arguments that does not depend on the order of keys. Confirmations are bound to it, and the audit trail keeps it
// instead of the arguments, unless a domain file allows those.
import { hash } from 'node:crypto';
import { remember } from '../endpoint/untrusted.ts';

/** The names of arguments repeat, so their quoted forms are cached. */
const quoteKey = remember(1_000, (key) => JSON.stringify(key));
const MAX_KEY_CHARS = 100;

/** JSON with sorted keys. Values that JSON does not have are written as they would be sent: dates as text, big integers as digits. */
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

/** Whether the canonical JSON of a value is complete. Class instances may differ in ways that it does not contain. */
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
