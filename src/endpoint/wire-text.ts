// Text on the wire: everything an argument puts into a URL, a header, a form or a text passes through here. JSON bodies do not,
// because JSON.stringify escapes them.

import { ToolError } from '../errors.ts';
import { HEADER_VALUE } from './headers/header-names.ts';

const UNRESERVED = /^[A-Za-z0-9\-._~]*$/;
const LEFT_BY_ENCODE_URI_COMPONENT = /[!'()*]/g;

/** RFC 3986, strict: only unreserved characters stay as they are. */
export function encode(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeWith(encodeURIComponent, text).replace(LEFT_BY_ENCODE_URI_COMPONENT, percent);
}

function encodeWith(encoder: (text: string) => string, text: string): string {
  try {
    return encoder(text);
  } catch {
    throw new Unsendable('holds half of a surrogate pair, which no URL can carry; send well-formed Unicode text');
  }
}

/**
 * `allowReserved`: reserved characters and percent-encoded triplets stay (RFC 6570, reserved expansion), except for
 * those that would end the value or begin another parameter.
 */
export function encodeReserved(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeWith(encodeURI, text)
    .replace(/[&=+#]/g, percent)
    .replace(/%5([BD])/g, (_, digit: string) => (digit === 'B' ? '[' : ']'))
    .replace(/%25([0-9A-Fa-f]{2})/g, '%$1');
}

/** The same for a path segment: nothing that ends the segment, the path or the query may stay (OAS 3.2). */
export function encodeReservedSegment(text: string): string {
  return encodeReserved(text).replace(/[/?[\]]/g, percent);
}

/** Literal text of a path template: characters that a path may contain stay, and so do percent-encoded triplets. */
export function encodeLiteral(text: string): string {
  return text.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~!$&'()*+,;=:@/]+/g, (part) =>
    part.length === 3 && part[0] === '%' ? part : encode(part),
  );
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Text that goes into a body. Encoding half a surrogate pair as UTF-8 would silently send another character. */
export function wellFormed(text: string): string {
  if (LONE_SURROGATE.test(text)) throw new Unsendable('holds half of a surrogate pair; send well-formed Unicode text');
  return text;
}

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

/** An argument value that cannot be put on the wire. `locate` adds which argument it was. */
export class Unsendable extends Error {
  /** The body property that contained it, if known. */
  property: string | undefined;
}

/** Names the argument (and the tool) in the sentence that reaches the model. */
export function locate(error: unknown, tool: string, key: string): unknown {
  if (!(error instanceof Unsendable)) return error;
  return new ToolError('VALIDATION', tool, `\`${key}\` ${error.message}. Nothing was sent.`, { tool, argument: key });
}
