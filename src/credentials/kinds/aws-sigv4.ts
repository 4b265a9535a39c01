// AWS Signature Version 4: headers that sign one request. It takes only a few hashes of node:crypto; a package would add an HTTP
// client or its own search for credentials, but the operator decides which variables are read.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
import { createHash, createHmac } from 'node:crypto';
import type { Credential, Secret } from '../../endpoint/credential.ts';
import { type Environment, lookup } from '../../endpoint/environment.ts';
import { decodePercent } from '../../endpoint/untrusted.ts';
import { encode } from '../../endpoint/wire-text.ts';
import {
  AUTHORIZATION,
  type CredentialKind,
  hiddenText,
  type ShapeTools,
  type SignableRequest,
  withoutValue,
} from '../credential-kind.ts';
import { type SecretField, secretFields } from '../secret-fields.ts';

export interface AwsSigv4Credential extends Credential {
  readonly kind: 'awsSigv4';
  readonly accessKeyId: Secret;
  readonly secretAccessKey: Secret;
  /** Set for temporary keys only. */
  readonly sessionToken?: Secret;
  readonly region: string;
  /** The name requests are signed for, `dynamodb`. */
  readonly service: string;
}

export const AWS_KEYS = {
  accessKeyIdEnv: {
    description:
      'The environment variable that holds the access key id. Default: `AWS_ACCESS_KEY_ID`, if the file has `kind: awsSigv4` and no key; then also `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.',
    example: 'AWS_ACCESS_KEY_ID',
    short: 'aws_key_id',
  },
  secretAccessKeyEnv: {
    description: 'The environment variable that holds the secret access key.',
    example: 'AWS_SECRET_ACCESS_KEY',
    short: 'aws_key',
  },
  sessionTokenEnv: {
    description: 'The environment variable that holds the session token of temporary keys.',
    example: 'AWS_SESSION_TOKEN',
    short: 'aws_session',
  },
} as const satisfies Record<string, SecretField>;

/** The variables that all tools of AWS read; used if a domain file asks for signatures and names no others. */
const AWS_VARIABLES = {
  accessKeyIdEnv: 'AWS_ACCESS_KEY_ID',
  secretAccessKeyEnv: 'AWS_SECRET_ACCESS_KEY',
  sessionTokenEnv: 'AWS_SESSION_TOKEN',
};
const AWS_REGIONS = ['AWS_REGION', 'AWS_DEFAULT_REGION'];

export function regionShape({ about, text, withDefault }: ShapeTools) {
  return about(
    text,
    withDefault(
      'The region for which requests are signed.',
      'with `kind: awsSigv4`, the environment variable `AWS_REGION` or `AWS_DEFAULT_REGION`',
    ),
    'eu-central-1',
  );
}

export function serviceShape({ about, text }: ShapeTools) {
  return about(text, 'The service for which requests are signed.', 'dynamodb');
}

const shape = (tools: ShapeTools) =>
  tools
    .closed({
      kind: tools.about(tools.z.literal('awsSigv4'), 'Signs every request (AWS Signature Version 4).', 'awsSigv4'),
      ...secretFields(tools, AWS_KEYS),
      region: regionShape(tools).exactOptional(),
      service: serviceShape(tools),
    })
    .meta({ id: 'awsSigv4' });

const ALGORITHM = 'AWS4-HMAC-SHA256';

export const awsSigv4: CredentialKind<AwsSigv4Credential, typeof shape> = {
  shape,
  variableFields: ['accessKeyIdEnv', 'secretAccessKeyEnv', 'sessionTokenEnv'],
  requiredFields: ['accessKeyIdEnv', 'secretAccessKeyEnv'],
  complete: withAwsVariables,
  build: (name, definition, { secret }) => ({
    kind: 'awsSigv4',
    name,
    accessKeyId: secret(definition.accessKeyIdEnv),
    secretAccessKey: secret(definition.secretAccessKeyEnv),
    ...(definition.sessionTokenEnv === undefined ? {} : { sessionToken: secret(definition.sessionTokenEnv) }),
    region: definition.region ?? '',
    service: definition.service,
  }),
  secrets: ({ accessKeyId, secretAccessKey, sessionToken }) => [
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? [] : [sessionToken]),
  ],
  // Only temporary keys have a session token.
  missing: ({ accessKeyId, secretAccessKey }) => withoutValue([accessKeyId, secretAccessKey]),
  hiddenTexts: (credential) => awsSigv4.secrets(credential).slice(1).flatMap(hiddenText),
  place: () => AUTHORIZATION,
  proof: { type: 'signature', placeholder: `${ALGORITHM} [redacted]`, sign },
  describe: ({ service, region }) => `AWS Signature Version 4 for ${service} in ${region}`,
};

function withAwsVariables(
  definition: Readonly<Record<string, unknown>>,
  env: Environment,
  say: (field: string, message: string) => void,
): Record<string, unknown> {
  const { accessKeyIdEnv, secretAccessKeyEnv, sessionTokenEnv } = definition;
  const namesNone = [accessKeyIdEnv, secretAccessKeyEnv, sessionTokenEnv].every((variable) => variable === undefined);
  const region = definition.region ?? AWS_REGIONS.map((name) => lookup(env, name)).find((value) => value !== undefined);
  if (region === undefined) say('region', `is missing: write it, or set ${AWS_REGIONS[0]}`);
  return { ...definition, ...(namesNone && AWS_VARIABLES), region: region ?? '' };
}

/**
 * The request with its date and signature. The gateway's other headers are not signed, because they may be rewritten on
 * the way.
 */
function sign<Request extends SignableRequest>(request: Request, credential: AwsSigv4Credential, at: Date): Request {
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

/** Strictly encoded. For all services but S3, whose object keys may contain anything, it is normalised first and encoded twice. */
function canonicalPath(path: string, service: string): string {
  const isS3 = service === 's3';
  const once = (isS3 ? path : normalise(path)).split('/').map((segment) => encode(decodePercent(segment)));
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
    return [encode(decodePercent(name)), encode(decodePercent(rest.join('=')))] as const;
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
