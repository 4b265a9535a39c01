// `tls` and `proxy` of a domain file as a Connection: authorities, client certificate, TLS version, proxy. Certificates and keys are
// read and checked at start; otherwise every call would fail.

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { originOf } from '../../endpoint/address.ts';
import { type Environment, expand, lookup, needsVariables } from '../../endpoint/environment.ts';
import { freeze } from '../../endpoint/freeze.ts';
import type { ProxyServer, UpstreamConnection } from '../../endpoint/model.ts';
import type { Problem } from '../../endpoint/problems.ts';
import { FILE_MARK, readSecretFile } from '../../endpoint/sources/secret-file.ts';
import { omitUndefined } from '../../endpoint/untrusted.ts';
import { parseProxy } from '../../network/proxy-rules.ts';
import type { DomainDefinition } from './definition-types.ts';

type TlsDefinition = NonNullable<DomainDefinition['tls']>;

export interface ConnectionOptions {
  readonly env: Environment;
  /** The domain file. */
  readonly source?: string;
  /** The base URL that the operator set; undefined if only a document has one. */
  readonly url: string | undefined;
}

export interface ConnectionPlan {
  /** Undefined if the file has neither `tls` nor `proxy`. */
  readonly connection?: UpstreamConnection;
  readonly warnings: readonly string[];
}

export function buildConnection(
  { tls, proxy }: Pick<DomainDefinition, 'tls' | 'proxy'>,
  options: ConnectionOptions,
  problems: Problem[],
): ConnectionPlan {
  if (tls === undefined && proxy === undefined) return { warnings: [] };
  const warnings: string[] = [];
  const origin = originOf(options.url ?? '');
  if (tls !== undefined && origin?.startsWith('http:'))
    problems.push({
      path: ['tls'],
      message: 'applies only to https, and the base URL starts with http://; correct one of them',
    });
  const connection: UpstreamConnection = {
    ...(origin !== undefined && { origin }),
    ...(tls !== undefined && readTls(tls, options, problems, warnings)),
    ...omitUndefined({ proxy: proxy === undefined ? undefined : readProxy(proxy, options.env, problems) }),
  };
  return { connection: freeze(connection), warnings };
}

function readTls(
  tls: TlsDefinition,
  { env, source = '', url }: ConnectionOptions,
  problems: Problem[],
  warnings: string[],
): Partial<UpstreamConnection> {
  const { ca, cert, key, passphraseEnv, passphraseFile, minVersion, serverName } = tls;
  const reportAt = (field: string) => (message: string) => {
    problems.push({ path: ['tls', field], message });
    return undefined;
  };
  const read = (field: string, path: string) => {
    const certificates = readCertificates(beside(path, source), reportAt(field));
    warnings.push(
      ...(certificates ?? []).flatMap((one) => endsSoon(one) ?? []).map((words) => `tls.${field}: ${words}.`),
    );
    return certificates;
  };
  const authorities = ca === undefined ? undefined : [ca].flat().flatMap((path) => read('ca', path) ?? []);
  if (cert === undefined && key !== undefined)
    reportAt('cert')('is missing: name the certificate that belongs to tls.key');
  if (cert !== undefined && key === undefined)
    reportAt('key')('is missing: name the private key that belongs to tls.cert');
  // A client certificate is a credential: the operator, not a document, decides which origin sees it.
  for (const [field, value] of Object.entries({ cert, serverName }))
    if (value !== undefined && url === undefined)
      reportAt(field)(
        'is sent to one origin only, and the file does not name it: add baseUrl (a document may not choose the origin)',
      );
  if (passphraseEnv !== undefined && passphraseFile !== undefined)
    reportAt('passphraseFile')('cannot be combined with passphraseEnv; keep one of them');
  const own = cert === undefined ? undefined : read('cert', cert);
  const variable = passphraseEnv ?? (passphraseFile && FILE_MARK + beside(passphraseFile, source));
  const passphrase = variable === undefined ? undefined : lookup(env, variable);
  const certificate =
    own === undefined || key === undefined
      ? undefined
      : readPair(own, beside(key, source), passphrase, reportAt('key'));
  return omitUndefined({ authorities: authorities?.map(String), certificate, minVersion, serverName });
}

function readPair(
  certificates: readonly X509Certificate[],
  path: string,
  passphrase: string | undefined,
  report: (message: string) => undefined,
): UpstreamConnection['certificate'] {
  const key = readKey(path, passphrase, certificates[0]!, report);
  if (key === undefined) return undefined;
  return { cert: certificates.join(''), key, ...(passphrase !== undefined && { passphrase }) };
}

/** A password in the file itself is refused: domain files are committed. */
function readProxy(template: string, env: Environment, problems: Problem[]): ProxyServer | 'none' | undefined {
  const report = (message: string) => {
    problems.push({ path: ['proxy'], message });
    return undefined;
  };
  if (template === 'none') return 'none';
  const userInfo = /^(?:[a-z]+:\/\/)?([^/@]*)@/i.exec(template)?.[1];
  const password = userInfo?.slice(userInfo.indexOf(':') + 1);
  if (password !== undefined && userInfo!.replaceAll(/\$\{[^{}]*\}/g, '').includes(':') && !password.includes('${'))
    return report(
      'contains a password, and a domain file must not contain secrets: write \u0024{VARIABLE} and set that variable',
    );
  const { text, missing } = expand(encodeUserInfo(template, userInfo, env), env);
  if (missing.length > 0) return report(needsVariables(missing));
  const proxy = parseProxy(text, 'proxy of the domain file');
  return 'problem' in proxy ? report(proxy.problem) : proxy;
}

/** Fills in the user info percent-encoded: a password may contain `@`, `:` and `/`. */
function encodeUserInfo(template: string, userInfo: string | undefined, env: Environment): string {
  if (userInfo === undefined) return template;
  const safeInfo = userInfo
    .split(':')
    .map((part) => {
      const { text, missing } = expand(part, env);
      return missing.length > 0 ? part : encodeURIComponent(text);
    })
    .join(':');
  return template.replace(userInfo, () => safeInfo);
}

function beside(path: string, source: string): string {
  return resolve(dirname(source), path);
}

type Report = (message: string) => undefined;

const MAX_CERTIFICATES = 200;
const SOON_MS = 30 * 24 * 3600 * 1000;
const BEGINNING = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/** The certificates of a PEM file, none of them expired. */
function readCertificates(path: string, report: Report): readonly X509Certificate[] | undefined {
  const file = readSecretFile(path);
  if ('problem' in file) return report(`${path} ${file.problem}`);
  const blocks = splitPem(file.text);
  if (blocks.length === 0) return report(`${path} holds no certificate in PEM form (${BEGINNING})`);
  if (blocks.length > MAX_CERTIFICATES) return report(`${path} holds more than ${MAX_CERTIFICATES} certificates`);
  const certificates: X509Certificate[] = [];
  for (const block of blocks) {
    const certificate = parseCertificate(block);
    if (certificate === undefined) return report(`${path} holds a certificate that cannot be read`);
    const problem = dateProblem(certificate);
    if (problem !== undefined) return report(`${path}: the certificate of ${nameOf(certificate)} ${problem}`);
    certificates.push(certificate);
  }
  return certificates;
}

/** The private key, unchanged from its file. It must belong to the certificate. */
function readKey(
  path: string,
  passphrase: string | undefined,
  certificate: X509Certificate,
  report: Report,
): string | undefined {
  const file = readSecretFile(path);
  if ('problem' in file) return report(`${path} ${file.problem}`);
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: file.text, ...(passphrase !== undefined && { passphrase }) });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isLocked = /ENCRYPTED/.test(file.text);
    if (isLocked && (passphrase === undefined || code === 'ERR_MISSING_PASSPHRASE'))
      return report(`${path} is encrypted with a passphrase; name its variable in passphraseEnv, and set it`);
    return report(
      isLocked ? `${path} cannot be decrypted with this passphrase` : `${path} holds no private key in PEM form`,
    );
  }
  if (!certificate.checkPrivateKey(key)) return report(`${path} is not the key of the certificate in tls.cert`);
  return file.text;
}

/** A warning for a certificate that expires within a month. */
function endsSoon(certificate: X509Certificate): string | undefined {
  const end = Date.parse(certificate.validTo);
  if (end - Date.now() > SOON_MS) return undefined;
  return `the certificate of ${nameOf(certificate)} expires on ${new Date(end).toISOString().slice(0, 10)}`;
}

function dateProblem({ validFrom, validTo }: X509Certificate): string | undefined {
  const now = Date.now();
  if (now > Date.parse(validTo)) return `expired on ${new Date(validTo).toISOString().slice(0, 10)}`;
  if (now < Date.parse(validFrom)) return `is not valid before ${new Date(validFrom).toISOString().slice(0, 10)}`;
  return undefined;
}

function nameOf({ subject }: X509Certificate): string {
  return (/CN=([^\n]+)/.exec(subject)?.[1] ?? subject.replaceAll('\n', ', ')).slice(0, 100);
}

function parseCertificate(block: string): X509Certificate | undefined {
  try {
    return new X509Certificate(block);
  } catch {
    return undefined;
  }
}

function splitPem(text: string): string[] {
  const blocks: string[] = [];
  for (let at = text.indexOf(BEGINNING); at >= 0; at = text.indexOf(BEGINNING, at + 1)) {
    const end = text.indexOf(END, at);
    if (end < 0) break;
    blocks.push(text.slice(at, end + END.length));
  }
  return blocks;
}
