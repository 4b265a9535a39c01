// Header values and names: what may stand on the wire, and which headers no argument may touch.
import { unsendable } from './percent-encoding.ts';

const PRINTABLE = /^[\t\x20-\x7e]*$/;
const MAX_HEADER_BYTES = 8 * 1024;

/** Framing and routing belong to the HTTP client; who we are belongs to the credentials. */
const NEVER_FROM_ARGUMENTS = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Configuration may name these no more than arguments may: undici writes them. */
const NEVER_FROM_CONFIGURATION = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export function isArgumentHeader(name: string): boolean {
  return !NEVER_FROM_ARGUMENTS.has(name.toLowerCase());
}

export function isConfigurableHeader(name: string): boolean {
  return !NEVER_FROM_CONFIGURATION.has(name.toLowerCase());
}

/** CR, LF and anything else unprintable would forge headers; a huge value is refused by most servers anyway. */
export function checkHeaderValue(text: string): string {
  if (!PRINTABLE.test(text)) {
    throw unsendable('goes into a header and may hold printable ASCII characters only: no line breaks, no accents');
  }
  if (text.length > MAX_HEADER_BYTES) {
    throw unsendable(`goes into a header and may be at most ${MAX_HEADER_BYTES} characters long`);
  }
  return text;
}
