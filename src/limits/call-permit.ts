// A call's permit among the concurrent calls of its caller. The call holds it from start to end, except while it waits for a
// person's answer.
import type { Client } from '../call/caller.ts';
import type { RequestFacts } from '../call/execution-context.ts';
import type { WaitingCall } from './fair-semaphore.ts';
import type { PrincipalLimiter } from './principal-limiters.ts';

export class CallPermit {
  #limiter: PrincipalLimiter | undefined;
  #call: WaitingCall | undefined;
  #isHeld = false;
  #hasBegun = false;
  #isOver = false;
  /** Several questions may be asked, and answered, at once: they wait for the one permit of their call. */
  #reacquisition: Promise<void> | undefined;
  #openQuestions = 0;
  #askingSince = 0;
  #askedMs = 0;

  /** How long the call has waited for its client, and for a permit after that. */
  get askedMs(): number {
    return this.#askedMs;
  }

  /** The limits refused the call, so it never began. */
  get wasRefused(): boolean {
    return this.#limiter !== undefined && !this.#hasBegun;
  }

  /** Like PrincipalLimiter.acquire(). */
  acquire(limiter: PrincipalLimiter, call: WaitingCall, now: number): Promise<void> | undefined {
    this.#limiter = limiter;
    this.#call = call;
    return this.#hold(limiter.acquire(call, now));
  }

  end(): void {
    this.#isOver = true;
    this.#release();
  }

  /** The same request, but a question to the client releases the permit until it is answered. */
  releaseWhileAsking(request: RequestFacts): RequestFacts {
    const { client } = request;
    // Modern clients get questions as an answer, and call again.
    if (client.request === undefined) return request;
    const { ask, request: send } = client;
    const releasing: Client = {
      ...client,
      request: (method, params, signal) => this.#whileAsking(() => send(method, params, signal)),
      ...(ask && { ask: (question, call) => this.#whileAsking(() => ask(question, call)) }),
    };
    return { ...request, client: releasing };
  }

  async #whileAsking<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    this.#release();
    if (this.#openQuestions++ === 0) this.#askingSince = performance.now();
    try {
      return await question();
    } finally {
      try {
        await this.#reacquire();
      } finally {
        if (--this.#openQuestions === 0) this.#askedMs += performance.now() - this.#askingSince;
      }
    }
  }

  /** Otherwise answers that arrive together would let a caller exceed its limit. */
  #reacquire(): Promise<void> | undefined {
    if (this.#limiter === undefined || this.#isHeld || this.#isOver) return undefined;
    this.#reacquisition ??= this.#hold(this.#limiter.reacquire(this.#call!))?.finally(() => {
      this.#reacquisition = undefined;
    });
    return this.#reacquisition;
  }

  #hold(waiting: Promise<void> | undefined): Promise<void> | undefined {
    if (waiting === undefined) this.#begin();
    return waiting?.then(() => {
      this.#begin();
      if (this.#isOver) this.#release();
    });
  }

  #begin(): void {
    this.#isHeld = true;
    this.#hasBegun = true;
  }

  #release(): void {
    if (this.#isHeld) this.#limiter!.release();
    this.#isHeld = false;
  }
}
