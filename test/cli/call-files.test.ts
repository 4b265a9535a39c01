// landbridge call with files: what it uploads from one, and what it writes into one.
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withLargeAnswers } from '../../src/cli/call/save-answer.ts';
import { DEFAULT_ENDPOINT_LIMITS, type Domain } from '../../src/endpoint/model.ts';
import { run } from '../support/cli.ts';
import { type Recorded, type Recorder, startRecorder } from '../support/recorder.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452ff00', 'hex');
const JSON_TEXT = '{ "id": 12345678901234567890,\n  "key": "s3cret-value" }\n';
const LARGE = Buffer.alloc(11 * 1024 * 1024, 'line of a large file\n');

let folder: string;
let api: Recorder;
const seen: Recorded[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landbridge-call-'));
  api = await startRecorder((request, response) => {
    seen.push(request);
    const send = (type: string, body: string | Buffer, status = 200) =>
      response.writeHead(status, { 'content-type': type }).end(body);
    if (request.url === '/photo') return send('image/png', PNG);
    if (request.url === '/item') return send('application/json', JSON_TEXT);
    if (request.url === '/large') return send('text/plain', LARGE);
    if (request.url === '/endless')
      return response.writeHead(200, { 'content-type': 'text/csv' }).write('a,b\n1,2\n3,');
    if (request.url === '/slow') {
      response.writeHead(200, { 'content-type': 'text/csv' }).write('a,b\n');
      return setTimeout(() => response.end('1,2\n'), 100);
    }
    if (request.url === '/missing') return send('application/json', '{"message":"gone"}', 404);
    return send('application/json', '{"ok":true}');
  });
  await writeFile(join(folder, 'photo.png'), PNG);
  await writeFile(join(folder, 'second.bin'), 'two');
  await writeFile(join(folder, 'order.json'), '{"lines":[1,2]}');
  await writeFile(join(folder, 'broken.json'), '{');
  await writeFile(
    join(folder, 'files.yaml'),
    `name: files
baseUrl: ${api.origin}
prefix: ''
credentials: { key: { kind: apiKey, in: header, field: X-Key, env: FILES_KEY } }
endpoints:
  get_photo: { path: /photo, summary: Gets the photo. }
  get_item: { path: /item, summary: Gets the item. }
  get_large: { path: /large, summary: Gets a large text. }
  get_endless: { path: /endless, summary: Gets what does not end., timeoutMs: 500 }
  get_slow: { path: /slow, summary: Gets what takes its time. }
  get_missing: { path: /missing, summary: Gets what is not there. }
  upload:
    method: POST
    path: /upload
    summary: Uploads files.
    body: multipart
    args:
      file: { file: true, in: body }
      more: { type: array, items: { type: object, properties: { filename: { type: string }, base64: { type: string }, mimeType: { type: string } } }, in: body }
      handle: { type: string, in: body }
  order:
    method: POST
    path: /order
    summary: Orders.
    args:
      order: { type: object }
`,
  );
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

const call = (...args: string[]) =>
  run(['call', ...args, '--domains', 'files.yaml'], { cwd: folder, env: { FILES_KEY: 's3cret-value' } });
const last = () => seen.at(-1)!;

describe('landbridge call with key=@path', () => {
  test('uploads the bytes of the file with its name and type; text arguments keep their @', async () => {
    const { code } = await call('upload', 'file=@./photo.png', 'handle=@ada');
    expect(code).toBe(0);
    const body = last().body.toString('latin1');
    expect(body).toContain('name="file"; filename="photo.png"\r\ncontent-type: image/png\r\n');
    expect(last().body.includes(PNG)).toBe(true);
    expect(body).toContain('name="handle"\r\n\r\n@ada\r\n');
  });

  test('takes a type, as curl does, and several files for a list', async () => {
    await call('upload', 'file=@second.bin;type=text/x-two', 'more=@photo.png,@second.bin');
    const body = last().body.toString('latin1');
    expect(body).toContain('filename="second.bin"\r\ncontent-type: text/x-two\r\n');
    expect(body).toContain('name="more"; filename="photo.png"\r\ncontent-type: image/png\r\n');
    expect(body).toContain('name="more"; filename="second.bin"\r\n');
  });

  test('reads JSON for an argument that is an object', async () => {
    await call('order', 'order=@order.json');
    expect(JSON.parse(last().body.toString())).toEqual({ order: { lines: [1, 2] } });
  });

  test.each([
    [['upload', 'file=@nowhere.png'], 'file: cannot read "nowhere.png": there is no such file. Write file=@path'],
    [['upload', 'file=@.'], 'it is a folder'],
    [['order', 'order=@broken.json'], 'order: broken.json is not valid JSON'],
  ])('%j is a mistake in the command line that names the file', async (args, sentence) => {
    const before = seen.length;
    const { code, stderr } = await call(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
    expect(seen.length).toBe(before);
  });
});

describe('landbridge call --output', () => {
  test.each([
    ['get_photo', PNG],
    ['get_item', Buffer.from(JSON_TEXT)],
    ['get_large', LARGE],
  ])('writes the bytes of the answer of %s unchanged', async (tool, bytes) => {
    const { code, stdout, stderr } = await call(tool, '--output', 'out.bin');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain(`out.bin: ${bytes.length} bytes, `);
    expect((await readFile(join(folder, 'out.bin'))).equals(bytes)).toBe(true);
  });

  test('- writes the bytes to stdout and messages to stderr', async () => {
    const { stdout, stderr } = await call('get_item', '-o', '-');
    expect(stdout).toBe(JSON_TEXT);
    expect(stderr).toContain(`The answer: ${JSON_TEXT.length} bytes, application/json`);
  });

  test('writes nothing for a call that failed', async () => {
    const { code, stderr } = await call('get_missing', '--output', 'never.bin');
    expect(code).toBe(1);
    expect(stderr).toContain('gone');
    await expect(stat(join(folder, 'never.bin'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test.each([[[]], [['--json']]])('writes an incomplete answer, says so and exits with 1 (%j)', async (flags) => {
    const { code, stderr } = await call('get_endless', '--output', 'part.csv', ...flags);
    expect(code).toBe(1);
    expect(stderr).toContain('part.csv: 8 bytes, text/csv. It is incomplete: the answer was cut after 0.5 s');
    expect(await readFile(join(folder, 'part.csv'), 'utf8')).toBe('a,b\n1,2\n');
  });

  test('has a longer time limit unless the operation has one', async () => {
    const { code, stderr } = await call('get_slow', '--output', 'slow.csv');
    expect(code).toBe(0);
    expect(stderr).not.toContain('only a part');
    const limitsOf = (timeoutMs: number) => {
      const endpoint = { toolName: 'get_slow', limits: { timeoutMs, maxResponseBytes: 1 } };
      const [domain] = withLargeAnswers([{ endpoints: [endpoint] } as unknown as Domain], 'get_slow');
      return domain!.endpoints[0]!.limits.timeoutMs;
    };
    expect(limitsOf(DEFAULT_ENDPOINT_LIMITS.timeoutMs)).toBe(300_000);
    expect(limitsOf(2_500)).toBe(2_500);
  });

  test('names the file that cannot be written', async () => {
    const { code, stderr } = await call('get_item', '--output', 'no/such/folder/x');
    expect(code).toBe(1);
    expect(stderr).toContain('Cannot write no/such/folder/x (ENOENT); the call itself was made.');
  });
});
