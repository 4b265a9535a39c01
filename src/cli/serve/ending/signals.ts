// What this process does when somebody outside, or a bug within, tells it to stop or to look at its files again.
import type { Primary } from '../../../workers/in-worker.ts';
import type { Parts } from '../open-parts.ts';
import { renewTls, type Transports } from '../start-transports.ts';
import { createSecondSignal } from './second-signal.ts';
import type { Stopping } from './stopping.ts';

/** `primary`: who gets the signals, where this process is one of several. */
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
    // It says so twice when it goes away while this process stops.
    primary.onStop((why) => stopping.hasBegun || end(why));
    primary.onHangUp(hangUp);
  } else {
    process.on('SIGTERM', () => end('SIGTERM'));
    process.on('SIGINT', () => end('SIGINT'));
    process.on('SIGHUP', hangUp);
  }
  // Even a hasty end is signed.
  process.on('exit', () => audit?.close());
  // A bug nobody foresaw: say so, let the others finish, and go. Carrying on could answer with half-changed state.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception');
    end('uncaughtException', 1);
  });
  process.on('unhandledRejection', (error) => {
    log.fatal({ err: error }, 'unhandled rejection');
    end('unhandledRejection', 1);
  });
  // Stopping ends stdin itself, and is no second signal.
  const { http, tcp, stdio } = transports;
  if (stdio && !http && !tcp) void stdio.finished.then(() => stopping.hasBegun || end('stdin ended'));
}

/** logrotate says by it that the audit file has another name now, and whoever renews certificates that there is a new one. */
function readAgain({ log, audit, certificate }: Parts, transports: Transports): void {
  log.info(
    { audit: audit !== undefined, tls: certificate !== undefined },
    'SIGHUP: audit file and certificate are opened again',
  );
  audit?.reopen();
  certificate?.renew((tls) => renewTls(transports, tls));
}
