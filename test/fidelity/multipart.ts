// Parses a multipart body strictly (RFC 2046, RFC 7578), so that parts can be compared.
import type { Received } from './echo.ts';

export interface Part {
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

export function readParts({ headers, body }: Received): Part[] {
  const boundary = /^multipart\/form-data; boundary=([\w'()+,./:=?-]{1,70})$/.exec(headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) throw new Error(`no multipart body: ${headers['content-type']}`);
  // A line break in front makes the first delimiter like the others.
  const text = Buffer.concat([Buffer.from('\r\n'), body]);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const parts: Part[] = [];
  let at = text.indexOf(delimiter);
  if (at !== 0) throw new Error('the body does not begin with its boundary');
  for (;;) {
    const start = at + delimiter.length;
    const mark = text.toString('latin1', start, start + 2);
    if (mark === '--') {
      if (text.toString('latin1', start + 2) !== '\r\n') throw new Error('something follows the last boundary');
      return parts;
    }
    if (mark !== '\r\n') throw new Error('a boundary does not end its line');
    const next = text.indexOf(delimiter, start);
    if (next < 0) throw new Error('a part does not end');
    parts.push(readPart(text.subarray(start + 2, next)));
    at = next;
  }
}

function readPart(part: Buffer): Part {
  const end = part.indexOf('\r\n\r\n');
  if (end < 0) throw new Error('a part has no end of headers');
  const headers: Record<string, string> = {};
  for (const line of part.toString('utf8', 0, end).split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (name in headers) throw new Error(`a part has two headers ${name}`);
    headers[name] = line.slice(colon + 1).trim();
  }
  return { headers, body: Buffer.from(part.subarray(end + 4)) };
}
