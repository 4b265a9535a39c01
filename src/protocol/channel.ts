// What a request sends before its answer (progress, log messages). Shut with the answer or the cancellation: nothing may
// follow either (S:basic/patterns/progress and cancellation).

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
