// Incomplete answers: the time was over, the limit was reached, or the API closed the connection. Complete lines and events of
// one are still an answer; half a JSON document, picture or archive is not.
import { parseMediaType, sniff } from './decoding/answer-media.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

interface CutBody {
  readonly headers: Headers;
  readonly body: Buffer;
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** The first line of a stream of JSON documents is looked at up to here. */
const MAX_FIRST_LINE = 128 * 1024;

const kindOf = (headers: Headers) => parseMediaType(headers['content-type']).kind;

/** It has no end of its own. */
export function isStream(headers: Headers): boolean {
  const kind = kindOf(headers);
  return kind === 'sse' || kind === 'ndjson';
}

/** Its beginning alone is useful. */
export function isInLines(headers: Headers): boolean {
  return isStream(headers) || kindOf(headers) === 'text';
}

/** It is no text: a picture, a sound, an archive … */
export function isFileType(headers: Headers): boolean {
  const kind = kindOf(headers);
  return kind === 'image' || kind === 'audio' || kind === 'binary';
}

/** The part of the body that can be passed on: up to the end of a line or event. Undefined if a part is useless. */
export function wholePart({ headers, body }: CutBody): Buffer | undefined {
  const { kind, essence } = parseMediaType(headers['content-type']);
  // A body without a type may just as well be half a document as half a text.
  switch (kind ?? (essence === '' || body.length === 0 ? 'binary' : sniff(body).kind)) {
    case 'sse':
      return body.subarray(0, endOfEvents(body));
    case 'ndjson':
      return body.subarray(0, body.lastIndexOf(NEWLINE) + 1);
    case 'json':
      return isJsonLines(body) ? body.subarray(0, body.lastIndexOf(NEWLINE) + 1) : undefined;
    case 'text':
    case 'html': {
      const end = body.lastIndexOf(NEWLINE) + 1;
      return body.length === 0 ? undefined : body.subarray(0, end === 0 ? endOfCharacter(body) : end);
    }
    default:
      return undefined;
  }
}

/** Events end with an empty line, in any of three ways to write one. */
function endOfEvents(body: Buffer): number {
  for (let at = body.length - 1; at > 0; at--) {
    const [before, here] = [body[at - 1], body[at]];
    if (here === NEWLINE && (before === NEWLINE || (before === RETURN && body[at - 2] === NEWLINE))) return at + 1;
    if (here === RETURN && before === RETURN) return at + 1;
  }
  return 0;
}

/** Docker and Podman call a stream of JSON documents, one in a line, `application/json`. */
function isJsonLines(body: Buffer): boolean {
  const end = body.indexOf(NEWLINE);
  if (end < 1 || end > MAX_FIRST_LINE) return false;
  try {
    JSON.parse(body.toString('utf8', 0, end));
    return true;
  } catch {
    return false;
  }
}

/** Never inside a UTF-8 sequence. */
function endOfCharacter(body: Buffer): number {
  let end = body.length;
  for (let back = 1; back <= 3 && back < end; back++) {
    const byte = body[end - back]!;
    if (byte >= 0xc0) {
      end -= back;
      break;
    }
    if (byte < 0x80) break;
  }
  return end;
}
