// The calls in progress. When the process ends, each of them is answered with an error that says what became of it, instead of a
// closed socket.
import type { ExecutionContext } from '../call/execution-context.ts';
import { type Listed, Roster } from '../call/roster.ts';
import { GatewayError } from '../errors.ts';

/** When a retry makes sense: by then another instance answers, or this one has been restarted. */
export const BACK_IN_SECONDS = 5;

interface OpenCall extends Listed {
  readonly context: ExecutionContext;
  readonly reject: (error: GatewayError) => void;
}

export class UnderWay {
  readonly #open = new Roster<OpenCall>();
  #isOver = false;

  /** How many there are. */
  get size(): number {
    return this.#open.size;
  }

  /** The process is ending: calls are no longer waited for. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The result of the work, or SHUTTING_DOWN if the process ends first. The work then goes on, but its result is dropped. */
  orEnd<Result>(context: ExecutionContext, work: Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (this.#isOver) {
        work.catch(() => {});
        reject(shuttingDown(context));
        return;
      }
      const call: OpenCall = { context, reject, place: 0 };
      this.#open.add(call);
      work.then(
        (result) => {
          if (!this.#isOver) this.#open.remove(call);
          resolve(result);
        },
        (error: unknown) => {
          if (!this.#isOver) this.#open.remove(call);
          reject(error);
        },
      );
    });
  }

  /** Rejects all calls in progress; from now on, new ones are refused. */
  endAll(): void {
    this.#isOver = true;
    for (const { context, reject } of this.#open.takeAll()) reject(shuttingDown(context));
  }

  /** Throws where it is too late to begin anything. */
  admit(context: ExecutionContext): void {
    if (this.#isOver) throw shuttingDown(context);
  }
}

function shuttingDown({ label, mayHaveChanged }: ExecutionContext): GatewayError {
  const aftermath = mayHaveChanged
    ? 'The request may have taken effect: check that before repeating it.'
    : `Nothing was changed, so it is safe to call again in ${BACK_IN_SECONDS} s.`;
  return new GatewayError('SHUTTING_DOWN', `${label}: the gateway is shutting down. ${aftermath}`, {
    tool: label,
    retry_after_seconds: BACK_IN_SECONDS,
  });
}
