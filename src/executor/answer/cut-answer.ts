// Answers that are incomplete (the time was over, the limit was reached, or the API closed the connection) or too large. Complete
// lines and events are still an answer; half a JSON document, picture or archive is not.
import { type GatewayError, ToolError } from '../../errors.ts';
import { parseMediaType, sniff } from './decoding/answer-media.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** How much of the first line of a stream of JSON documents is parsed. */
const MAX_FIRST_LINE = 128 * 1024;

const kindOf = (headers: Headers) => parseMediaType(headers['content-type']).kind;

/** Whether an answer of this type may be endless. */
export function isStream(headers: Headers): boolean {
  const kind = kindOf(headers);
  return kind === 'sse' || kind === 'ndjson';
}

/** Whether the beginning of such an answer is useful by itself. */
export function isInLines(headers: Headers): boolean {
  return isStream(headers) || kindOf(headers) === 'text';
}

/** Whether it is not text: a picture, a sound, an archive … */
export function isFileType(headers: Headers): boolean {
  const kind = kindOf(headers);
  return kind === 'image' || kind === 'audio' || kind === 'binary';
}

/** The part of the body that can be passed on: up to the end of a line or event. Undefined if a part is useless. */
export function wholePart({ headers, body }: { headers: Headers; body: Buffer }): Buffer | undefined {
  const { kind, essence } = parseMediaType(headers['content-type']);
  // A body without a type may be half a document as well as half a text.
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

/** Docker and Podman send a stream of JSON documents, one on each line, as `application/json`. */
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

/** The end of the last complete UTF-8 sequence. */
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

/** The error for an answer that is more than the gateway reads: what was dropped, and how to ask for less. */
export function tooLarge(
  tool: string,
  what: string,
  { isRead, isFile = false }: { readonly isRead: boolean; readonly isFile?: boolean },
  details: Record<string, unknown> = {},
): GatewayError {
  const advice = isFile
    ? 'It is a file: tell the user that "landbridge call" with --output <file> saves it.'
    : isRead
      ? 'Ask for less: fewer items per page, a narrower filter, or one item instead of a list.'
      : 'The request itself was carried out: do not repeat it. Check the result with a read.';
  return new ToolError('TOO_LARGE', tool, `the answer ${what} and was dropped. ${advice}`, { tool, ...details });
}
