// What a worker and its primary say to each other about shared state, over whatever carries values between them in order.
import type { Rate, TakenTokens } from '../limits/rate.ts';
import type { Spent } from '../orchestration/confirmations.ts';
import type { Delivery } from '../protocol/questions/letters.ts';
import type { ShelfClaim } from './shelf.ts';

/** One end. Values are as JSON takes them. */
export interface StateChannel {
  send(message: unknown): void;
  /** Called once. */
  onMessage(listener: (message: unknown) => void): void;
}

/** What a worker is told first. */
export interface Welcome {
  /** Of this worker, for letters of others. */
  readonly address: string;
  /** Of the memory of used permissions. */
  readonly mark: number;
  readonly workers: number;
  /** Its part of each common room, if that differs from the equal part that every worker starts with. */
  readonly parts: readonly (RoomName & { readonly places: number })[];
}

/** Room for a number of calls over all workers. Each worker starts with an equal part, without any message. */
export interface RoomName {
  readonly key: string;
  readonly total: number;
}

/** The places of a worker that was not told anything else. */
export function basePlaces(total: number, workers: number): number {
  return Math.floor(total / workers);
}

/** What a worker asks, by name: what goes there and what comes back. */
export interface Questions {
  hello: { readonly ask: Record<string, never>; readonly answer: Welcome };
  take: {
    readonly ask: { readonly key: string; readonly rate: Rate; readonly most: number };
    readonly answer: TakenTokens;
  };
  spend: {
    readonly ask: { readonly nonce: string; readonly expiresAtMs: number; readonly mark: number };
    readonly answer: Spent;
  };
  letter: { readonly ask: { readonly to: string; readonly text: string }; readonly answer: Delivery };
  claim: {
    readonly ask: { readonly name: string; readonly refused: string; readonly owner: string };
    readonly answer: ShelfClaim;
  };
}

/** What a worker says without waiting for an answer. */
export interface Reports {
  letterToAll: { readonly text: string };
  /** More places are wanted; a `places` with `isAnswer` follows. */
  want: RoomName & { readonly count: number };
  /** Nothing is wanted any more. */
  enough: RoomName;
  /** Places that are given back. `isAnswer`: to a `recall`. */
  back: RoomName & { readonly count: number; readonly isAnswer: boolean };
  /** The end of a turn; without text everything stays as it was. */
  finish: { readonly name: string; readonly owner: string; readonly text: string; readonly keepMs: number };
}

/** What a worker is told. */
export interface Orders {
  letter: { readonly text: string };
  /** So many more. `isAnswer`: to `want`; then `isAll` says whether others will come when there are some. */
  places: RoomName & { readonly count: number; readonly isAnswer: boolean; readonly isAll: boolean };
  /**
   * Others want places: idle places must be given back, down to `floor`, or down to `keep` while calls wait here. At once and, if
   * it `stands`, whenever a call ends, until `calm`.
   */
  recall: RoomName & { readonly keep: number; readonly floor: number; readonly stands: boolean };
  calm: RoomName;
}

/** Towards the primary; `question` is absent where no answer is waited for. */
export interface ToPrimary {
  readonly question?: number;
  readonly kind: keyof Questions | keyof Reports;
  readonly value: unknown;
}

/** Towards a worker: an answer to one question of its, which may be why there is none, or an order. */
export type ToWorker =
  | { readonly answer: number; readonly value?: unknown; readonly failed?: string }
  | { readonly order: keyof Orders; readonly value: unknown };
