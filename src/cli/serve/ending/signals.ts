// What this process does when somebody outside, or a bug within, tells it to stop or to open its audit file and certificate again.
import type { Primary } from '../../../workers/in-worker.ts';
import type { Parts } from '../open-parts.ts';
import { renewTls, type Transports } from '../start-transports.ts';
import { createSecondSignal } from './second-signal.ts';
import type { Stopping } from './stopping.ts';

/** `primary` receives the signals if this process is a worker. */
export function heedSignals(
  parts: Parts,
  transports: Transports,
  stopping: Stopping,
  primary?: Pick<Primary, 'onStop' | 'onHangUp'>,
): void {
  const { log, audit } = parts;
  let isSecond = () => false;
  const end = (why: string, code = 0) => {
    if (stopping.hasBegun) {
      if (code === 0 && !isSecond()) return;
      process.exit(code === 0 ? 130 : code);
    }
    isSecond = createSecondSignal();
    void stopping.stop(why, code).then((status) => process.exit(status));
  };
  const hangUp = () => readAgain(parts, transports);
  if (primary) {
    // The primary says it twice if it goes away while this process is stopping.
    primary.onStop((why) => stopping.hasBegun || end(why));
    primary.onHangUp(hangUp);
  } else {
    process.on('SIGTERM', () => end('SIGTERM'));
    process.on('SIGINT', () => end('SIGINT'));
    process.on('SIGHUP', hangUp);
  }
  // Signs the audit trail even if the process ends without a proper stop.
  process.on('exit', () => audit?.close());
  // An unexpected bug: log it, let other calls finish, and end. Going on could produce answers from half-changed state.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    end('uncaughtException', 1);
  });
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'unhandled rejection');
    end('unhandledRejection', 1);
  });
  // Stopping closes stdin itself; that must not count as a second signal.
  const { http, tcp, stdio } = transports;
  if (stdio && !http && !tcp) void stdio.finished.then(() => stopping.hasBegun || end('stdin ended'));
}

/** SIGHUP: logrotate has renamed the audit file, or the certificate was renewed. */
function readAgain({ log, audit, certificate }: Parts, transports: Transports): void {
  log.info(
    { audit: audit !== undefined, tls: certificate !== undefined },
    'SIGHUP: audit file and certificate are opened again',
  );
  audit?.reopen();
  certificate?.renew((tls) => renewTls(transports, tls));
}
