// A record as a line of the file, and back. The bytes of a line are hashed and signed, so no canonical form of JSON is needed.
//
//   {"seq":7,"time":"…","kind":"call",…,"prev":"<hash of the line before>","hash":"<hash of this one>"}
//   {"seq":8,"time":"…","kind":"checkpoint",…,"prev":"…","signature":"…","hash":"…"}
//
// hash = SHA-256 over the bytes from `{` up to the comma before "hash"; signature = Ed25519 over SIGNED_PREFIX and the bytes up
// to the comma before "signature". Both in base64url. docs/audit.md says the same.
import { createHash, hash } from 'node:crypto';
import { escapeHidden } from '../endpoint/hidden.ts';

/** The kinds of records. */
export type RecordKind = 'open' | 'begin' | 'call' | 'checkpoint' | 'refused' | 'recovery' | 'gap';

/** The head of a chain: its last record. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** Before the first record of a chain: 32 zero bytes. */
export const GENESIS: Head = Object.freeze({ seq: 0, hash: 'A'.repeat(43) });

const SIGNED_PREFIX = 'landbridge audit checkpoint\n';

/** A record is never longer; a longer line is not a record. */
export const MAX_LINE_BYTES = 1024 * 1024;

export interface Line extends Head {
  /** Including the line break. */
  readonly text: string;
}

/** `facts` is a JSON object. `sign` makes the record a checkpoint: it gets the text to sign. */
export function buildLine(
  head: Head,
  time: string,
  kind: RecordKind,
  facts: string,
  sign?: (text: string) => string,
): Line {
  const seq = head.seq + 1;
  const own = facts === '{}' ? '' : `,${escapeHidden(facts.slice(1, -1))}`;
  let body = `{"seq":${seq},"time":"${time}","kind":"${kind}"${own},"prev":"${head.hash}"`;
  if (sign) body += `,"signature":"${sign(SIGNED_PREFIX + body)}"`;
  const digest = hash('sha256', body, 'base64url');
  return { seq, hash: digest, text: `${body},"hash":"${digest}"}\n` };
}

export interface ParsedLine extends Head {
  readonly kind: string;
  readonly prev: string;
  readonly timeMs: number;
  /** Whether the hash matches the bytes. */
  readonly isIntact: boolean;
  readonly record: Readonly<Record<string, unknown>>;
  /** The signed bytes of a checkpoint, and its signature. */
  readonly signed?: { readonly bytes: Buffer; readonly signature: Buffer };
}

const HASH_MEMBER = /^,"hash":"([\w-]{43})"\}$/;
const HASH_MEMBER_BYTES = 54;
const SIGNATURE_MEMBER = /^,"signature":"([\w-]{86})"$/;
const SIGNATURE_MEMBER_BYTES = 101;

/** `line` has no line break. Undefined if it is not a record. */
export function parseLine(line: Buffer): ParsedLine | undefined {
  const end = line.length - HASH_MEMBER_BYTES;
  const own = HASH_MEMBER.exec(line.toString('latin1', Math.max(0, end)))?.[1];
  const record = own === undefined ? undefined : parseObject(line);
  if (own === undefined || record === undefined) return undefined;
  const { seq, kind, prev, time } = record;
  if (!Number.isSafeInteger(seq) || typeof kind !== 'string' || typeof prev !== 'string' || typeof time !== 'string')
    return undefined;
  const timeMs = Date.parse(time);
  if (Number.isNaN(timeMs)) return undefined;
  const body = line.subarray(0, end);
  const isIntact = createHash('sha256').update(body).digest('base64url') === own;
  const entry = { seq: seq as number, hash: own, kind, prev, timeMs, isIntact, record };
  if (kind !== 'checkpoint') return entry;
  const at = end - SIGNATURE_MEMBER_BYTES;
  const signature = SIGNATURE_MEMBER.exec(line.toString('latin1', Math.max(0, at), end))?.[1];
  if (signature === undefined) return entry;
  const bytes = Buffer.concat([Buffer.from(SIGNED_PREFIX), line.subarray(0, at)]);
  return { ...entry, signed: { bytes, signature: Buffer.from(signature, 'base64url') } };
}

function parseObject(line: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line.toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
