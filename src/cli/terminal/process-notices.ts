// What Node and code from outside would write past the log while a gateway serves: warnings, deprecations, and whatever a domain
// file prints. stderr has nothing but lines of the log, and stdout belongs to the protocol where stdio is on.
import { format } from 'node:util';
import type { Logger } from '../../log.ts';

const MAX_CHARS = 4_000;

const LEVELS = {
  debug: 'debug',
  log: 'info',
  info: 'info',
  warn: 'warn',
  error: 'error',
  trace: 'debug',
} as const;

export function keepNotices(log: Logger): void {
  // Without a listener of Node's own they are switched off (--no-warnings).
  if (process.listenerCount('warning') > 0) {
    process.removeAllListeners('warning');
    process.on('warning', (warning: Error & { readonly code?: string }) => {
      log.warn(
        { warning: warning.name, code: warning.code, detail: warning.message.slice(0, MAX_CHARS) },
        'node warns',
      );
    });
  }
  for (const [method, level] of Object.entries(LEVELS) as [keyof typeof LEVELS, 'info'][])
    console[method] = (...values: unknown[]) => log[level]({ text: format(...values).slice(0, MAX_CHARS) }, 'console');
  // stderr may be closed while serving: calls go on.
  process.stderr.on('error', () => {});
}
