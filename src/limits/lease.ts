// A call's place among those its caller may have under way: from when it may begin to its end, without the time in which it
// only waits for a person's answer.
import type { Client } from '../call/caller.ts';
import type { RequestFacts } from '../call/execution-context.ts';
import type { PrincipalGate } from './principals.ts';
import type { WaitingCall } from './slots.ts';

export class Lease {
  #gate: PrincipalGate | undefined;
  /** Questions to the client that are not answered yet; several may be asked at once. */
  #questions = 0;
  #wasRefused = false;

  /** There was no room for the call, and it never began. */
  get wasRefused(): boolean {
    return this.#wasRefused;
  }

  /** As PrincipalGate.enter(). */
  enter(gate: PrincipalGate, call: WaitingCall, now: number): Promise<void> | undefined {
    this.#wasRefused = true;
    const waiting = gate.enter(call, now);
    if (waiting === undefined) this.#begin(gate);
    return waiting?.then(() => this.#begin(gate));
  }

  #begin(gate: PrincipalGate): void {
    this.#gate = gate;
    this.#wasRefused = false;
  }

  end(): void {
    if (this.#questions === 0) this.#gate?.leave();
    this.#gate = undefined;
  }

  /** The same request, whose questions to the client give up the place until they are answered. */
  lend(request: RequestFacts): RequestFacts {
    const { client } = request;
    // Modern clients are asked in a request of their own.
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
    if (this.#questions++ === 0) this.#gate?.leave();
    try {
      return await question();
    } finally {
      if (--this.#questions === 0) this.#gate?.resume();
    }
  }
}
