// The format of our API keys, and whether a key from elsewhere can be guessed: SHA-256 is fast, so only keys with enough
// randomness are safe to store as a hash.
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Secret scanners recognise our keys by it. */
const PREFIX = 'lb_';
const RANDOM_BYTES = 32;
const CHECKSUM_CHARS = 6;
const NEEDED_BITS = 128;
/** Bits without repetitions and runs (`abcd`, `1111`). Lower than NEEDED_BITS, because random keys have some, too. */
const NEEDED_VARIETY_BITS = 64;
const MAX_CHARS = 512;

/** `lb_`, 256 random bits, and a checksum that distinguishes a copying mistake from an unknown key. */
export function generateKey(): string {
  const random = randomBytes(RANDOM_BYTES).toString('base64url');
  return `${PREFIX}${random}${checksumOf(random)}`;
}

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function checksumOf(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return bytes.toString('base64url');
}

/** What is wrong with a key, as the end of a sentence about it. Undefined if nothing is. */
export function explainWeakness(key: string): string | undefined {
  const [text, checksum] = [key.slice(PREFIX.length, -CHECKSUM_CHARS), key.slice(-CHECKSUM_CHARS)];
  if (key.startsWith(PREFIX) && checksumOf(text) !== checksum)
    return 'has a wrong checksum: a part of it is missing, or a character was changed';
  if (!/^[\x21-\x7e]+$/.test(key)) return 'has characters that a header cannot have';
  if (key.length > MAX_CHARS) return `is longer than ${MAX_CHARS} characters`;
  const bits = bitsPerCharacter(key);
  if (key.length * bits < NEEDED_BITS) return `is too short to be safe: ${Math.floor(key.length * bits)} bits at most`;
  return countVaried(key) * bits < NEEDED_VARIETY_BITS ? 'has so many repetitions that it can be guessed' : undefined;
}

/** The bits of a random character of the key's alphabet. */
function bitsPerCharacter(key: string): number {
  if (/^[0-9a-f-]+$/i.test(key)) return (4 * key.replaceAll('-', '').length) / key.length;
  const alphabets: [RegExp, number][] = [
    [/[0-9]/, 10],
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/[^0-9A-Za-z]/, 32],
  ];
  const size = alphabets.reduce((sum, [pattern, more]) => (pattern.test(key) ? sum + more : sum), 0);
  // Base64 without a digit still has an alphabet of 64.
  return Math.log2(/[a-z]/.test(key) && /[A-Z]/.test(key) ? Math.max(size, 64) : size);
}

/** Pairs of neighbouring characters that did not occur before and are not consecutive (`ab`, `12`). */
function countVaried(key: string): number {
  const pairs = new Set<string>();
  for (let at = 1; at < key.length; at++) {
    const step = key.charCodeAt(at) - key.charCodeAt(at - 1);
    if (Math.abs(step) > 1) pairs.add(key.slice(at - 1, at + 1));
  }
  return pairs.size;
}
