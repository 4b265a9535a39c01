// What a process that serves prints besides its log: the announcement, once. Everything else that would reach stdout or stderr goes
// to the log: stderr has only lines of the log, and with stdio stdout belongs to the protocol.
import { format } from 'node:util';
import type { Logger } from '../../log.ts';
import type { Announcement } from '../../workers/worker-messages.ts';
import type { Io, Output } from '../io.ts';

const MAX_CHARS = 4_000;

const LEVELS = {
  debug: 'debug',
  log: 'info',
  info: 'info',
  warn: 'warn',
  error: 'error',
  trace: 'debug',
} as const;

/** Logs the warnings and deprecations of Node.js, and whatever a domain file prints. */
export function logProcessNotices(log: Logger): void {
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

/** Announces that the gateway is up. With workers, the primary does it for them. */
export function writeAnnouncement(io: Io, { stdout, stderr, lines }: Announcement, log: Logger): void {
  for (const { level, facts, message } of lines) log[level](facts, message);
  writeOrIgnore(io.stdout, stdout);
  writeOrIgnore(io.stderr, stderr);
}

/**
 * The gateway keeps serving if the output is closed or the disk is full: writing to a file throws then, even an empty text, and
 * a stream emits an error, which would end any other command.
 */
function writeOrIgnore(out: Output, text: string): void {
  if (text === '') return;
  out.removeAllListeners('error').on('error', () => {});
  try {
    out.write(text);
  } catch {
    // The output cannot be written, so this cannot be reported either.
  }
}
