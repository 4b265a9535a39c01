// Concurrency shared by several processes: each has a part of the places, which grows if calls wait here and shrinks if they wait
// elsewhere. All parts together never exceed the total.

export interface SharedRoom {
  /** This process's part of `total` places under a key that means the same in every process. */
  shareOf(key: string, total: number, user: RoomUser): RoomShare;
}

/** The owner of a part, which lets calls run in it. */
export interface RoomUser {
  readonly running: number;
  readonly waiting: number;
  /** There are more places than before. */
  serve(): void;
}

export interface RoomShare {
  /** How many calls may run here now. */
  readonly places: number;
  /** Requests another place. Resolves when it is granted or refused; undefined if it is known that there is none. */
  grow(): Promise<void> | undefined;
  /** Call it when a call has ended, before its place is used again: another process may be waiting for it. */
  giveBack(): void;
  /** Call it when no call waits any more: withdraws the request for another place. */
  enough(): void;
  /** Nobody uses it any more. */
  close(): void;
}
