// AWS Signature Version 4: the headers that sign one request. It takes only a few hashes of node:crypto; a package would add an
// HTTP client or its own search for credentials, but the operator decides which variables are read.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
import { createHash, createHmac } from 'node:crypto';
import type { Credential } from '../../endpoint/credential';
import { decodeText } from '../../endpoint/untrusted';
import type { WireRequest } from '../../executor/request/build-request';
import { encode } from '../../endpoint/wire-text';

export type SigningCredential = Extract<Credential, { kind: 'awsSigv4' }>;

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** The request with its date and signature; every other header of ours may be rewritten on the way and is not signed. */
export function signRequest(request: WireRequest, credential: SigningCredential, at: Date): WireRequest {
  const { region, service, accessKeyId, secretAccessKey, sessionToken } = credential;
  const date = at.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const payload = hash(request.body ?? '');
  const headers: Record<string, string> = { ...request.headers, 'x-amz-date': date };
  // S3 asks for it; the others only compare the signature.
  if (service === 's3') headers['x-amz-content-sha256'] = payload;
  if (sessionToken?.value !== undefined) headers['x-amz-security-token'] = sessionToken.value;

  const signed: Record<string, string> = { host: new URL(request.origin).host };
  for (const [name, value] of Object.entries(headers))
    if (name === 'content-type' || name.startsWith('x-amz-')) signed[name] = value.trim().replaceAll(/ {2,}/g, ' ');
  const names = Object.keys(signed).sort();
  const mark = request.path.indexOf('?');
  const path = mark < 0 ? request.path : request.path.slice(0, mark);
  const canonical = [
    request.method,
    canonicalPath(path, service),
    mark < 0 ? '' : canonicalQuery(request.path.slice(mark + 1)),
    ...names.map((name) => `${name}:${signed[name]}`),
    '',
    names.join(';'),
    payload,
  ].join('\n');

  const day = date.slice(0, 8);
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = [ALGORITHM, date, scope, hash(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    (previous, part) => hmac(previous, part),
    `AWS4${secretAccessKey.value ?? ''}`,
  );
  const signature = hmac(key, text).toString('hex');
  headers.authorization = `${ALGORITHM} Credential=${accessKeyId.value ?? ''}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...request, headers };
}

/** Strictly encoded; for every service but S3, whose keys may hold anything, normalised and encoded once more. */
function canonicalPath(path: string, service: string): string {
  const isS3 = service === 's3';
  const once = (isS3 ? path : normalise(path)).split('/').map((segment) => encode(decodeText(segment)));
  return (isS3 ? once : once.map(encode)).join('/') || '/';
}

/** RFC 3986, 6.2.2.3, as AWS's own signers read it: empty segments are left out as well, and `/a/.` is `/a`. */
function normalise(path: string): string {
  const out: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') out.pop();
    else if (segment !== '' && segment !== '.') out.push(segment);
  }
  const end = out.length > 0 && path.endsWith('/') ? '/' : '';
  return `/${out.join('/')}${end}`;
}

function canonicalQuery(query: string): string {
  const pairs = query.split('&').filter((pair) => pair !== '');
  const parameters = pairs.map((pair) => {
    const [name = '', ...rest] = pair.replaceAll('+', ' ').split('=');
    return [encode(decodeText(name)), encode(decodeText(rest.join('=')))] as const;
  });
  const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return parameters
    .sort((a, b) => order(a[0], b[0]) || order(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function hash(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
