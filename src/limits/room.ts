// Room for calls that several processes have in common: each has a part of it, which grows where calls wait and shrinks where
// others wait for it. All parts together are never more than the whole.

export interface SharedRoom {
  /** This process's part of `total` places under a key that means the same in every process. */
  shareOf(key: string, total: number, user: RoomUser): RoomShare;
}

/** Whoever lets calls run in a part. */
export interface RoomUser {
  readonly running: number;
  readonly waiting: number;
  /** There are more places than before. */
  serve(): void;
}

export interface RoomShare {
  /** How many calls may run here now. */
  readonly places: number;
  /** Another place is wanted. Resolves when it came, or when it is known that there is none; undefined where that is known already. */
  grow(): Promise<void> | undefined;
  /** To be called when a call has ended, before its place is taken again: others may wait for it. */
  giveBack(): void;
  /** To be called when no call waits any more: what was wanted is not. */
  enough(): void;
  /** Nobody uses it any more. */
  close(): void;
}
