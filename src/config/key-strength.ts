// Whether a key that was handed over as it is can be guessed: SHA-256 is quick to compute, so only keys nobody can try out
// are safe behind it.
const NEEDED_BITS = 128;
/** What is left when repetitions and runs (`abcd`, `1111`) do not count; chance alone takes some of that away. */
const NEEDED_VARIETY_BITS = 64;
const MAX_CHARS = 512;

/** What is wrong with it, in words that go on after its name; undefined: nothing. */
export function explainWeakness(key: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(key)) return 'has characters that no header can carry';
  if (key.length > MAX_CHARS) return `is longer than ${MAX_CHARS} characters`;
  const bits = bitsPerCharacter(key);
  if (key.length * bits < NEEDED_BITS) return `is too short to be safe: ${Math.floor(key.length * bits)} bits at best`;
  return countVaried(key) * bits < NEEDED_VARIETY_BITS ? 'repeats itself so much that it can be guessed' : undefined;
}

/** As many as a random character of its alphabet would have. */
function bitsPerCharacter(key: string): number {
  if (/^[0-9a-f-]+$/i.test(key)) return (4 * key.replaceAll('-', '').length) / key.length;
  const alphabets: [RegExp, number][] = [
    [/[0-9]/, 10],
    [/[a-z]/, 26],
    [/[A-Z]/, 26],
    [/[^0-9A-Za-z]/, 32],
  ];
  return Math.log2(alphabets.reduce((size, [pattern, more]) => (pattern.test(key) ? size + more : size), 0));
}

/** Pairs of neighbours that have not been there before and are not one step apart. */
function countVaried(key: string): number {
  const pairs = new Set<string>();
  for (let at = 1; at < key.length; at++) {
    const step = key.charCodeAt(at) - key.charCodeAt(at - 1);
    if (Math.abs(step) > 1) pairs.add(key.slice(at - 1, at + 1));
  }
  return pairs.size;
}
