// Permits shared by several processes. Each process has a part of them, which grows if calls wait here and shrinks if they wait
// elsewhere. All parts together never exceed the total.

export interface SharedPermits {
  /** This process's part of `total` permits under a key that means the same in every process. */
  shareOf(key: string, total: number, user: PermitUser): PermitShare;
}

/** The semaphore that uses a part. */
export interface PermitUser {
  readonly running: number;
  readonly waiting: number;
  /** The part has grown: waiting calls may get permits. */
  admitWaiters(): void;
}

export interface PermitShare {
  /** How many calls may run here now. */
  readonly permits: number;
  /**
   * Requests another permit. Resolves when it is granted or refused. Undefined if it is already known that there is
   * none.
   */
  grow(): Promise<void> | undefined;
  /** Must be called when a call has ended, before its permit is used again: another process may be waiting for it. */
  giveBack(): void;
  /** Must be called when no call waits any more: withdraws the request for another permit. */
  withdraw(): void;
  /** Gives the whole part back. */
  close(): void;
}
