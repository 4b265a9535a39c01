// Notifications of a request before its answer: progress and log messages. None may follow the answer or a cancellation
// (S:basic/patterns/progress and cancellation).
import type { ReportProgress, WriteLog } from '../call/caller.ts';
import type { Redaction } from '../orchestration/redaction.ts';
import { isAtLeast } from './eras.ts';
import { type MessageParams, writeNotification } from './wire/jsonrpc.ts';

export interface NotificationChannel {
  readonly send: (message: string) => void;
  close(): void;
}

export function createChannel(send: (message: string) => void, signal: AbortSignal): NotificationChannel {
  let isOpen = true;
  return {
    send: (message) => {
      if (isOpen && !signal.aborted) send(message);
    },
    close: () => {
      isOpen = false;
    },
  };
}

export function progressTokenOf(params: MessageParams | undefined): string | number | undefined {
  const token = (params?._meta as MessageParams | null | undefined)?.progressToken;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/** Progress must grow with every notification (S:basic/patterns/progress). */
export function createProgressReporter(
  progressToken: string | number,
  send: (message: string) => void,
  redaction: Redaction,
): ReportProgress {
  let last = Number.NEGATIVE_INFINITY;
  return (progress, total, message) => {
    if (!(progress > last)) return;
    last = progress;
    send(
      writeNotification('notifications/progress', {
        progressToken,
        progress,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message: redaction.text(message) }),
      }),
    );
  };
}

/** Sends log messages from `minLevel` upward to the client. */
export function createClientLog(
  send: (message: string) => void,
  minLevel: string | undefined,
  redaction: Redaction,
): WriteLog {
  return (level, data) => {
    if (!isAtLeast(level, minLevel ?? 'debug')) return;
    send(writeNotification('notifications/message', { level, data: redaction.value(data) }));
  };
}
