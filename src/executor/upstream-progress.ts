// Progress of slow calls: bytes sent, time waited, bytes received. At most one report a second, the first after a second, each with a
// larger value than the one before, as MCP requires.
import type { ReportProgress } from '../call/caller.ts';
import type { TransferObserver } from './send.ts';

export interface ProgressWatch extends TransferObserver {
  stop(): void;
}

const INTERVAL_MS = 1_000;
/** Larger bodies are passed on in slices of this size, so that their progress can be seen. */
const SLICE_BYTES = 64 * 1024;
const SLICED_FROM_BYTES = 4 * SLICE_BYTES;

export function watchProgress(report: ReportProgress): ProgressWatch {
  let sentBytes = 0;
  let toSend = 0;
  let receivedBytes = 0;
  let expectedBytes: number | undefined;
  let seconds = 0;
  let last = 0;
  const timer = setInterval(() => {
    seconds++;
    const value = sentBytes + receivedBytes + seconds;
    if (value <= last) return;
    last = value;
    if (receivedBytes > 0) {
      const total = expectedBytes === undefined ? undefined : Math.max(sentBytes + seconds + expectedBytes, value);
      report(
        value,
        total,
        `received ${bytes(receivedBytes)}${expectedBytes === undefined ? '' : ` of ${bytes(expectedBytes)}`}`,
      );
    } else if (sentBytes < toSend) {
      report(value, undefined, `sent ${bytes(sentBytes)} of ${bytes(toSend)}`);
    } else {
      report(value, undefined, `waiting for the API (${seconds} s)`);
    }
  }, INTERVAL_MS);
  timer.unref();

  return {
    body(data) {
      const buffer = typeof data === 'string' ? Buffer.from(data) : data;
      toSend = buffer.length;
      if (buffer.length < SLICED_FROM_BYTES) {
        sentBytes = buffer.length;
        return buffer;
      }
      return (function* () {
        for (let at = 0; at < buffer.length; at += SLICE_BYTES) {
          yield buffer.subarray(at, at + SLICE_BYTES);
          sentBytes = Math.min(buffer.length, at + SLICE_BYTES);
        }
      })();
    },
    received(count, total) {
      receivedBytes = count;
      expectedBytes = total;
    },
    stop() {
      clearInterval(timer);
    },
  };
}

function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  return count < 1024 * 1024 ? `${Math.round(count / 1024)} KB` : `${(count / 1024 / 1024).toFixed(1)} MB`;
}
