// The certificate of the listeners: its files are read and checked, read again on SIGHUP, and warnings are logged before it expires.
// Mistakes are reported for the setting that names the file, with its line in landbridge.yaml.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { toSectionError } from '../../config/config-file.ts';
import type { Config } from '../../config/read-config.ts';
import { describeFileError } from '../../domain/files/domain-files.ts';
import { GatewayError } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { type ListenerTlsOptions, toTlsServerOptions } from '../../transport/listener-tls.ts';

/** The certificate of the listeners, and how long it is valid. */
export interface TlsFiles {
  readonly options: ListenerTlsOptions;
  /** The host names in the certificate. */
  readonly names: string;
  readonly validFromMs: number;
  readonly validToMs: number;
}

type TlsFile = 'cert' | 'key' | 'clientCa';

/** Undefined if TLS is not configured. Throws if its files cannot be used for a server. */
export function readTlsFiles(config: Config): TlsFiles | undefined {
  const { tls } = config;
  if (tls === undefined) return undefined;
  const refuse = (name: TlsFile, problem: string, cause?: unknown) =>
    toTlsError(config, name, `${tls[name]}: ${problem}`, cause);
  const read = (name: TlsFile, file: string): string => {
    try {
      return readFileSync(file, 'utf8');
    } catch (error) {
      throw refuse(name, describeFileError(error as NodeJS.ErrnoException), error);
    }
  };
  const cert = read('cert', tls.cert);
  const key = read('key', tls.key);
  const clientCa = tls.clientCa === undefined ? undefined : read('clientCa', tls.clientCa);
  const [leaf] = parseCertificates(cert, (problem, cause) => refuse('cert', problem, cause));
  if (clientCa !== undefined) parseCertificates(clientCa, (problem, cause) => refuse('clientCa', problem, cause));
  const privateKey = parseKey(key, (problem, cause) => refuse('key', problem, cause));
  if (!leaf!.checkPrivateKey(privateKey)) throw refuse('key', explainPair(leaf!, privateKey, tls.cert));
  const options: ListenerTlsOptions = {
    cert,
    key,
    ...(clientCa !== undefined && { clientCa }),
    minVersion: tls.minVersion,
  };
  try {
    toTlsServerOptions(options);
  } catch (error) {
    // Each file alone is valid, so the chain is wrong, or the key is too weak for OpenSSL.
    throw refuse('cert', (error as Error).message, error);
  }
  return {
    options,
    names: leaf!.subjectAltName ?? leaf!.subject.replaceAll('\n', ', '),
    validFromMs: Date.parse(leaf!.validFrom),
    validToMs: Date.parse(leaf!.validTo),
  };
}

type Refuse = (problem: string, cause?: unknown) => GatewayError;

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** At least one, the first of them that of the server or authority itself. */
function parseCertificates(text: string, refuse: Refuse): X509Certificate[] {
  const blocks = text.match(PEM) ?? [];
  if (blocks.length === 0) throw refuse('holds no certificate in PEM (-----BEGIN CERTIFICATE-----)');
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch (error) {
      throw refuse(`certificate ${index + 1} of ${blocks.length} cannot be read (${(error as Error).message})`, error);
    }
  });
}

function parseKey(text: string, refuse: Refuse): KeyObject {
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text))
    throw refuse('holds no private key in PEM (-----BEGIN PRIVATE KEY-----)');
  try {
    return createPrivateKey(text);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_MISSING_PASSPHRASE')
      throw refuse('is encrypted; "openssl pkey -in <file> -out <new file>" removes the passphrase', error);
    throw refuse(`cannot be read as a private key (${message})`, error);
  }
}

function explainPair({ publicKey }: X509Certificate, privateKey: KeyObject, cert: string): string {
  const [theirs, ours] = [publicKey.asymmetricKeyType, privateKey.asymmetricKeyType].map((type) => type?.toUpperCase());
  const kinds = theirs === ours ? '' : `: the certificate is for a key of type ${theirs}, and this is of type ${ours}`;
  return `is not the key of the certificate ${cert}${kinds}`;
}

const ORIGINS = { cert: 'tlsCert', key: 'tlsKey', clientCa: 'tlsClientCa' } as const;

/** Names the source of the file name: a flag, a variable, or a line of landbridge.yaml. */
function toTlsError({ origins, tls }: Config, name: TlsFile, message: string, cause: unknown): GatewayError {
  const origin = origins.get(ORIGINS[name]);
  if (origin === undefined) return toSectionError(tls!, [{ path: ['tls', name], message }]);
  return new GatewayError('BAD_CONFIG', `tls.${name} (${origin.where}): ${message}.`, {}, cause);
}

const DAY_MS = 86_400_000;
/** Automatic renewal happens earlier than this, so a warning means that it failed, and leaves time for a repair. */
const NEAR_DAYS = 14;

export interface CertificateWatch {
  /** When the certificate in use expires. */
  readonly validToMs: number;
  /** Reads the files again. If they cannot be used, logs that and keeps the old certificate. */
  renew(show: (tls: ListenerTlsOptions) => void): void;
  close(): void;
}

export function watchCertificate(config: Config, first: TlsFiles, log: Logger): CertificateWatch {
  let current = first;
  logExpiry(current, log, true);
  const daily = setInterval(() => logExpiry(current, log, false), DAY_MS).unref();
  return {
    get validToMs() {
      return current.validToMs;
    },
    renew(show) {
      try {
        const next = readTlsFiles(config)!;
        refuseExpired(next, current);
        show(next.options);
        current = next;
        logExpiry(current, log, true);
      } catch (error) {
        log.error(
          { why: (error as Error).message, expires: toDay(current.validToMs) },
          'the certificate could not be renewed: the old one stays in use',
        );
      }
    },
    close: () => clearInterval(daily),
  };
}

/** Refuses an expired certificate as replacement for a valid one: that is a mistake. */
function refuseExpired(next: TlsFiles, current: TlsFiles): void {
  const now = Date.now();
  if (next.validToMs <= now && current.validToMs > now)
    throw new Error(`the new certificate expired on ${toDay(next.validToMs)}, but the one in use has not`);
}

function logExpiry({ names, validFromMs, validToMs }: TlsFiles, log: Logger, isNew: boolean): void {
  const now = Date.now();
  const days = Math.floor((validToMs - now) / DAY_MS);
  const facts = { names, expires: toDay(validToMs), days };
  if (validToMs <= now) log.error(facts, 'the certificate has expired: clients refuse it. Renew it, then send SIGHUP');
  else if (validFromMs > now) log.warn({ ...facts, from: new Date(validFromMs) }, 'the certificate is not valid yet');
  else if (days < NEAR_DAYS) log.warn(facts, 'the certificate expires soon: renew it, then send SIGHUP');
  else if (isNew) log.info(facts, 'certificate');
}

function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
