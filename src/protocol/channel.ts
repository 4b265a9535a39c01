// What a request sends before its answer (progress, log messages). Shut with the answer or the cancellation: nothing may
// follow either (S:basic/patterns/progress and cancellation).
import type { ReportProgress, WriteLog } from '../call/caller.ts';
import type { Redaction } from '../orchestration/redaction.ts';
import { passesLevel } from './eras.ts';
import { type Params, writeNotification } from './wire/jsonrpc.ts';

export interface Channel {
  readonly send: (message: string) => void;
  shut(): void;
}

export function createChannel(send: (message: string) => void, signal: AbortSignal): Channel {
  let open = true;
  return {
    send: (message) => {
      if (open && !signal.aborted) send(message);
    },
    shut: () => {
      open = false;
    },
  };
}

export function progressTokenOf(params: Params | undefined): string | number | undefined {
  const token = (params?._meta as Params | null | undefined)?.progressToken;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/** Progress must grow with every notification (S:basic/patterns/progress). */
export function createProgress(
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

/** Log messages to the client, from `bar` upward. */
export function createLog(send: (message: string) => void, bar: string | undefined, redaction: Redaction): WriteLog {
  return (level, data) => {
    if (!passesLevel(level, bar ?? 'debug')) return;
    send(writeNotification('notifications/message', { level, data: redaction.value(data) }));
  };
}
