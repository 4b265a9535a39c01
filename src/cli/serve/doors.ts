// What both listeners share: the files of TLS, who is known by a certificate, and the account of whoever was turned away.
import { readFileSync } from 'node:fs';
import { toSectionError } from '../../config/config-file.ts';
import { checkProfiles } from '../../config/key-sources.ts';
import type { Config } from '../../config/read-config.ts';
import { reason } from '../../domain/files/domain-files.ts';
import { GatewayError } from '../../errors.ts';
import { type CertificateCheck, createCertificateCheck } from '../../identity/certificates.ts';
import type { Logger } from '../../log.ts';
import { createRefusals, type Refusals } from '../../transport/door/refusals.ts';
import type { TlsOptions } from '../../transport/door/tls.ts';
import { isLoopback } from '../../transport/listen.ts';

/** The texts behind the files of `tls`. */
export function readTls({ tls }: Config): TlsOptions | undefined {
  if (tls === undefined) return undefined;
  const { cert, key, clientCa, minVersion } = tls;
  return {
    cert: readPem('cert', cert),
    key: readPem('key', key),
    ...(clientCa !== undefined && { clientCa: readPem('clientCa', clientCa) }),
    minVersion,
  };
}

function readPem(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new GatewayError('BAD_CONFIG', `tls.${name}: ${file}: ${reason(error as NodeJS.ErrnoException)}`, {}, error);
  }
}

/** Undefined where nobody may come in by a certificate. */
export function openCertificates({ auth, tls }: Config, profiles: readonly string[]): CertificateCheck | undefined {
  const rules = auth?.certificates;
  if (tls?.clientCa === undefined) {
    if (rules === undefined) return undefined;
    const message = 'needs tls.clientCa: the authority that has signed them (--tls-client-ca)';
    throw toSectionError(auth!, [{ path: ['auth', 'certificates'], message }]);
  }
  const problems = (rules ?? []).flatMap((rule, index) =>
    checkProfiles(rule, ['auth', 'certificates', index], profiles),
  );
  if (problems.length > 0) throw toSectionError(auth!, problems);
  return createCertificateCheck(rules);
}

export function openRefusals(log: Logger): Refusals {
  return createRefusals((facts, message) => log.warn(facts, message));
}

const IN_THE_CLEAR =
  'Keys and tokens sent to the TCP port can be read on the way: it has no TLS. Name a certificate and its key (tls, --tls-cert, --tls-key).';

/** What an operator should know of the doors: what is sent to a proxy's port stays on its machine, to another it does not. */
export function listDoorWarnings({ host, tcp, tls }: Config, isAuthenticated: boolean): string[] {
  return tcp !== undefined && tls === undefined && isAuthenticated && !isLoopback(host) ? [IN_THE_CLEAR] : [];
}
