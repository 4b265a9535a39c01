// `multipart/form-data` bodies (RFC 7578), written here because FormData gives JSON parts a file name and cannot set a
// part's own headers.
import { randomBytes } from 'node:crypto';
import type { ParameterStyle, PartEncoding } from '../../endpoint/model.ts';
import { writeJson } from '../answer/lossless.ts';
import { bytesOf, filenameOf, isFile, mediaTypeOf } from './file-argument.ts';
import { checkHeaderValue } from './header-value.ts';
import { checkRepetition, collectDeep, isEmpty, isJson, toText } from './parameter-styles.ts';
import { Unsendable, wellFormed } from './percent-encoding.ts';
import type { WireBody } from './write-body.ts';

const CRLF = '\r\n';
const OWN_HEADERS = new Set(['content-disposition', 'content-type', 'content-transfer-encoding']);

export function compileMultipart(
  mediaType: string,
  encoding: Readonly<Record<string, PartEncoding>> = {},
): (value: unknown) => WireBody {
  const type = /^multipart\/[\w.+-]+$/i.test(mediaType) ? mediaType : 'multipart/form-data';
  return (value) => {
    if (typeof value !== 'object' || value === null)
      throw new Unsendable('must be an object: each property is one part');
    const boundary = `landbridge-${randomBytes(16).toString('hex')}`;
    const chunks: (string | Buffer)[] = [];
    for (const [name, item] of Object.entries(value)) {
      if (isEmpty(item)) continue;
      try {
        appendProperty(chunks, boundary, name, item, Object.hasOwn(encoding, name) ? encoding[name] : undefined);
      } catch (error) {
        if (error instanceof Unsendable) error.property = name;
        throw error;
      }
    }
    chunks.push(`--${boundary}--${CRLF}`);
    return { contentType: `${type}; boundary=${boundary}`, data: join(chunks) };
  };
}

function appendProperty(
  chunks: (string | Buffer)[],
  boundary: string,
  name: string,
  item: unknown,
  part: PartEncoding | undefined,
): void {
  if (part?.style === 'deepObject') {
    const pairs = collectDeep(name, item, 'brackets', (key) => key, '[', ']');
    for (const [key, text] of pairs) appendPart(chunks, boundary, key, text, part);
    return;
  }
  const joined = part?.file === true ? undefined : joinItems(item, part);
  if (joined !== undefined) {
    appendPart(chunks, boundary, name, joined, part);
    return;
  }
  // An array is one part per item (RFC 7578, 4.3), unless its encoding makes it one JSON document.
  const whole = !Array.isArray(item) || (part?.file !== true && isJson(part?.contentType));
  if (!whole) checkRepetition(name, (item as unknown[]).length);
  for (const each of whole ? [item] : (item as unknown[])) {
    if (each !== null && each !== undefined) appendPart(chunks, boundary, name, each, part);
  }
}

const DELIMITERS: Partial<Record<ParameterStyle, string>> = { form: ',', spaceDelimited: ' ', pipeDelimited: '|' };

/** A style without explode makes an array of scalars one part (OAS Encoding Object; 2.0 collectionFormat). */
function joinItems(item: unknown, part: PartEncoding | undefined): string | undefined {
  const style = part?.style ?? 'form';
  const explode = part?.explode ?? style === 'form';
  if (!Array.isArray(item) || explode || item.some((each) => typeof each === 'object')) return undefined;
  return item.map(toText).join(part?.delimiter ?? DELIMITERS[style] ?? ',');
}

function appendPart(
  chunks: (string | Buffer)[],
  boundary: string,
  name: string,
  value: unknown,
  part: PartEncoding | undefined,
): void {
  const file = part?.file === true || (part?.file === undefined && isFile(value) && !isJson(part?.contentType));
  const declared = firstConcrete(part?.contentType);
  let head = `--${boundary}${CRLF}content-disposition: form-data; name="${quoted(name)}"`;
  let contentType: string | undefined;
  if (file) {
    head += `; filename="${quoted(filenameOf(value) ?? name)}"`;
    contentType = mediaTypeOf(value, declared ?? 'application/octet-stream');
  } else {
    contentType = declared ?? (typeof value === 'object' ? 'application/json' : undefined);
  }
  head += CRLF;
  if (contentType !== undefined) head += `content-type: ${contentType}${CRLF}`;
  for (const [header, text] of Object.entries(part?.headers ?? {})) {
    if (!OWN_HEADERS.has(header.toLowerCase())) head += `${header.toLowerCase()}: ${checkHeaderValue(text)}${CRLF}`;
  }
  const json = !file && (typeof value === 'object' || isJson(contentType));
  chunks.push(head + CRLF, file ? bytesOf(value) : json ? writeJson(value) : wellFormed(toText(value)), CRLF);
}

/** As browsers do it (WHATWG HTML, multipart/form-data): these three would end the quoted name or the header. */
function quoted(text: string): string {
  return wellFormed(text).replace(/["\r\n]/g, (character) =>
    character === '"' ? '%22' : character === '\r' ? '%0D' : '%0A',
  );
}

/** Documents write lists and wildcards: `image/png, image/*`. */
function firstConcrete(contentType: string | undefined): string | undefined {
  return contentType
    ?.split(',')
    .map((type) => type.trim())
    .find((type) => type !== '' && !type.includes('*') && checkHeaderValue(type) !== '');
}

function join(chunks: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)));
}
