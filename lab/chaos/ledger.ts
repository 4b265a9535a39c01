// Every call that a client made, and what came of it: what a run is judged by.

export type Face = 'v2 modern' | 'v1 legacy' | 'token';
export type Kind = 'read' | 'write' | 'confirm' | 'other api';

/** One HTTP exchange of a call; a confirmation has several. */
export interface Exchange {
  readonly startedAt: number;
  endedAt?: number;
  status?: number;
  /** The gateways that nginx asked, in turn: what it says after an answer, and where it has none. */
  servedBy?: string;
}

export interface Call {
  readonly face: Face;
  readonly kind: Kind;
  /** Made by the client, and found at the API. */
  readonly id: string;
  readonly startedAt: number;
  endedAt?: number;
  /**
   * `refused`: a result that says why, and what to do next. `failed`: no answer, or an error that no scenario has announced.
   */
  outcome?: 'ok' | 'refused' | 'failed';
  failureMode?: string;
  message?: string;
  readonly exchanges: Exchange[];
}

export class Ledger {
  readonly calls: Call[] = [];
  readonly #open = new Set<Call>();
  #ended: (() => void)[] = [];

  begin(face: Face, kind: Kind, id: string): Call {
    const call: Call = { face, kind, id, startedAt: performance.now(), exchanges: [] };
    this.calls.push(call);
    this.#open.add(call);
    return call;
  }

  end(call: Call, outcome: NonNullable<Call['outcome']>, failureMode?: string, message?: string): void {
    call.endedAt = performance.now();
    call.outcome = outcome;
    if (failureMode !== undefined) call.failureMode = failureMode;
    if (message !== undefined) call.message = message.slice(0, 400);
    this.#open.delete(call);
    for (const wake of this.#ended.splice(0)) wake();
  }

  /** What is under way at this very moment. */
  underWay(): Call[] {
    return [...this.#open];
  }

  /** Those that began, or had not ended, since a moment. */
  since(at: number): Call[] {
    return this.calls.filter(
      ({ startedAt, endedAt }) => startedAt >= at || (endedAt ?? Number.POSITIVE_INFINITY) >= at,
    );
  }

  /** Resolves with the next call that ends, or after this time. */
  next(atMostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, atMostMs);
      this.#ended.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

/** One line about a call that went wrong. */
export function describeCall({
  face,
  kind,
  outcome,
  failureMode,
  message,
  exchanges,
  startedAt,
  endedAt,
}: Call): string {
  const tries = exchanges.map(({ status = 'no answer', servedBy = '-' }) => `${status} by ${servedBy}`).join(', ');
  const tookMs = Math.round((endedAt ?? performance.now()) - startedAt);
  return `${face} ${kind} ${outcome ?? 'open'} after ${tookMs} ms${failureMode ? ` (${failureMode})` : ''}: ${(message ?? '').replace(/<[^>]+>|\s+/g, ' ')} [${tries}]`;
}
