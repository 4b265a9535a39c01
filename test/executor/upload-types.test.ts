// The media type of what is uploaded: said by the caller, by the document, by the name of the file or by its first bytes.
import { describe, expect, test } from 'vitest';
import type { BodyPlan } from '../../src/endpoint/model.ts';
import { arg, endpoint, inBody, run, startUpstream } from './support.ts';

const upstream = await startUpstream();
const base64 = (bytes: readonly number[] | string) =>
  (typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : Buffer.from(bytes)).toString('base64');
const PNG = base64('\x89PNG\r\n\x1a\n\0\0\0\rIHDR');
const JPEG = base64([0xff, 0xd8, 0xff, 0xe0, 0, 16]);
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

async function sendRaw(mediaType: string, file: Record<string, unknown>): Promise<string | undefined> {
  const body: BodyPlan = { kind: 'binary', mediaType, required: true };
  const target = endpoint(upstream.origin, {
    method: 'PUT',
    effect: 'write',
    body,
    args: [arg('file', { in: 'body-root' }, true)],
  });
  await run(target, { file });
  return upstream.last().headers['content-type'];
}

async function sendPart(contentType: string | undefined, file: Record<string, unknown>): Promise<string | undefined> {
  const encoding = { file: { file: true, ...(contentType !== undefined && { contentType }) } };
  const body: BodyPlan = { kind: 'multipart', mediaType: 'multipart/form-data', required: true, encoding };
  const target = endpoint(upstream.origin, {
    method: 'POST',
    effect: 'write',
    body,
    args: [arg('file', inBody('file'))],
  });
  await run(target, { file });
  return /^content-type: (.*)$/im.exec(upstream.last().body.toString('latin1'))?.[1]?.trim();
}

describe('a part of a multipart body', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['the name of the file', { filename: 'Photo.PNG', base64: 'AAAA' }, 'image/png'],
    ['the name before the content', { filename: 'report.docx', base64: base64('PK\x03\x04') }, DOCX],
    ['the first bytes of a PNG', { base64: PNG }, 'image/png'],
    ['the first bytes of a JPEG', { base64: JPEG }, 'image/jpeg'],
    ['the first bytes of a GIF', { base64: base64('GIF89a..') }, 'image/gif'],
    ['the first bytes of a WebP', { base64: base64('RIFF\0\0\0\0WEBPVP8 ') }, 'image/webp'],
    ['the first bytes of a PDF', { base64: base64('%PDF-1.7') }, 'application/pdf'],
    ['the first bytes of a zip', { base64: base64('PK\x03\x04....') }, 'application/zip'],
    ['the first bytes of a gzip', { base64: base64([0x1f, 0x8b, 8]) }, 'application/gzip'],
    ['what comes as text', { text: 'a note' }, 'text/plain'],
    ['text beyond ASCII', { text: 'größe' }, 'text/plain; charset=utf-8'],
    ['a name for text', { text: 'a,b', filename: 'rows.csv' }, 'text/csv'],
    ['nothing it knows', { base64: 'AAAA', filename: 'thing.xyz' }, 'application/octet-stream'],
    ['the caller before everything', { base64: PNG, filename: 'a.png', mimeType: 'image/x-own' }, 'image/x-own'],
  ])('has the type shown by %s', async (_what, file, type) => {
    expect(await sendPart(undefined, file)).toBe(type);
  });

  test('has the type its encoding declares', async () => {
    expect(await sendPart('application/octet-stream', { base64: PNG, filename: 'a.png' })).toBe(
      'application/octet-stream',
    );
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['image/png, image/jpeg', { base64: JPEG }, 'image/jpeg'],
    ['image/png, image/jpeg', { base64: base64('GIF89a') }, 'image/png'],
    ['image/*', { filename: 'a.webp', base64: 'AAAA' }, 'image/webp'],
    ['image/*', { filename: 'a.pdf', base64: 'AAAA' }, 'application/pdf'],
  ])('has, of the types %s, that of the file', async (types, file, type) => {
    expect(await sendPart(types, file)).toBe(type);
  });
});

describe('a body of bytes', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['*/*', { base64: PNG }, 'image/png'],
    ['image/*', { filename: 'a.gif', base64: 'AAAA' }, 'image/gif'],
    ['image/png, image/jpeg', { base64: JPEG }, 'image/jpeg'],
    ['application/octet-stream', { filename: 'a.png', base64: PNG }, 'application/octet-stream'],
    ['application/octet-stream', { base64: PNG, mimeType: 'image/png' }, 'image/png'],
    ['*/*', { base64: 'AAAA' }, 'application/octet-stream'],
  ])('that may be %s is sent with the type of the file', async (mediaType, file, type) => {
    expect(await sendRaw(mediaType, file)).toBe(type);
  });
});
