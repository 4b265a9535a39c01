// `tls` and `proxy` of a domain file as a Connection: authorities, client certificate, TLS version, proxy.

import type { X509Certificate } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { originOf } from '../../../endpoint/address.ts';
import { type Environment, expand, lookup, needsVariables } from '../../../endpoint/environment.ts';
import { freeze } from '../../../endpoint/freeze.ts';
import type { Connection, ProxyServer } from '../../../endpoint/model.ts';
import type { Problem } from '../../../endpoint/problems.ts';
import { FILE_MARK } from '../../../endpoint/sources/secret-file.ts';
import { omitUndefined } from '../../../endpoint/untrusted.ts';
import { parseProxy } from '../../../network/proxy-rules.ts';
import type { DomainDefinition } from '../definition-types.ts';
import { endsSoon, readCertificates, readKey } from './read-certificates.ts';

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
  readonly connection?: Connection;
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
  const connection: Connection = {
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
): Partial<Connection> {
  const { ca, cert, key, passphraseEnv, passphraseFile, minVersion, serverName } = tls;
  const sayAt = (field: string) => (message: string) => {
    problems.push({ path: ['tls', field], message });
    return undefined;
  };
  const read = (field: string, path: string) => {
    const certificates = readCertificates(beside(path, source), sayAt(field));
    warnings.push(
      ...(certificates ?? []).flatMap((one) => endsSoon(one) ?? []).map((words) => `tls.${field}: ${words}.`),
    );
    return certificates;
  };
  const authorities = ca === undefined ? undefined : [ca].flat().flatMap((path) => read('ca', path) ?? []);
  if (cert === undefined && key !== undefined)
    sayAt('cert')('is missing: name the certificate that belongs to tls.key');
  if (cert !== undefined && key === undefined)
    sayAt('key')('is missing: name the private key that belongs to tls.cert');
  // A client certificate is a credential: the operator, not a document, decides which origin sees it.
  for (const [field, value] of Object.entries({ cert, serverName }))
    if (value !== undefined && url === undefined)
      sayAt(field)(
        'is sent to one origin only, and the file does not name it: add baseUrl (a document may not choose the origin)',
      );
  if (passphraseEnv !== undefined && passphraseFile !== undefined)
    sayAt('passphraseFile')('cannot be combined with passphraseEnv; keep one of them');
  const own = cert === undefined ? undefined : read('cert', cert);
  const variable = passphraseEnv ?? (passphraseFile && FILE_MARK + beside(passphraseFile, source));
  const passphrase = variable === undefined ? undefined : lookup(env, variable);
  const certificate =
    own === undefined || key === undefined ? undefined : readPair(own, beside(key, source), passphrase, sayAt('key'));
  return omitUndefined({ authorities: authorities?.map(String), certificate, minVersion, serverName });
}

function readPair(
  certificates: readonly X509Certificate[],
  path: string,
  passphrase: string | undefined,
  say: (message: string) => undefined,
): Connection['certificate'] {
  const key = readKey(path, passphrase, certificates[0]!, say);
  if (key === undefined) return undefined;
  return { cert: certificates.join(''), key, ...(passphrase !== undefined && { passphrase }) };
}

/** A password in the file itself is refused: domain files are committed. */
function readProxy(template: string, env: Environment, problems: Problem[]): ProxyServer | 'none' | undefined {
  const say = (message: string) => {
    problems.push({ path: ['proxy'], message });
    return undefined;
  };
  if (template === 'none') return 'none';
  const userInfo = /^(?:[a-z]+:\/\/)?([^/@]*)@/i.exec(template)?.[1];
  const password = userInfo?.slice(userInfo.indexOf(':') + 1);
  if (password !== undefined && userInfo!.replaceAll(/\$\{[^{}]*\}/g, '').includes(':') && !password.includes('${'))
    return say(
      'contains a password, and a domain file must not contain secrets: write \u0024{VARIABLE} and set that variable',
    );
  const { text, missing } = expand(encodeUserInfo(template, userInfo, env), env);
  if (missing.length > 0) return say(needsVariables(missing));
  const proxy = parseProxy(text, 'proxy of the domain file');
  return 'problem' in proxy ? say(proxy.problem) : proxy;
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
