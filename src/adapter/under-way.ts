// The calls that are being made, so that the end of the process can answer whoever still waits for one: with words about what
// became of it, and not with a closed socket.
import type { ExecutionContext } from '../call/execution-context.ts';
import { type Listed, Roster } from '../call/roster.ts';
import { GatewayError } from '../errors.ts';

/** When another try makes sense: by then another instance answers, or the next one of this has started. */
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

  /** Nobody is waited for any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** What the work comes to; or the end, where that is first. What is left of the work then goes on for nobody. */
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

  /** Answers everybody who waits; from now on nothing is begun. */
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
