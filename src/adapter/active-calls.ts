// The calls in progress. When the process ends, each of them is answered with an error that says what it has done, instead of a
// closed socket.
import type { ExecutionContext } from '../call/execution-context.ts';
import { GatewayError } from '../errors.ts';
import { type ActiveItem, ActiveSet } from '../event-loop/active-set.ts';

/** After this time a retry makes sense: another instance answers, or this one has restarted. */
export const RETRY_AFTER_SHUTDOWN_SECONDS = 5;

interface ActiveCall extends ActiveItem {
  readonly context: ExecutionContext;
  readonly reject: (error: GatewayError) => void;
}

export class ActiveCalls {
  readonly #calls = new ActiveSet<ActiveCall>();
  #isClosed = false;

  get size(): number {
    return this.#calls.size;
  }

  /** True once the process is ending: it does not wait for any call. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * The result of the work, or SHUTTING_DOWN if the process ends first. The work then continues, but its result is
   * dropped.
   */
  orShutdown<Result>(context: ExecutionContext, work: Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (this.#isClosed) {
        work.catch(() => {});
        reject(shuttingDown(context));
        return;
      }
      const call: ActiveCall = { context, reject, index: 0 };
      this.#calls.add(call);
      work.then(
        (result) => {
          if (!this.#isClosed) this.#calls.remove(call);
          resolve(result);
        },
        (error: unknown) => {
          if (!this.#isClosed) this.#calls.remove(call);
          reject(error);
        },
      );
    });
  }

  /** Rejects all calls in progress. From now on, new ones are refused. */
  rejectAll(): void {
    this.#isClosed = true;
    for (const { context, reject } of this.#calls.takeAll()) reject(shuttingDown(context));
  }

  refuseAfterShutdown(context: ExecutionContext): void {
    if (this.#isClosed) throw shuttingDown(context);
  }
}

function shuttingDown({ label, journal }: ExecutionContext): GatewayError {
  const advice = journal.mayHaveChanged
    ? 'The request may have taken effect: check that before repeating it.'
    : `Nothing was changed, so it is safe to call again in ${RETRY_AFTER_SHUTDOWN_SECONDS} s.`;
  return new GatewayError('SHUTTING_DOWN', `${label}: the gateway is shutting down. ${advice}`, {
    tool: label,
    retry_after_seconds: RETRY_AFTER_SHUTDOWN_SECONDS,
  });
}
