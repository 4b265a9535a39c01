// Header values: what may stand on the wire.
import { HEADER_VALUE } from '../../endpoint/headers/header-names.ts';
import { Unsendable } from './percent-encoding.ts';

const MAX_HEADER_BYTES = 8 * 1024;

/** CR, LF and anything else unprintable would forge headers; a huge value is refused by most servers anyway. */
export function checkHeaderValue(text: string): string {
  if (!HEADER_VALUE.test(text)) {
    throw new Unsendable('goes into a header and may hold printable ASCII characters only: no line breaks, no accents');
  }
  if (text.length > MAX_HEADER_BYTES) {
    throw new Unsendable(`goes into a header and may be at most ${MAX_HEADER_BYTES} characters long`);
  }
  return text;
}
