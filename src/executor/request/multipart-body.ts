// `multipart/form-data` bodies (RFC 7578), written here because FormData gives JSON parts a file name and cannot set a
// part's own headers.
import { randomBytes } from 'node:crypto';
import type { ParameterStyle, PartEncoding } from '../../endpoint/model.ts';
import { checkHeaderValue, encode, Unsendable, wellFormed } from '../../endpoint/wire-text.ts';
import { writeJson } from '../answer/lossless.ts';
import { bytesOf, filenameOf, isFileArgument, mediaTypeOf } from './file-argument.ts';
import { checkRepetition, collectDeep, isEmpty, isJson, toText } from './parameter-styles.ts';
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
      const part = Object.hasOwn(encoding, name) ? encoding[name] : undefined;
      try {
        for (const [key, each] of partsOf(name, item, part)) {
          chunks.push(`--${boundary}${CRLF}`, ...writePart(key, each, part), CRLF);
        }
      } catch (error) {
        if (error instanceof Unsendable) error.property = name;
        throw error;
      }
    }
    chunks.push(`--${boundary}--${CRLF}`);
    const data = Buffer.concat(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)));
    return { contentType: `${type}; boundary=${boundary}`, data };
  };
}

/** The parts a property makes, each with its name. */
function partsOf(name: string, item: unknown, part: PartEncoding | undefined): readonly (readonly [string, unknown])[] {
  if (part?.style === 'deepObject') return collectDeep(name, item, 'brackets', (key) => key, '[', ']');
  if (!Array.isArray(item)) return [[name, item]];
  if (part?.file !== true) {
    const text = joinItems(item, part);
    if (text !== undefined) return [[name, text]];
    if (isJson(part?.contentType)) return [[name, item]];
  }
  // An array is one part per item (RFC 7578, 4.3), unless its encoding makes it one JSON document.
  checkRepetition(name, item.length);
  return item.filter((each) => each !== null && each !== undefined).map((each) => [name, each]);
}

const DELIMITERS: Partial<Record<ParameterStyle, string>> = { form: ',', spaceDelimited: ' ', pipeDelimited: '|' };

/** A style without explode makes an array of scalars one part (OAS Encoding Object; 2.0 collectionFormat). */
function joinItems(items: readonly unknown[], part: PartEncoding | undefined): string | undefined {
  const style = part?.style ?? 'form';
  const explode = part?.explode ?? style === 'form';
  if (explode || items.some((each) => typeof each === 'object')) return undefined;
  return items.map(toText).join(part?.delimiter ?? DELIMITERS[style] ?? ',');
}

function writePart(name: string, value: unknown, part: PartEncoding | undefined): (string | Buffer)[] {
  const file = part?.file === true || (part?.file === undefined && isFileArgument(value) && !isJson(part?.contentType));
  let head = `content-disposition: form-data; name="${quoted(name)}"`;
  if (file) head += `; filename="${quoted(filenameOf(value) ?? name)}"`;
  head += CRLF;
  const contentType = file
    ? mediaTypeOf(value, part?.contentType)
    : (firstConcrete(part?.contentType) ?? (typeof value === 'object' ? 'application/json' : undefined));
  if (contentType !== undefined) head += `content-type: ${contentType}${CRLF}`;
  for (const [header, text] of Object.entries(part?.headers ?? {})) {
    if (!OWN_HEADERS.has(header.toLowerCase())) head += `${header.toLowerCase()}: ${checkHeaderValue(text)}${CRLF}`;
  }
  const json = !file && (typeof value === 'object' || isJson(contentType));
  return [head + CRLF, file ? bytesOf(value) : json ? writeJson(value) : wellFormed(toText(value))];
}

/** As in browsers (WHATWG HTML, multipart/form-data): these three characters would end the quoted name or the header. */
function quoted(text: string): string {
  return wellFormed(text).replace(/["\r\n]/g, encode);
}

/** Documents write lists and wildcards: `image/png, image/*`. */
function firstConcrete(contentType: string | undefined): string | undefined {
  return contentType
    ?.split(',')
    .map((type) => type.trim())
    .find((type) => type !== '' && !type.includes('*') && checkHeaderValue(type) !== '');
}
