// The messages about shared state between a worker and its primary, over any channel that keeps their order.
import type { Rate, TakenTokens } from '../limits/rate.ts';
import type { Spent } from '../orchestration/confirmations.ts';
import type { Delivery } from '../protocol/questions/message-bus.ts';
import type { StoreClaim } from './shared-token-store.ts';

/** One end of the channel. Messages are JSON values. */
export interface StateChannel {
  send(message: unknown): void;
  /** Called once. */
  onMessage(listener: (message: unknown) => void): void;
}

/** The answer to a worker's first message. */
export interface Welcome {
  /** The address of this worker, for messages from others. */
  readonly address: string;
  /** The mark of the store of used confirmations. */
  readonly mark: number;
  readonly workers: number;
  /** Its permits of each semaphore, where they differ from the equal share that every worker starts with. */
  readonly permits: readonly (SemaphoreKey & { readonly count: number })[];
}

/** Identifies a semaphore that all workers share: `total` permits under a key. */
export interface SemaphoreKey {
  readonly key: string;
  readonly total: number;
}

/** How many permits a worker has from the start, without any message. */
export function equalShare(total: number, workers: number): number {
  return Math.floor(total / workers);
}

/** The requests of a worker, and their answers. */
export interface StateRequests {
  hello: { readonly ask: Record<string, never>; readonly answer: Welcome };
  takeTokens: {
    readonly ask: { readonly key: string; readonly rate: Rate; readonly most: number };
    readonly answer: TakenTokens;
  };
  spend: {
    readonly ask: { readonly nonce: string; readonly expiresAtMs: number; readonly mark: number };
    readonly answer: Spent;
  };
  sendText: { readonly ask: { readonly to: string; readonly text: string }; readonly answer: Delivery };
  claimToken: {
    readonly ask: { readonly name: string; readonly badGeneration: string; readonly owner: string };
    readonly answer: StoreClaim;
  };
}

/** Reports of a worker to its primary, which get no answer. */
export interface StateReports {
  sendTextToAll: { readonly text: string };
  /** It wants more permits; a `permits` with `isAnswer` follows. */
  wantPermits: SemaphoreKey & { readonly count: number };
  /** It no longer wants any. */
  cancelWant: SemaphoreKey;
  /** It returns permits. `isAnswer`: as the answer to a `recall`. */
  returnPermits: SemaphoreKey & { readonly count: number; readonly isAnswer: boolean };
  /** Ends its turn to fetch a token; an empty text leaves the stored one as it is. */
  finishToken: { readonly name: string; readonly owner: string; readonly text: string; readonly keepMs: number };
}

/** Orders of the primary to a worker. */
export interface StateOrders {
  receiveText: { readonly text: string };
  /**
   * Grants this many more permits. `isAnswer`: as the answer to `wantPermits`. If `isAll` is false then, more follow
   * when some are free.
   */
  permits: SemaphoreKey & { readonly count: number; readonly isAnswer: boolean; readonly isAll: boolean };
  /**
   * Others want permits: return idle ones, down to `floor`, or down to `keep` while calls wait here. At once and, if it
   * `stands`, whenever a call ends, until `endRecall`.
   */
  recall: SemaphoreKey & { readonly keep: number; readonly floor: number; readonly stands: boolean };
  endRecall: SemaphoreKey;
}

/** To the primary; `id` is absent where no answer is expected. */
export interface MessageToPrimary {
  readonly id?: number;
  readonly kind: keyof StateRequests | keyof StateReports;
  readonly value: unknown;
}

/** To a worker: the answer to one of its requests (or why there is none), or an order. */
export type MessageToWorker =
  | { readonly answer: number; readonly value?: unknown; readonly failed?: string }
  | { readonly order: keyof StateOrders; readonly value: unknown };
