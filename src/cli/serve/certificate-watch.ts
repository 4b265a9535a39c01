// The certificate in use while the process runs: read again on SIGHUP, with warnings before it expires.
import type { Config } from '../../config/read-config.ts';
import type { Logger } from '../../log.ts';
import type { TlsOptions } from '../../transport/door/tls.ts';
import { readTlsFiles, type TlsFiles } from './tls-files.ts';

const DAY_MS = 86_400_000;
/** Automatic renewal happens earlier than this, so a warning means that it failed, and leaves time for a repair. */
const NEAR_DAYS = 14;

export interface CertificateWatch {
  /** When the certificate that is shown now ends. */
  readonly validToMs: number;
  /** Reads the files again. If they cannot be used, that is logged and the old certificate stays in use. */
  renew(show: (tls: TlsOptions) => void): void;
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
        refuseWorse(next, current);
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
function refuseWorse(next: TlsFiles, current: TlsFiles): void {
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
