// Signatures against the examples AWS publishes, and on the wire.
import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { KnownCredential } from '../../src/credentials/kind-table.ts';
import type { AwsSigv4Credential } from '../../src/credentials/kinds/aws-sigv4.ts';
import { signRequest } from '../../src/credentials/proof.ts';
import type { WireRequest } from '../../src/executor/request/build-request.ts';
import { endpoint, run, startUpstream } from '../executor/support.ts';

const secret = (value: string) => ({ variable: 'V', value });
/** The keys of the "Signature Version 4 test suite". */
const credential: AwsSigv4Credential = {
  kind: 'awsSigv4',
  name: 'hmac',
  accessKeyId: secret('AKIDEXAMPLE'),
  secretAccessKey: secret('wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'),
  region: 'us-east-1',
  service: 'service',
};
const AT = new Date('2015-08-30T12:36:00Z');
const request = (path: string, more: Partial<WireRequest> = {}): WireRequest => ({
  method: 'GET',
  origin: 'https://example.amazonaws.com',
  path,
  url: '',
  headers: { accept: '*/*', 'user-agent': 'landbridge' },
  body: null,
  limits: { timeoutMs: 1, maxResponseBytes: 1 },
  isRead: true,
  ...more,
});
const authorization = (wire: WireRequest, more: Partial<AwsSigv4Credential> = {}) =>
  signRequest(wire, { ...credential, ...more }, AT).headers.authorization;

describe('signatures of the examples that AWS publishes', () => {
  test.each([
    ['get-vanilla', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'get-vanilla-query-order-key-case',
      '/?Param2=value2&Param1=value1',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    ['get-slashes', '//example//', '9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84'],
    ['get-slash', '//', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['get-slash-dot-slash', '/./', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'get-relative-relative',
      '/example1/example2/../..',
      '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    ],
  ])('%s', (_, path, signature) => {
    expect(authorization(request(path))).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
    );
  });

  test('post-vanilla', () => {
    expect(authorization(request('/', { method: 'POST' }))).toContain(
      'Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    );
  });

  test('ListUsers of IAM, with a content type', () => {
    const wire = request('/?Action=ListUsers&Version=2010-05-08', {
      origin: 'https://iam.amazonaws.com',
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    });
    expect(authorization(wire, { service: 'iam' })).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
    );
  });
});

test('the path of an S3 object is signed as it is, slashes and dots included', () => {
  const [plain, ...others] = ['/a/b', '/a//b', '/a/./b'].map((path) => authorization(request(path), { service: 's3' }));
  expect(others).not.toContain(plain);
  expect(authorization(request('/a//b'))).toBe(authorization(request('/a/b')));
});

test('S3 requests get the hash of the body, temporary keys their token; other headers stay', () => {
  const { headers } = signRequest(
    request('/a%20b', { body: 'x' }),
    { ...credential, service: 's3', sessionToken: secret('tok') } as AwsSigv4Credential,
    AT,
  );
  expect(headers).toMatchObject({
    accept: '*/*',
    'x-amz-date': '20150830T123600Z',
    'x-amz-content-sha256': '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881',
    'x-amz-security-token': 'tok',
    authorization: expect.stringContaining('SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,'),
  });
});

test('a call is signed when it is sent, and the secret is not part of it', async () => {
  const upstream = await startUpstream();
  const security: KnownCredential[][] = [[{ ...credential, sessionToken: { variable: 'T', value: undefined } }]];
  await run(endpoint(upstream.origin, { security }), {});
  const { headers, url } = upstream.last();
  const date = String(headers['x-amz-date']);
  const [, signature] = /Signature=([0-9a-f]{64})$/.exec(String(headers.authorization)) ?? [];
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const scope = [date.slice(0, 8), 'us-east-1', 'service', 'aws4_request'];
  const signingKey = scope.reduce<string | Buffer>(hmac, `AWS4${credential.secretAccessKey.value}`);
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
  const canonical = `GET\n${url}\n\nhost:${headers.host}\nx-amz-date:${date}\n\nhost;x-amz-date\n${empty}`;
  const { createHash } = await import('node:crypto');
  const digest = createHash('sha256').update(canonical).digest('hex');
  expect(signature).toBe(hmac(signingKey, `AWS4-HMAC-SHA256\n${date}\n${scope.join('/')}\n${digest}`).toString('hex'));
  expect(JSON.stringify(upstream.seen)).not.toContain('wJalr');
});
