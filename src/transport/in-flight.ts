// How much is under way in this process, and waiting for its end. Requests that only wait for their client are no load, but
// still not over.

export interface Load {
  readonly underWay: number;
  enter(): void;
  leave(): void;
  /** Says that a request waits for its client; the function returned takes that back. */
  park(): () => void;
  /** Resolves when nothing is left, not even what waits. */
  idle(): Promise<void>;
}

export function createLoad(): Load {
  let underWay = 0;
  let parked = 0;
  let wake = () => {};
  return {
    get underWay() {
      return underWay;
    },
    enter: () => {
      underWay++;
    },
    leave: () => {
      if (--underWay + parked === 0) wake();
    },
    park: () => {
      underWay--;
      parked++;
      return () => {
        underWay++;
        parked--;
      };
    },
    idle: () =>
      new Promise<void>((resolve) => {
        wake = resolve;
        if (underWay + parked === 0) resolve();
      }),
  };
}

/** One request may ask its client several things at once; it waits from the first question to the last answer. */
export function createParking(park: () => () => void): () => () => void {
  let open = 0;
  let unpark = () => {};
  return () => {
    if (open++ === 0) unpark = park();
    return () => {
      if (--open === 0) unpark();
    };
  };
}

/** Resolves when `done` does, or after `ms`, whichever is first: shutdown must not depend on anybody's good will. */
export async function within(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}
