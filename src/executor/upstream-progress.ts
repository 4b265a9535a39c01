// Progress of calls that last: what was sent, how long we wait, what has come back. At most one report a second, the
// first after a second, each larger than the one before (MCP demands that).
import type { ReportProgress } from '../call/caller.ts';
import type { Watch } from './send.ts';

export interface ProgressWatch extends Watch {
  stop(): void;
}

const INTERVAL_MS = 1_000;
/** Larger bodies are handed over in slices, so that one can see them leave. */
const SLICE_BYTES = 64 * 1024;
const SLICED_FROM_BYTES = 4 * SLICE_BYTES;

export function watchProgress(report: ReportProgress): ProgressWatch {
  let sent = 0;
  let toSend = 0;
  let received = 0;
  let expected: number | undefined;
  let seconds = 0;
  let last = 0;
  const timer = setInterval(() => {
    seconds++;
    const value = sent + received + seconds;
    if (value <= last) return;
    last = value;
    if (received > 0) {
      const total = expected === undefined ? undefined : Math.max(sent + seconds + expected, value);
      report(value, total, `received ${bytes(received)}${expected === undefined ? '' : ` of ${bytes(expected)}`}`);
    } else if (sent < toSend) {
      report(value, undefined, `sent ${bytes(sent)} of ${bytes(toSend)}`);
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
        sent = buffer.length;
        return buffer;
      }
      return (function* () {
        for (let at = 0; at < buffer.length; at += SLICE_BYTES) {
          yield buffer.subarray(at, at + SLICE_BYTES);
          sent = Math.min(buffer.length, at + SLICE_BYTES);
        }
      })();
    },
    received(count, total) {
      received = count;
      expected = total;
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
