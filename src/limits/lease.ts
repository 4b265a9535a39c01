// A call's place among the concurrent calls of its caller: held from its start to its end, except while it only waits for a
// person's answer.
import type { Client } from '../call/caller.ts';
import type { RequestFacts } from '../call/execution-context.ts';
import type { PrincipalGate } from './principals.ts';
import type { WaitingCall } from './slots.ts';

export class Lease {
  #gate: PrincipalGate | undefined;
  #call: WaitingCall | undefined;
  #hasPlace = false;
  #hasBegun = false;
  #isOver = false;
  /** Several questions may be asked, and answered, at once: they wait for the one place of their call. */
  #returning: Promise<void> | undefined;
  #asking = 0;
  #askingSince = 0;
  #askedMs = 0;

  /** How long the call has waited for its client, and for room after that. */
  get askedMs(): number {
    return this.#askedMs;
  }

  /** The call was refused by the limits and never began. */
  get wasRefused(): boolean {
    return this.#gate !== undefined && !this.#hasBegun;
  }

  /** As PrincipalGate.enter(). */
  enter(gate: PrincipalGate, call: WaitingCall, now: number): Promise<void> | undefined {
    this.#gate = gate;
    this.#call = call;
    return this.#take(gate.enter(call, now));
  }

  end(): void {
    this.#isOver = true;
    this.#giveUp();
  }

  /** The same request, but a question to the client releases the place until it is answered. */
  lend(request: RequestFacts): RequestFacts {
    const { client } = request;
    // Modern clients get questions as an answer, and call again.
    if (client.request === undefined) return request;
    const { ask, request: send } = client;
    const lending: Client = {
      ...client,
      request: (method, params, signal) => this.#whileAsking(() => send(method, params, signal)),
      ...(ask && { ask: (question, call) => this.#whileAsking(() => ask(question, call)) }),
    };
    return { ...request, client: lending };
  }

  async #whileAsking<Answer>(question: () => Promise<Answer>): Promise<Answer> {
    this.#giveUp();
    if (this.#asking++ === 0) this.#askingSince = performance.now();
    try {
      return await question();
    } finally {
      try {
        await this.#comeBack();
      } finally {
        if (--this.#asking === 0) this.#askedMs += performance.now() - this.#askingSince;
      }
    }
  }

  /** The place has to be taken again: otherwise answers that come together would let a caller exceed its limit. */
  #comeBack(): Promise<void> | undefined {
    if (this.#gate === undefined || this.#hasPlace || this.#isOver) return undefined;
    this.#returning ??= this.#take(this.#gate.resume(this.#call!))?.finally(() => {
      this.#returning = undefined;
    });
    return this.#returning;
  }

  #take(waiting: Promise<void> | undefined): Promise<void> | undefined {
    if (waiting === undefined) this.#begin();
    return waiting?.then(() => {
      this.#begin();
      if (this.#isOver) this.#giveUp();
    });
  }

  #begin(): void {
    this.#hasPlace = true;
    this.#hasBegun = true;
  }

  #giveUp(): void {
    if (this.#hasPlace) this.#gate!.leave();
    this.#hasPlace = false;
  }
}
