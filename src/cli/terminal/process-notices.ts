// Sends output that would bypass the log to the log: warnings and deprecations of Node, and whatever a domain file prints. stderr
// has only lines of the log, and with stdio stdout belongs to the protocol.
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
  // Without a listener, warnings are switched off (--no-warnings).
  if (process.listenerCount('warning') > 0) {
    process.removeAllListeners('warning');
    process.on('warning', (warning: Error & { readonly code?: string }) => {
      log.warn(
        { warning: warning.name, code: warning.code, detail: warning.message.slice(0, MAX_CHARS) },
        'Node.js warning',
      );
    });
  }
  for (const [method, level] of Object.entries(LEVELS) as [keyof typeof LEVELS, 'info'][])
    console[method] = (...values: unknown[]) => log[level]({ text: format(...values).slice(0, MAX_CHARS) }, 'console');
  // stderr may be closed while the gateway serves; without a listener, the error would end the process.
  process.stderr.on('error', () => {});
}
