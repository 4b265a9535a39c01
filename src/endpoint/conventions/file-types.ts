// Files: the schema of a file as an argument, and the media type of a file by the extension of its name or by its first bytes.
import type { JsonSchema } from '../model.ts';

/** Media types and the extensions of their files. A type without a slash belongs to `application/`. */
const EXTENSIONS = `
  image/png png apng / image/jpeg jpg jpeg jpe jfif / image/gif gif / image/webp webp / image/avif avif / image/heic heic
  image/heif heif / image/bmp bmp / image/tiff tif tiff / image/svg+xml svg / image/x-icon ico / image/vnd.adobe.photoshop psd
  audio/mpeg mp3 / audio/wav wav / audio/ogg ogg oga opus / audio/flac flac / audio/mp4 m4a / audio/aac aac / audio/midi mid midi
  video/mp4 mp4 m4v / video/webm webm / video/quicktime mov / video/x-msvideo avi / video/mpeg mpg mpeg / video/x-matroska mkv
  text/plain txt text log conf ini / text/csv csv / text/tab-separated-values tsv / text/markdown md markdown
  text/html html htm / text/css css / text/javascript js mjs cjs / text/calendar ics / text/vcard vcf / text/x-python py
  text/x-java-source java / text/x-c c h / text/x-diff diff patch / message/rfc822 eml
  json json map / x-ndjson ndjson jsonl / geo+json geojson / ld+json jsonld / xml xml xsd xsl / yaml yaml yml / toml toml
  sql sql / graphql graphql gql / x-sh sh / typescript ts / gpx+xml gpx / vnd.google-earth.kml+xml kml
  pdf pdf / rtf rtf / epub+zip epub / postscript ps eps / msword doc dot / vnd.ms-excel xls / vnd.ms-powerpoint ppt
  vnd.openxmlformats-officedocument.wordprocessingml.document docx / vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
  vnd.openxmlformats-officedocument.presentationml.presentation pptx / vnd.oasis.opendocument.text odt
  vnd.oasis.opendocument.spreadsheet ods / vnd.oasis.opendocument.presentation odp
  zip zip / gzip gz tgz / x-tar tar / x-bzip2 bz2 / x-xz xz / zstd zst / x-7z-compressed 7z / vnd.rar rar / java-archive jar war
  x-x509-ca-cert crt cer der / x-pem-file pem / x-pkcs12 p12 pfx / wasm wasm / vnd.sqlite3 sqlite sqlite3 db
  vnd.apache.parquet parquet / vnd.apache.arrow.file arrow / octet-stream bin exe dll iso img
  vnd.android.package-archive apk / font/woff woff / font/woff2 woff2 / font/ttf ttf / font/otf otf
  model/gltf+json gltf / model/gltf-binary glb / model/stl stl`;

const TYPES: ReadonlyMap<string, string> = new Map(
  EXTENSIONS.split(/ \/ |\n/).flatMap((entry) => {
    const [type = '', ...endings] = entry.trim().split(' ');
    const mediaType = type.includes('/') ? type : `application/${type}`;
    return endings.map((ending): [string, string] => [ending, mediaType]);
  }),
);

/** The media type of a file with this name; undefined if it has no known extension. */
export function typeOfName(filename: string): string | undefined {
  const dot = filename.lastIndexOf('.');
  return dot < 0 ? undefined : TYPES.get(filename.slice(dot + 1).toLowerCase());
}

/** How files of each type begin, byte by byte. */
const SIGNATURES = [
  ['image/png', /^\x89PNG.{4}/s],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
  ['image/avif', /^.{4}ftypavi[fs]/s],
  ['image/heic', /^.{4}ftyphei[cx]/s],
  ['image/tiff', /^(?:II\*\0|MM\0\*)/],
  ['audio/wav', /^RIFF.{4}WAVE/s],
  ['audio/ogg', /^OggS/],
  ['audio/mpeg', /^ID3/],
  ['audio/flac', /^fLaC/],
  ['audio/mp4', /^.{4}ftypM4A/s],
  ['video/quicktime', /^.{4}ftypqt/s],
  ['video/mp4', /^.{4}ftyp/s],
  ['video/webm', /^\x1aE\xdf\xa3/],
  ['application/pdf', /^%PDF-/],
  ['application/zip', /^PK(?:\x03\x04|\x05\x06)/],
  ['application/gzip', /^\x1f\x8b/],
  ['application/x-bzip2', /^BZh[1-9]/],
  ['application/x-xz', /^\xfd7zXZ\0/],
  ['application/zstd', /^\x28\xb5\x2f\xfd/],
  ['application/x-7z-compressed', /^7z\xbc\xaf\x27\x1c/],
  ['application/vnd.rar', /^Rar!\x1a\x07/],
  ['application/vnd.sqlite3', /^SQLite form/],
  ['application/wasm', /^\0asm/],
  ['font/woff', /^wOFF/],
  ['font/woff2', /^wOF2/],
] as const;

/** The media type that the first bytes indicate. */
export function typeOfBytes(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, 12);
  return SIGNATURES.find(([, beginning]) => beginning.test(head))?.[0];
}

/** A file as an argument: importers and domain files offer it, and the executor turns it into bytes. */
export const FILE_SCHEMA: JsonSchema = Object.freeze({
  type: 'object',
  description: 'A file: give its content as base64, or as text where it is text.',
  properties: Object.freeze({
    filename: Object.freeze({ type: 'string', maxLength: 255 }),
    mimeType: Object.freeze({ type: 'string', maxLength: 127 }),
    base64: Object.freeze({ type: 'string', description: 'The bytes, base64.' }),
    text: Object.freeze({ type: 'string', description: 'The content, where it is text.' }),
  }),
  oneOf: Object.freeze([Object.freeze({ required: ['base64'] }), Object.freeze({ required: ['text'] })]),
  additionalProperties: false,
});
