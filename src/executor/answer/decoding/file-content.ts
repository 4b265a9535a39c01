// Bytes that are not text → content blocks: pictures and sounds as such, anything else as an embedded resource, each with a line that
// says what it is. A file that is too large is only described, with the way to get it.
import { createHash } from 'node:crypto';
import type { Content } from '../../../call/outcome.ts';
import { escapeHiddenCharacters } from '../../../endpoint/hidden.ts';
import type { RawResponse } from '../../send.ts';

export interface FileAnswer {
  readonly type: 'image' | 'audio' | 'resource';
  readonly raw: RawResponse;
  readonly mimeType: string;
  /** Larger ones are described. */
  readonly maxBytes: number;
  readonly redact: (text: string) => string;
}

export function toFileContent({ type, raw, mimeType, maxBytes, redact }: FileAnswer): readonly Content[] {
  const { body, headers } = raw;
  // Redacted before it is cut, so that no half of a secret is left.
  const name = fileNameOf(redact(String(headers['content-disposition'] ?? '')));
  const what = escapeHiddenCharacters(
    redact(`${name === undefined ? '' : `"${name}": `}${mimeType}, ${body.length} bytes`),
  );
  const describe = (why: string): readonly Content[] => [
    { type: 'text', text: `${what}, sha256 ${createHash('sha256').update(body).digest('hex')}. ${why}` },
  ];
  if (maxBytes === 0) return describe('Its bytes are not shown.');
  if (body.length > maxBytes) {
    const file = name === undefined ? '<file>' : escapeHiddenCharacters(redact(name));
    return describe(
      `Too large to show: the limit is ${maxBytes} bytes. Tell the user: "landbridge call" with --output ${file} saves it.`,
    );
  }
  const bytes = body.toString('latin1');
  if (redact(bytes) !== bytes)
    return describe('Its bytes contain a credential of the gateway, so they are not passed on; tell the user.');
  const data = body.toString('base64');
  const line: Content = { type: 'text', text: what };
  if (type !== 'resource') return [line, { type, data, mimeType }];
  return [line, { type, resource: { uri: uriOf(body, name, redact), mimeType, blob: data } }];
}

/** Identifies the bytes by digest and name. It contains no address of the API, which may hold a secret. */
function uriOf(body: Buffer, name: string | undefined, redact: (text: string) => string): string {
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 16);
  return `answer://${digest}/${name === undefined ? 'file' : encodeURIComponent(redact(name).replace(/\p{Surrogate}/gu, ''))}`;
}

const MAX_NAME = 120;

/** RFC 6266: `filename*` before `filename`; never a path. */
function fileNameOf(disposition: string): string | undefined {
  const header = disposition.slice(0, 1_000);
  const [, encodedName] = /filename\*\s{0,5}=\s{0,5}utf-8'[^']{0,20}'([^;\s]{1,400})/i.exec(header) ?? [];
  const [, quotedName] = /filename\s{0,5}=\s{0,5}"([^"]{1,400})/i.exec(header) ?? [];
  const [, plain] = /filename\s{0,5}=\s{0,5}([^";\s]{1,400})/i.exec(header) ?? [];
  const name = (decode(encodedName) ?? quotedName ?? plain)?.split(/[/\\]/).at(-1)?.slice(0, MAX_NAME);
  return name === '' ? undefined : name;
}

function decode(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
