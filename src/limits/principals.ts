// How much each caller may call, over all its connections, transports and profiles. Limits belong to the caller's identity: a
// caller cannot evade them with new connections or other request ids.
import type { Principal } from '../call/caller.ts';
import type { CallLimits } from '../endpoint/model.ts';
import type { GatewayError } from '../errors.ts';
import { type CallRules, toRules } from './call-rules.ts';
import type { LimitRefusals } from './limit-refusals.ts';
import { Meter, type SharedRates } from './rate.ts';
import type { SharedRoom } from './room.ts';
import { type BusyReason, Slots, type WaitingCall } from './slots.ts';

export interface PrincipalParts {
  /** The rules for callers without limits of their own. */
  readonly rules: CallRules;
  readonly refusals: LimitRefusals;
  readonly shared: SharedRates | undefined;
  readonly room: SharedRoom | undefined;
}

/** From this many callers on, idle ones with a full bucket are forgotten: nothing is lost by that. */
const MIN_SWEEP = 1_000;

export class Principals {
  readonly #parts: PrincipalParts;
  readonly #gates = new Map<string, PrincipalGate>();
  #sweepAt = MIN_SWEEP;

  constructor(parts: PrincipalParts) {
    this.#parts = parts;
  }

  /** Calls that wait for one of their own caller to end. */
  get waiting(): number {
    let waiting = 0;
    for (const gate of this.#gates.values()) waiting += gate.waiting;
    return waiting;
  }

  gateOf({ id, limits }: Principal): PrincipalGate {
    const gate = this.#gates.get(id) ?? this.#meet(id);
    if (gate.limits !== limits) gate.adopt(limits);
    return gate;
  }

  #meet(id: string): PrincipalGate {
    if (this.#gates.size >= this.#sweepAt) {
      const now = performance.now();
      for (const [other, gate] of this.#gates)
        if (gate.isIdle(now)) {
          gate.close();
          this.#gates.delete(other);
        }
      this.#sweepAt = Math.max(MIN_SWEEP, this.#gates.size * 2);
    }
    const gate = new PrincipalGate(id, this.#parts);
    this.#gates.set(id, gate);
    return gate;
  }
}

export class PrincipalGate {
  limits: CallLimits | undefined;
  readonly #id: string;
  readonly #parts: PrincipalParts;
  readonly #meter: Meter;
  readonly #slots: Slots;
  #rules: CallRules;

  constructor(id: string, parts: PrincipalParts) {
    this.#id = id;
    this.#parts = parts;
    this.#rules = parts.rules;
    this.#meter = new Meter(`principal ${id}`, parts.shared);
    const { room } = parts;
    this.#slots = new Slots(
      parts.rules,
      (why, call) => this.#refuseBusy(why, call),
      undefined,
      room && ((user, total) => room.shareOf(`principal ${id}`, total, user)),
    );
  }

  get waiting(): number {
    return this.#slots.waiting;
  }

  /** Changes the limits of the same caller; what it has used up, and its calls in progress, are kept. */
  adopt(limits: CallLimits | undefined): void {
    this.limits = limits;
    this.#rules = toRules(this.#parts.rules, limits);
    this.#slots.adopt(this.#rules);
  }

  /** It is forgotten. */
  close(): void {
    this.#slots.close();
  }

  /** Undefined: go on. A promise: wait for it. Throws or rejects where the call is refused. leave() must follow. */
  enter(call: WaitingCall, now: number): Promise<void> | undefined {
    const { rate } = this.#rules;
    const waitMs = rate === undefined ? 0 : this.#meter.take(rate, now);
    if (waitMs === 0) return this.#slots.enter('', call);
    if (typeof waitMs === 'number') throw this.#refuseRate(call, waitMs);
    return waitMs.then((sharedMs) => {
      if (sharedMs > 0) throw this.#refuseRate(call, sharedMs);
      return this.#slots.enter('', call);
    });
  }

  leave(): void {
    this.#slots.leave('');
  }

  /** As enter(), after a leave() for a while: a call that waited for a person goes on. */
  resume(call: WaitingCall): Promise<void> | undefined {
    return this.#slots.resume('', call);
  }

  isIdle(now: number): boolean {
    return this.#slots.running === 0 && this.#slots.waiting === 0 && this.#meter.isFull(now);
  }

  #refuseRate({ label }: WaitingCall, retryAfterMs: number): GatewayError {
    return this.#parts.refusals.refuse('principalRate', {
      tool: label,
      limit: `rate of ${this.#id}`,
      because: `you have used up your limit of ${this.#rules.rate?.text} calls`,
      retryAfterMs,
    });
  }

  #refuseBusy(why: BusyReason, { label }: WaitingCall): GatewayError {
    const { concurrent, queue, waitSeconds } = this.#rules;
    return this.#parts.refusals.refuse('principalBusy', {
      tool: label,
      limit: `concurrent calls of ${this.#id}`,
      because:
        why === 'full'
          ? `you have ${concurrent} calls in progress, which is your limit, and ${queue} more are waiting`
          : `you have ${concurrent} calls in progress, which is your limit, and none ended within ${waitSeconds} s`,
      retryAfterMs: why === 'full' ? 1_000 : waitSeconds * 1_000,
    });
  }
}
